package controller_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

var (
	firstSeed = flag.Uint64("seed", 0, "the first random script of own writes to play")
	runs      = flag.Int("runs", 12, "how many random scripts of own writes to play")
	duration  = flag.Duration("for", 0, "play random scripts of own writes for this long instead")
)

// Namespaces, shards, watches, responses and the server's history change at random. No reconcile acts on a state
// from before an own write, unless the documentation says so. No write holds its key for longer than a minute.
// Confirm returns what the server has, and in the end the controller has seen the server's state.
func TestRandomOwnWrites(t *testing.T) {
	klog.SetLogger(klog.Logger{}) // which says nothing
	defer klog.ClearLogger()
	began := time.Now()
	for seed := *firstSeed; *duration > 0 && time.Since(began) < *duration || *duration == 0 && seed < *firstSeed+uint64(*runs); seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			all := make([]int, scriptSteps)
			for i := range all {
				all[i] = i
			}
			s := playWrites(t, seed, all)
			if len(s.wrong) == 0 {
				return
			}
			short := shortenSteps(all, func(steps []int) bool {
				again := playWrites(t, seed, steps)
				if len(again.wrong) > 0 {
					s = again
				}
				return len(again.wrong) > 0
			})
			t.Errorf("%s\nrepeat it with -run TestRandomOwnWrites -seed %d -runs 1; in short, with the steps %v:\n%s",
				strings.Join(s.wrong, "\n"), seed, short, strings.Join(s.log, "\n"))
		})
	}
}

const scriptSteps = 120

// shortenSteps leaves out steps without which a script fails as well. It gives up after a while.
func shortenSteps(steps []int, fails func([]int) bool) []int {
	end := time.Now().Add(20 * time.Second)
	for n := len(steps) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(steps) && time.Now().Before(end); {
			if fewer := slices.Delete(slices.Clone(steps), i, i+n); fails(fewer) {
				steps = fewer
			} else {
				i += n
			}
		}
	}
	return steps
}

var (
	teams   = []string{"a", "b", "c"}
	allKeys = func() (all []key) {
		for _, team := range teams {
			for i := range 2 {
				all = append(all, key{Namespace: team, Name: fmt.Sprint(i)})
			}
		}
		return all
	}()
)

// ownWrites is a script of what happens around a controller that writes.
type ownWrites struct {
	*observed
	seed     uint64
	began    time.Time
	backup   string
	client   *source.Client
	plain    *corev1client.CoreV1Client
	informer *cache.Informer[configMap]
	// restores is set for a script in which etcd is restored.
	restores bool

	mu         sync.Mutex
	reconciles map[key]*reconciled
	stamps     int
	// quiet is set while reconciles write nothing, and ending when they wait for the next event.
	quiet, ending bool
	// peace is when the informer had recovered from the last disturbance; zero before.
	peace      time.Time
	log, wrong []string
}

// reconciled says what is known of the reconciles of a key.
type reconciled struct {
	number  int
	running bool
	ended   time.Time
	// writes were made by the last one, which saw the object as seen.
	writes []*ownWrite
	seen   state
}

func playWrites(t *testing.T, seed uint64, steps []int) (s *ownWrites) {
	synctest.Test(t, func(t *testing.T) {
		s = newOwnWrites(t, seed)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.must(s.informer.Run(ctx)) })
		s.must(s.informer.WaitForSync(ctx))
		c := s.control(ctx, &running)
		for _, i := range steps {
			s.step(rand.New(rand.NewPCG(seed, uint64(i))))
		}
		s.settle(c)
		stop()
		running.Wait()
		time.Sleep(2 * time.Minute) // for what Writes has noted
	})
	return s
}

func newOwnWrites(t *testing.T, seed uint64) *ownWrites {
	random := rand.New(rand.NewPCG(seed, math.MaxUint64))
	server := cachetest.NewServer()
	s := &ownWrites{seed: seed, began: time.Now(), restores: random.IntN(2) == 0, reconciles: map[key]*reconciled{}, observed: &observed{
		server: server, api: cachetest.ServeObjects[configMap](server, configMaps), random: random, late: lateBy,
		states: map[key][]state{}, settled: map[string]time.Time{}, refusals: map[string]int{}, namespaces: source.NewNamespaces(teams...),
	}}
	for _, team := range teams {
		s.settled[team] = unknown
	}
	s.change(func() {}, allKeys...)
	s.backup = s.api.ResourceVersion()
	config := &rest.Config{Host: "http://cachetest", Transport: s.observed, QPS: -1}
	s.plain = corev1client.NewForConfigOrDie(config)
	var err error
	if s.client, err = source.NewClient(config); err != nil {
		t.Fatal(err)
	}
	all := source.InNamespaces(s.namespaces, func(namespace string) cache.Source[configMap] {
		return source.New[configMap](s.client, configMaps, namespace)
	})
	if random.IntN(3) == 0 {
		s.ranges = []shard.Ranges{shard.All()}
		s.mine = shard.New(shard.UID, s.ranges[0])
		s.api.FilterShards(random.IntN(2) == 0)
		all = shard.Source(all, s.mine)
	}
	s.informer = cache.New(all, cache.Options[configMap]{Transform: transform, ListWatch: cache.ListWatch{DisableWatchList: random.IntN(3) > 0}})
	return s
}

// transform refuses some objects, and blanks the metadata of others. It keeps the state for the oracle.
func transform(obj configMap) (configMap, error) {
	obj.Data = maps.Clone(obj.Data)
	obj.Data["uid"], obj.Data["version"] = string(obj.UID), obj.ResourceVersion
	switch obj.Labels["transform"] {
	case "refuse":
		return nil, errors.New("refused")
	case "blank":
		obj.UID, obj.ResourceVersion, obj.DeletionTimestamp = "", "", nil
	case "early":
		obj.ResourceVersion = "1"
	}
	return obj, nil
}

// stored returns the state of an object in the store.
func (s *ownWrites) stored(k key) state {
	obj, exists := s.informer.Store().Get(k)
	if !exists {
		return state{}
	}
	return state{uid: types.UID(obj.Data["uid"]), version: obj.Data["version"], stamp: obj.Data["stamp"]}
}

func (s *ownWrites) logf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%9.3f ", time.Since(s.began).Seconds())+fmt.Sprintf(format, args...))
}

func (s *ownWrites) errorf(format string, args ...any) {
	s.logf("WRONG: "+format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, s.log[len(s.log)-1])
}

func (s *ownWrites) must(err error) {
	if err != nil {
		s.errorf("%v", err)
	}
}

// control runs a Controller, or reconciles all keys that Writes calls ready; then it returns nil.
func (s *ownWrites) control(ctx context.Context, running *sync.WaitGroup) *controller.Controller {
	if s.seed%3 == 0 {
		writes, err := controller.NewWrites(s.informer.Untyped())
		s.must(err)
		for _, k := range allKeys {
			running.Go(func() {
				for ctx.Err() == nil {
					if writes.Ready(k) {
						_ = s.reconcile(writes.Context(ctx, k), k, noter{writes, k})
					}
					time.Sleep(max(s.interval()/3, time.Second))
				}
			})
		}
		return nil
	}
	c, err := controller.New("writer", func(ctx context.Context, k key) (result controller.Result, err error) {
		err = s.reconcile(ctx, k, &result)
		result.After = s.interval()
		return result, err
	}, controller.Options{
		Workers:     len(allKeys),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[key](time.Second, 5*time.Second),
	}, controller.KeysOf(s.informer))
	s.must(err)
	c.Enqueue(allKeys...)
	running.Go(func() { s.must(c.Run(ctx)) })
	return c
}

// interval is the time between two reconciles of a key without an event; zero if there is no such reconcile.
func (s *ownWrites) interval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ending:
		return 0
	case s.quiet:
		return time.Minute
	default:
		return 3 * time.Second
	}
}

const (
	// longestHold is for how long an own write may hold its key, and what else may pass until the next reconcile.
	longestHold = time.Minute + 25*time.Second
	// longestPeacefulHold is longestHold in peace: events are late, and nothing but writes fails.
	longestPeacefulHold = 40 * time.Second
)

// begin checks what a reconcile is about to see, and returns the number of the reconcile.
func (s *ownWrites) begin(k key) (number int, quiet bool) {
	s.mu.Lock()
	r := s.reconciles[k]
	if r == nil {
		r = &reconciled{}
		s.reconciles[k] = r
	}
	twice, writes, held, limit := r.running, r.writes, time.Since(r.ended), longestHold
	if !s.peace.IsZero() && !s.quiet && r.ended.After(s.peace) && s.allSettled() {
		limit = longestPeacefulHold
	}
	if r.ended.IsZero() || s.ending {
		held = 0
	}
	seen := s.stored(k)
	r.running, r.writes, r.seen = true, nil, seen
	r.number++
	number, quiet = r.number, s.quiet
	s.mu.Unlock()
	s.logf("%v: reconcile %d sees %v", k, number, seen)
	switch {
	case twice:
		s.errorf("%v: two reconciles at the same time", k)
	case held > limit:
		s.errorf("%v: was held for %v", k, held)
	}
	for _, w := range writes {
		stored := s.stored(w.object)
		if since := s.since(w.object, w.state); time.Since(w.at) < time.Minute && s.awaited(w) && !slices.Contains(since, stored) {
			s.errorf("%v: reconciled with %v of %v, after a %s at %v: %v", k, stored, w.object, w.call, w.at.Sub(s.began), since)
		}
	}
	return number, quiet
}

func (s *ownWrites) end(k key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reconciles[k]
	r.running, r.ended = false, time.Now()
}

// reconcile writes some objects at random. Which ones depends on the number of the reconcile.
func (s *ownWrites) reconcile(ctx context.Context, k key, notes notes) (err error) {
	number, quiet := s.begin(k)
	defer s.end(k)
	hash := shard.Hash(fmt.Sprint(k, number))
	for random := rand.New(rand.NewPCG(s.seed, hash)); !quiet && random.IntN(2) == 0; {
		a := act{ownWrites: s, reconciled: k, object: k, random: random, notes: notes}
		if random.IntN(3) == 0 {
			a.object = allKeys[random.IntN(len(allKeys))]
		}
		a.writer = configMapResource.Client(s.client, a.object.Namespace)
		if a.isPlain = random.IntN(4) == 0; a.isPlain {
			a.writer = s.plain.ConfigMaps(a.object.Namespace)
		}
		if random.IntN(10) == 0 {
			limited, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(600))*time.Millisecond)
			err = a.do(limited)
			cancel()
		} else {
			err = a.do(ctx)
		}
	}
	return err
}

// step disturbs the informer or the server, and waits.
func (s *ownWrites) step(random *rand.Rand) {
	k := allKeys[random.IntN(len(allKeys))]
	switch random.IntN(12) {
	case 0:
		s.setNamespaces(slices.DeleteFunc(slices.Clone(teams), func(string) bool { return random.IntN(4) == 0 })...)
	case 1:
		s.setRanges(random)
	case 2, 3, 4:
		s.disturb(random, k)
	case 5:
		s.logf("watches break")
		s.change(func() {
			s.unsettle(func(_ string, settled bool) bool { return !settled })
			s.api.BreakWatches(errors.New("cut"))
		})
	case 6:
		s.logf("compaction")
		s.change(func() {
			s.unsettle(func(_ string, settled bool) bool { return !settled })
			s.api.Compact()
			s.api.CloseWatches()
			s.backup = s.api.ResourceVersion()
		})
	case 7, 8:
		code := []int{403, 403, 500, 429}[random.IntN(4)]
		times := 1 + random.IntN(8)
		s.logf("%d responses %d in namespace %s", times, code, k.Namespace)
		s.api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == k.Namespace }, Times: times, Err: cachetest.Status(code)})
	case 9:
		s.restore(random)
	case 10:
		s.api.Bookmark()
	}
	time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
}

func (s *ownWrites) setNamespaces(names ...string) {
	s.logf("namespaces %v", names)
	s.change(func() {
		former := s.namespaces.Names()
		s.unsettle(func(namespace string, _ bool) bool {
			return !slices.Contains(former, namespace) || !slices.Contains(names, namespace)
		})
		s.namespaces.Set(names...)
	})
}

func (s *ownWrites) setRanges(random *rand.Rand) {
	if s.mine == nil {
		return
	}
	first := random.Uint64N(math.MaxUint64 / 4)
	ranges := shard.Ranges{{First: first, Last: first + 3*(math.MaxUint64/4)}}
	s.logf("ranges %v", ranges)
	s.change(func() {
		s.ranges = append(s.ranges, ranges)
		s.mine.Set(ranges)
	})
}

// disturb changes an object from outside.
func (s *ownWrites) disturb(random *rand.Rand, k key) {
	a := act{ownWrites: s, object: k, random: random}
	created := a.newObject()
	what := random.IntN(3)
	s.logf("%v: change %d from outside", k, what)
	if what < 2 {
		s.change(func() { _, _ = s.api.Delete(k) }, k)
	}
	if what == 0 {
		return
	}
	s.change(func() {
		obj, err := s.api.Get(k)
		if err != nil {
			_, _ = s.api.Create(created)
			return
		}
		obj.Labels, obj.Data = created.Labels, created.Data
		_, _ = s.api.Update(obj)
	}, k)
}

// restore takes the server back. Until the server is as far again as it was, the informer can see it, sooner or
// later in each namespace: meanwhile nothing is written.
func (s *ownWrites) restore(random *rand.Rand) {
	if !s.restores || random.IntN(2) == 0 {
		return
	}
	s.setQuiet(true)
	time.Sleep(time.Duration(random.IntN(20)) * time.Second)
	s.logf("restore to %s from %s", s.backup, s.api.ResourceVersion())
	s.change(func() {
		s.unsettle(func(string, bool) bool { return true })
		s.must(s.api.Restore(s.backup))
	}, allKeys...)
	time.Sleep(time.Duration(random.IntN(15)) * time.Minute)
	s.setQuiet(false)
}

func (s *ownWrites) setQuiet(quiet bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quiet = quiet
}

// lastSeen returns what the last reconcile of a key has seen.
func (s *ownWrites) lastSeen(k key) state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reconciles[k].seen
}

// relist makes the informer list each namespace again.
func (s *ownWrites) relist() {
	for _, team := range teams {
		expired := cachetest.Fault{Verb: cachetest.Watch, If: func(r cachetest.Request) bool { return r.Namespace == team }, Err: cachetest.Status(410)}
		s.api.Fail(expired)
	}
	s.api.CloseWatches()
}

// settle ends all disturbances, and checks what the store and the controller make of the server's state.
func (s *ownWrites) settle(c *controller.Controller) {
	s.logf("peace")
	s.change(func() { s.late = lateInPeace })
	s.api.ClearFaults()
	s.relist()
	time.Sleep(2 * time.Minute)
	s.mu.Lock()
	s.peace = time.Now()
	s.mu.Unlock()
	time.Sleep(2 * time.Minute)
	s.setQuiet(true)
	s.change(func() { s.calm = true })
	s.api.ClearFaults()
	s.setNamespaces(teams...)
	time.Sleep(time.Minute)
	// The informer may not have seen that the server's history has restarted.
	s.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: -1, Err: cachetest.Status(500)})
	s.api.CloseWatches()
	time.Sleep(time.Second)
	for i := range allKeys {
		s.disturb(rand.New(rand.NewPCG(s.seed, uint64(i))), allKeys[i])
	}
	s.api.Compact()
	s.api.ClearFaults()
	if c != nil {
		c.Enqueue(allKeys...)
	}
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	for range 5 {
		time.Sleep(time.Minute)
		s.api.Bookmark()
	}
	for _, k := range allKeys {
		obj, err := s.api.Get(k)
		want, stored := stateOf(obj, err), s.stored(k)
		if s.mine != nil && err == nil && !s.mine.Has(obj) {
			want = state{}
		}
		if seen := s.lastSeen(k); !want.refused && stored != want || seen != stored {
			s.errorf("%v: in the end, the server has %v, the store %v, and the last reconcile saw %v; %v", k, want, stored, seen, s.informer.Status())
		}
	}
	if c != nil {
		if status := c.Status(); len(status.OverdueWrites)+status.AwaitingWrites+len(status.Running) > 0 {
			s.errorf("in the end: %+v", status)
		}
	}
}
