package membership

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
)

var (
	worlds = flag.Int("worlds", 200, "how many random worlds")
	seed   = flag.Uint64("seed", 1, "the first of them")
	shown  = flag.Int("shown", 60, "how many writes before a failure are shown")
)

// defaultLeaseDuration is the default of Options.LeaseDuration.
const defaultLeaseDuration = 15 * time.Second

// defaults is a group with the default of LeaseDuration.
var defaults = protocol.Group{LeaseDuration: defaultLeaseDuration}

// world is a group of replicas that act on keys, and the log of all their actions.
type world struct {
	t       *testing.T
	began   time.Time
	random  *rand.Rand
	store   *store
	options Options
	keys    []uint64
	// wrap is the client of replicas that start, of their network. Nil is the network.
	wrap func(*network) Leases
	// logger is the logger of replicas that start. The zero value discards.
	logger klog.Logger

	mu       sync.Mutex
	replicas []*replica // that were started and are not dead
	// acting has the last step of each key, and log what was done to each, for messages.
	acting map[uint64]step
	steps  int
	failed bool
	// uncovered is until when two may own a key: after a restore of a backup, until those who
	// acted before have listed the slots.
	uncovered time.Time
}

// step is one of the steps of some work.
type step struct {
	replica *replica
	at      time.Time
}

// replica is a process.
type replica struct {
	*world
	name    string
	member  *Member
	clock   *skewedClock
	network *network
	stop    context.CancelFunc
	ended   chan error // has what Run returned
	dead    bool       // what it does since then does not count
	set     time.Time  // when the time of day was set last
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		t:      t,
		began:  time.Now(),
		random: rand.New(rand.NewPCG(seed, 17)),
		store:  newStore(rand.New(rand.NewPCG(seed, 18))),
		acting: map[uint64]step{},
	}
	for range 24 {
		w.keys = append(w.keys, w.random.Uint64())
	}
	return w
}

// start starts a replica whose clock runs at a rate.
func (w *world) start(identity string, rate float64) *replica {
	w.t.Helper()
	gate := newGate()
	r := &replica{
		world:   w,
		name:    identity,
		clock:   &skewedClock{began: time.Now(), rate: rate, gate: gate},
		network: &network{store: w.store, gate: gate, random: rand.New(rand.NewPCG(w.random.Uint64(), 1))},
		ended:   make(chan error, 1),
	}
	options := w.options
	options.Group, options.Identity = "orders", identity
	var leases Leases = r.network
	if w.wrap != nil {
		leases = w.wrap(r.network)
	}
	member, err := New(leases, options)
	if err != nil {
		w.t.Fatal(err)
	}
	r.member, member.clock = member, r.clock
	ctx, cancel := context.WithCancel(klog.NewContext(w.t.Context(), w.logger))
	r.stop = cancel
	w.mu.Lock()
	w.replicas = append(w.replicas, r)
	w.mu.Unlock()
	go func() { r.ended <- member.Run(ctx) }()
	for i := range 2 {
		go r.work(ctx, rand.New(rand.NewPCG(w.random.Uint64(), uint64(i))))
	}
	return r
}

// work acts on random keys until ctx ends.
func (r *replica) work(ctx context.Context, random *rand.Rand) {
	if len(r.keys) == 0 {
		return
	}
	for ctx.Err() == nil {
		r.clock.gate.pass()
		key := r.keys[random.IntN(len(r.keys))]
		if work, end, ok := r.member.BeginHash(ctx, key); ok {
			r.act(work, key, random)
			end()
		}
		sleep(ctx, time.Duration(random.IntN(300))*time.Millisecond)
	}
}

// act is some work on a key.
func (r *replica) act(ctx context.Context, key uint64, random *rand.Rand) {
	began := time.Now()
	for range 1 + random.IntN(8) {
		r.clock.gate.pass()
		if ctx.Err() != nil {
			return
		}
		r.log(key, began)
		sleep(ctx, time.Duration(random.IntN(400))*time.Millisecond)
	}
}

// log checks that no other replica has acted on the key since this one began.
func (r *replica) log(key uint64, began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return
	}
	last := r.acting[key]
	if last.replica != nil && last.replica != r && last.at.After(began) && time.Now().After(r.uncovered) && began.After(r.uncovered) {
		r.fail("key %016x: %s acted at %v, in the middle of what %s began at %v", key, last.replica.name, r.since(last.at), r.name, r.since(began))
	}
	r.acting[key] = step{replica: r, at: time.Now()}
	r.steps++
}

func (w *world) since(t time.Time) time.Duration { return t.Sub(w.began) }

// fail reports the first failure, with the members and the last writes before it.
func (w *world) fail(format string, args ...any) {
	if w.failed {
		return
	}
	w.failed = true
	w.t.Errorf("at %v: "+format, append([]any{w.since(time.Now())}, args...)...)
	for _, r := range w.replicas {
		s := r.member.Status()
		w.t.Logf("%s at %v: %s, owns %d, renewed %v ago, stopped: %v", r.name, r.clock.rate, s.Phase, s.Owned.Count, time.Since(s.Renewed), r.clock.gate.stopped())
	}
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	for _, write := range w.store.writes[max(0, len(w.store.writes)-*shown):] {
		w.t.Log(write)
	}
}

// watch checks all the time that no key has two owners.
func (w *world) watch(ctx context.Context) {
	for ctx.Err() == nil {
		w.check()
		sleep(ctx, 97*time.Millisecond)
	}
}

// check returns how many keys have an owner.
func (w *world) check() (owned int) {
	w.mu.Lock()
	replicas, keys, uncovered := slices.Clone(w.replicas), w.keys, w.uncovered
	w.mu.Unlock()
	for _, key := range keys {
		var owners []string
		for _, r := range replicas {
			if r.member.OwnsHash(key) {
				owners = append(owners, r.name)
			}
		}
		if len(owners) > 0 {
			owned++
		}
		if len(owners) > 1 && time.Now().After(uncovered) {
			w.mu.Lock()
			w.fail("key %016x has the owners %q", key, owners)
			w.mu.Unlock()
		}
	}
	return owned
}

// kill ends a process at once. It is stopped for ever; what runs of it is let go at the end.
func (r *replica) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dead = true
	r.network.set(partitioned)
	r.replicas = slices.DeleteFunc(slices.Clone(r.replicas), func(other *replica) bool { return other == r })
	if !r.clock.gate.stopped() {
		r.clock.gate.stop()
	}
	r.t.Cleanup(func() { r.bury() })
}

// bury lets the goroutines of a process end that was killed.
func (r *replica) bury() {
	r.stop()
	r.clock.resume()
	<-r.ended
}

// leave stops a replica in good order.
func (r *replica) leave() {
	r.stop()
	if err := <-r.ended; err != nil {
		r.fail("%s: %v", r.name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replicas = slices.DeleteFunc(slices.Clone(r.replicas), func(other *replica) bool { return other == r })
}

// wait waits until every key has an owner, and returns how long it took.
func (w *world) wait(limit time.Duration) time.Duration {
	began := time.Now()
	for w.check() < len(w.keys) {
		if time.Since(began) > limit {
			w.mu.Lock()
			for _, r := range w.replicas {
				w.t.Logf("%s: %+v", r.name, r.member.Status())
			}
			w.fail("%d of %d keys have an owner after %v", w.owned(), len(w.keys), limit)
			w.mu.Unlock()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(began)
}

func (w *world) owned() (owned int) {
	for _, key := range w.keys {
		if slices.ContainsFunc(w.replicas, func(r *replica) bool { return r.member.OwnsHash(key) }) {
			owned++
		}
	}
	return owned
}

// balanced waits until the replicas own equally much.
func (w *world) balanced(limit time.Duration) {
	w.t.Helper()
	began := time.Now()
	for {
		least, most, sum := 1<<30, 0, 0
		for _, r := range w.replicas {
			owned := r.member.Status().Owned.Count
			least, most, sum = min(least, owned), max(most, owned), sum+owned
		}
		if most-least <= 1 && sum > 0 && sum == Slots {
			return
		}
		if time.Since(began) > limit {
			for _, r := range w.replicas {
				w.t.Logf("%s: %+v", r.name, r.member.Status())
			}
			w.t.Errorf("%d replicas do not own equally much after %v", len(w.replicas), limit)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// simulate runs a world in a bubble, and ends everything.
func simulate(t *testing.T, seed uint64, run func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, seed)
		ctx, cancel := context.WithCancel(t.Context())
		watching := make(chan struct{})
		go func() {
			defer close(watching)
			w.watch(ctx)
		}()
		run(w)
		for _, r := range slices.Clone(w.replicas) {
			r.leave()
		}
		cancel()
		<-watching
	})
}

// There are one, then three, then five, then two replicas. Each leaves in good order.
func TestReplicas(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.start("a", 1)
		first := w.wait(20 * time.Second)
		w.start("b", 1)
		w.start("c", 1)
		w.balanced(10 * time.Second)
		w.start("d", 1)
		w.start("e", 1)
		w.balanced(10 * time.Second)
		left := w.replicas[:3]
		for _, r := range slices.Clone(left) {
			r.leave()
			if took := w.wait(2 * time.Second); took > time.Second { // until the next list, or the one after it
				t.Errorf("slots of %s had no owner for %v", r.name, took)
			}
		}
		w.balanced(10 * time.Second)
		t.Logf("first owner after %v", first)
	})
}

// The slots of a replica that was killed have an owner after LeaseDuration plus two seconds,
// whatever the clocks, in groups of up to a hundred.
func TestTakeOver(t *testing.T) {
	rates := [][]float64{{1, 1, 1}, {0.8, 1.2, 1.2}, {1.2, 0.8, 0.8}, {0.8, 0.8, 0.8}, {1.2, 1.2, 1.2}}
	for i, n := range []int{3, 3, 3, 3, 3, 30, 100} {
		if n > 30 && !*large {
			continue
		}
		for seed := range uint64(max(1, 12/n)) {
			simulate(t, seed, func(w *world) {
				var victims []*replica
				for j := range n {
					r := w.start(fmt.Sprintf("r%02d", j), rates[i%5][j%3])
					r.network.set(faults{latency: 20 * time.Millisecond})
					if j%9 == 0 {
						victims = append(victims, r)
					}
				}
				w.wait(40 * time.Second)
				time.Sleep(20*time.Second + time.Duration(w.random.IntN(3000))*time.Millisecond)
				for _, r := range victims {
					r.kill()
				}
				limit := defaultLeaseDuration + 2*time.Second
				if took := w.wait(2 * limit); took > limit {
					t.Errorf("%d of rates %v, seed %d: slots had no owner for %v", n, rates[i%5], seed, took)
				} else if seed == 0 {
					t.Logf("%d of rates %v: taken over after %v", n, rates[i%5], took)
				}
			})
		}
	}
}

// Whatever happens, no key has two owners, and in the end each one has one.
func TestWorlds(t *testing.T) {
	for i := range uint64(*worlds) {
		seed := *seed + i
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			simulate(t, seed, func(w *world) { w.live() })
		})
	}
}

// rate returns a random rate of a clock.
func (w *world) rate() float64 { return 0.8 + 0.4*float64(w.random.IntN(5))/4 }

// live is some minutes with all faults, and a quiet end.
func (w *world) live() {
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, name := range names[:3] {
		w.start(name, w.rate())
	}
	var restore func()
	for range 25 {
		time.Sleep(time.Duration(w.random.IntN(8000)) * time.Millisecond)
		w.event(names, &restore)
	}
	for _, r := range w.replicas {
		r.clock.resume()
		r.network.set(faults{latency: 50 * time.Millisecond})
	}
	if len(w.replicas) == 0 {
		w.start("a", w.rate())
	}
	w.wait(2 * defaultLeaseDuration)
}

// event lets something happen.
func (w *world) event(names []string, restore *func()) {
	random := w.random
	if len(w.replicas) == 0 || len(w.replicas) < 5 && random.IntN(6) == 0 {
		w.start(names[random.IntN(len(names))], w.rate())
		return
	}
	r := w.replicas[random.IntN(len(w.replicas))]
	if r.clock.gate.stopped() {
		r.clock.resume()
		return
	}
	switch random.IntN(22) {
	case 0:
		r.kill()
	case 1:
		r.network.set(faults{latency: 10 * time.Millisecond})
		r.leave()
	case 2, 3:
		r.clock.gate.stop()
	case 4:
		r.network.set(partitioned)
	case 5:
		r.network.set(faults{lostResponse: 1})
	case 6:
		for _, r := range w.replicas { // the API server is down
			r.network.set(partitioned)
		}
	case 7, 8:
		name := w.store.names()
		if len(name) > 0 {
			w.store.deleteAll(func(n string) bool { return n == name[random.IntN(len(name))] })
		}
	case 9:
		part := random.IntN(3)
		w.store.deleteAll(func(string) bool { return part == 0 || random.IntN(3) < part })
	case 10:
		*restore = w.store.backup()
	case 11:
		if *restore != nil {
			(*restore)()
			*restore = nil
			w.mu.Lock()
			w.uncovered = time.Now().Add(uncovered())
			w.mu.Unlock()
		}
	case 12:
		r.network.set([]faults{{noLists: true}, {noWrites: true}, {noCreates: true}}[random.IntN(3)])
	case 13:
		for _, r := range w.replicas {
			r.network.set(faults{latency: 50 * time.Millisecond})
		}
	case 14:
		if time.Since(r.set) > defaultLeaseDuration { // just after its time was set, nothing shows that it was suspended
			r.clock.suspend()
		}
	case 15:
		r.clock.set(time.Duration(random.IntN(7200)-3600) * time.Second)
		r.set = time.Now()
	default:
		r.network.set(faults{
			latency:      time.Duration(1+random.IntN(3000)) * time.Millisecond,
			lostRequest:  random.Float64() / 3,
			lostResponse: random.Float64() / 3,
			delayed:      random.Float64() / 3,
		})
	}
}

// uncovered is for how long two may own a slot after a restore of a backup.
func uncovered() time.Duration { return defaults.ActFor() * 5 / 4 }
