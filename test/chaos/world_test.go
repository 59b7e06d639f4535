package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/informer-gen/informer-gen/test/apiserver"
)

// world is everything in a run.
type world struct {
	*testing.T
	server *apiserver.Server
	client dynamic.Interface
	// wild is the proxy before informers that try again soon, and mild the one
	// before those with the defaults, whose backoffs are long.
	wild, mild *Proxy
	subjects   []subject
	calm       chan struct{} // closed when there are no more faults
	writes     atomic.Int64
	visits     atomic.Int64
	random     *rand.Rand // of the goroutine of the test
}

// fork returns a source of random numbers for one goroutine.
func (w *world) fork() *rand.Rand {
	return rand.New(rand.NewPCG(w.random.Uint64(), 0))
}

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

// settle waits until everything is as the server has it, and returns what is not
// in the end.
func (w *world) settle(ctx context.Context) (differences []string) {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
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

// compare lists again each time: what a writer has last asked for may be done only
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
	for _, count := range counts {
		n += count
	}
	return n
}
