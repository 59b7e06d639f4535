package chaos

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"golang.org/x/sync/errgroup"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/informer-gen/informer-gen/test/apiserver"
)

var (
	seed     = flag.Uint64("seed", 0, "the first seed of the chaos test; 0 is any")
	seeds    = flag.Int("seeds", 1, "how many seeds the chaos test takes")
	duration = flag.Duration("duration", 15*time.Second, "how long the chaos test makes faults, for each seed")
)

// patience is how long a store and its handlers may take, once there are no more
// faults, to be what the server has. Informers that rest for a minute after many
// failures are among them.
const patience = 90 * time.Second

// Whatever happens between an informer and its API server, and to the server's
// history and definitions, and however handlers, indexes and informers come and
// go: no handler sees what was not written, or anything twice, or an old state
// after a new one, and when there are no more faults the stores, their indexes
// and what each handler believes are what the server has. When all has stopped,
// no goroutine is left.
func TestChaos(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) % 1_000_000
	}
	for s := first; s < first+uint64(*seeds); s++ {
		t.Run(fmt.Sprint("seed ", s), func(t *testing.T) { testChaos(t, s) })
	}
}

// world is everything in a run.
type world struct {
	*testing.T
	server *apiserver.Server
	client dynamic.Interface
	// wild is the proxy before informers that try again soon, and mild the one
	// before those with the defaults, whose rests are long.
	wild, mild *Proxy
	subjects   []subject
	calm       chan struct{} // closed when there are no more faults
	writes     atomic.Int64
	visits     atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
}

// fork returns a source of random numbers for one goroutine.
func (w *world) fork() *rand.Rand {
	w.mu.Lock()
	defer w.mu.Unlock()
	return rand.New(rand.NewPCG(w.random.Uint64(), 0))
}

func testChaos(t *testing.T, seed uint64) {
	began := time.Now()
	w := newWorld(t, seed)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var running sync.WaitGroup
	factories := w.follow(ctx, &running)

	w.wild.Set(wildRates)
	w.mild.Set(mildRates)
	if err := w.rage(ctx); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	faults := w.counts()
	w.wild.Set(Rates{})
	w.mild.Set(Rates{})
	close(w.calm)
	calm := time.Now()
	if differences := w.settle(ctx); len(differences) > 0 {
		t.Errorf("seed %d: after %v without faults:\n%s", seed, patience, strings.Join(differences, "\n"))
	}
	settled := time.Since(calm)

	stop()
	running.Wait()
	factories()
	events := 0
	for _, s := range w.subjects {
		faults, n := s.faults()
		for _, fault := range faults {
			t.Errorf("seed %d: %s", seed, fault)
		}
		events += n
		status := s.status()
		t.Logf("%v: %d reconnects, %d relists, %d objects left out", s, status.Reconnects, status.Relists, status.ObjectErrors)
	}
	w.wild.Close()
	w.mild.Close()
	wantNoGoroutines(t)
	t.Logf("seed %d: %d writes, %d requests, %d faults (%v), %d events, %d informers came and went, in step %v after the last fault, %v in all",
		seed, w.writes.Load(), w.wild.Requests()+w.mild.Requests(), total(faults), faults, events, w.visits.Load(),
		settled.Round(time.Millisecond), time.Since(began).Round(time.Second))
}

var (
	wildRates = Rates{Request: 0.4, List: 0.02, Frame: 0.1, Bookmark: 0.3}
	// Informers with the defaults notice silence after minutes only.
	mildRates = Rates{Request: 0.1, List: 0.002, Frame: 0.005, Bookmark: 0.02, HalfOpen: 2 * time.Second}
)

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	w := &world{T: t, calm: make(chan struct{}), random: rand.New(rand.NewPCG(seed, 0))}
	var err error
	// Without its own cache the server remembers no more than etcd, and pages.
	w.server, err = apiserver.Start(t.Context(), apiserver.Options{DisableWatchCache: seed%2 == 0})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.server.Stop)
	for _, r := range resources {
		if err := w.server.InstallCRDs(t.Context(), r.definition); err != nil {
			t.Fatal(err)
		}
	}
	if w.client, err = dynamic.NewForConfig(w.server.Config()); err != nil {
		t.Fatal(err)
	}
	for _, p := range []**Proxy{&w.wild, &w.mild} {
		if *p, err = NewProxy(w.server.Config(), w.random.Uint64()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup((*p).Close)
	}
	return w
}

// rage writes and lets happen what can until the time is up. At the end all
// resources are served.
func (w *world) rage(ctx context.Context) error {
	raging, calm := context.WithCancel(ctx) // clients would refuse to begin what a deadline could end
	defer time.AfterFunc(*duration, calm).Stop()
	defer calm()
	group, raging := errgroup.WithContext(raging)
	for i := range 4 {
		writer := &writer{client: w.client, name: fmt.Sprint("writer-", i), random: w.fork(), writes: &w.writes}
		group.Go(func() error { return writer.run(raging) })
	}
	for _, happens := range []func(context.Context, *rand.Rand) error{
		w.compact, w.reinstall, w.comeAndGo, w.visit, w.visit, w.observe,
	} {
		random := w.fork()
		group.Go(func() error { return happens(raging, random) })
	}
	return group.Wait()
}

// every calls do after random pauses of up to twice a duration until ctx ends.
func every(ctx context.Context, random *rand.Rand, pause time.Duration, do func() error) error {
	for {
		sleep(ctx.Done(), time.Duration(random.Int64N(int64(2*pause))))
		if ctx.Err() != nil {
			return nil
		}
		if err := do(); err != nil {
			return err
		}
	}
}

// compact lets etcd forget, so that whoever is behind is told 410.
func (w *world) compact(ctx context.Context, random *rand.Rand) error {
	return every(ctx, random, time.Second, func() error {
		err := w.server.Compact(context.WithoutCancel(ctx))
		if errors.Is(err, rpctypes.ErrCompacted) { // nothing was written since
			return nil
		}
		return err
	})
}

// reinstall deletes a definition, with all objects, and installs it again.
func (w *world) reinstall(ctx context.Context, random *rand.Rand) error {
	definitions, err := clientset.NewForConfig(w.server.Config())
	if err != nil {
		return err
	}
	// What has begun is brought to its end.
	whole, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), patience, errors.New("definition not deleted and installed in time"))
	defer cancel()
	return every(ctx, random, 5*time.Second, func() error {
		r := resources[random.IntN(len(resources))]
		name := r.GroupResource().String()
		api := definitions.ApiextensionsV1().CustomResourceDefinitions()
		if err := api.Delete(whole, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		for {
			if _, err := api.Get(whole, name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
				break
			} else if err != nil {
				return err
			}
			sleep(whole.Done(), 20*time.Millisecond)
		}
		sleep(ctx.Done(), time.Duration(random.Int64N(int64(3*time.Second))))
		return w.server.InstallCRDs(whole, r.definition)
	})
}

// comeAndGo adds and removes handlers of all modes, and adds indexes.
func (w *world) comeAndGo(ctx context.Context, random *rand.Rand) error {
	indexes := 0
	return every(ctx, random, 20*time.Millisecond, func() error {
		s := w.subjects[random.IntN(len(w.subjects))]
		switch choice := random.IntN(100); {
		case choice < 45:
			return s.join(modes[random.IntN(len(modes))], false, w.calm, random)
		case choice < 48 && indexes < 5*len(w.subjects):
			indexes++
			return s.addIndex()
		case choice < 50 && s.status().Synced && len(s.status().Handlers) < 30:
			return s.join(modes[random.IntN(len(modes))], true, w.calm, random)
		default:
			return s.part(random)
		}
	})
}

// observe looks at the versions in the stores.
func (w *world) observe(ctx context.Context, random *rand.Rand) error {
	return every(ctx, random, 20*time.Millisecond, func() error {
		for _, s := range w.subjects {
			s.observe()
		}
		return nil
	})
}

// settle waits until everything is as the server has it, and returns what is not
// in the end.
func (w *world) settle(ctx context.Context) (differences []string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, s := range w.subjects {
		for {
			different := w.compare(ctx, s)
			if len(different) == 0 {
				break
			}
			if ctx.Err() != nil {
				differences = append(append(differences, different...), fmt.Sprintf("%v: %+v", s, s.status()))
				break
			}
			sleep(ctx.Done(), 50*time.Millisecond)
		}
		s.observe()
	}
	return differences
}

// compare lists anew each time: what a writer has last asked for may be done only
// after it has gone.
func (w *world) compare(ctx context.Context, s subject) []string {
	list, err := w.client.Resource(s.of().GroupVersionResource).List(context.WithoutCancel(ctx), metav1.ListOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	return s.disagreements(list.Items)
}

func (w *world) counts() map[Kind]int {
	counts := w.wild.Faults()
	for kind, n := range w.mild.Faults() {
		counts[kind] += n
	}
	return counts
}

func total(counts map[Kind]int) (n int) {
	for _, count := range slices.Collect(maps.Values(counts)) {
		n += count
	}
	return n
}
