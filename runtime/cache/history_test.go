package cache_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// Whatever the server does, and however handlers and indexes come and go, in the end the store, the indexes
// and each handler's view are the truth. On the way there, a version goes back only if the server sends
// older events again, and no request follows another too soon.
func TestHistories(t *testing.T) {
	if *seed != 0 {
		playRandomHistory(t, *seed)
		return
	}
	for range 60 {
		playRandomHistory(t, rand.Uint64())
	}
}

var seed = flag.Uint64("seed", 0, "the seed of the one history to play; 0 is many random ones")

// playRandomHistory says how to repeat a history that fails. The seed decides what happens,
// and all jitter. An even one repeats the run, see TestHistoryRepeats. With an odd one, the
// order of goroutines counts too: it may have to be played more than once.
func playRandomHistory(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) { playHistory(t, randomScript(seed), seed) })
	if t.Failed() {
		t.Fatalf("repeat it with -run '^TestHistories$' -seed %d", seed)
	}
}

// An even seed repeats a history: its requests come again, at the same times, and meet the same faults. A
// few may differ, more of them on a busy machine, since the order of timers that expire at the same moment
// is not defined. If the jitter were not repeated, all would differ.
func TestHistoryRepeats(t *testing.T) {
	played := func(seed uint64) (all []string) {
		synctest.Test(t, func(t *testing.T) {
			for _, r := range playHistory(t, randomScript(seed), seed).api.Requests() {
				all = append(all, fmt.Sprintln(r.Arrived, r.Verb, r.Options.ResourceVersion, r.Options.Continue, r.Fault, r.Err))
			}
		})
		return all
	}
	var differ []string
	const histories = 10
	for seed := uint64(0); seed < 2*histories; seed += 2 {
		first := played(seed)
		if len(first) == 0 {
			t.Fatalf("seed %d: no requests", seed)
		}
		if diff := cmp.Diff(first, played(seed)); diff != "" {
			differ = append(differ, fmt.Sprintf("seed %d (-first +second):\n%s", seed, diff))
		}
	}
	if len(differ) > histories/2 {
		t.Errorf("%d of %d histories differ; %s", len(differ), histories, differ[0])
	}
}

func randomScript(seed uint64) []byte {
	script := make([]byte, 300)
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range script {
		script[i] = byte(random.Uint32())
	}
	return script
}

func FuzzHistories(f *testing.F) {
	f.Add([]byte("any bytes are a history"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1000 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, 1) })
	})
}

// history is an informer, the API that it follows, and what watches it.
type history struct {
	running
	api *cachetest.API[*thing]
	// vanishes reports whether an absent resource has no objects.
	vanishes bool
	// ordered reports whether the informer has nothing left to do before each step. Then the
	// order of goroutines does not count.
	ordered bool
	// replayed reports whether the server may have sent older events again. Handlers get them.
	replayed bool
	// version is the highest that the status had.
	version  int
	script   []byte
	handlers []handler
	indexes  []string
}

type handler struct {
	*cachetest.Recorder[*thing]
	*cache.Registration
	// earlier counts the events of earlier histories of the server.
	earlier int
}

// playHistory plays a script. The jitter of the informer has a seed.
func playHistory(t *testing.T, script []byte, seed uint64) *history {
	h := &history{script: script, ordered: seed%2 == 0, api: cachetest.NewAPI[*thing]()}
	for i := range h.number(4) {
		must[*thing](t)(h.api.Create(newThing(fmt.Sprint("initial", i))))
	}
	options := cache.Options[*thing]{
		ListWatch: cache.ListWatch{
			AbsentGrace:  []time.Duration{0, -1}[h.number(2)],
			PageSize:     int64(h.number(3)),
			IdleTimeout:  time.Minute,
			WatchTimeout: time.Duration(h.number(3)) * time.Minute,
		},
		DisableWatchList: h.number(2) == 0,
	}
	if h.ordered {
		// Never at the moment at which a server ends a watch or a stall, after whole seconds.
		options.IdleTimeout += time.Millisecond
		options.BookmarkTimeout = 20*time.Second + time.Millisecond
	}
	h.vanishes = options.AbsentGrace >= 0
	informer := cache.New(h.api.Source(), options)
	cache.SeedJitter(informer, seed)
	h.running = running{Informer: informer, t: t}
	h.addHandler()
	h.running = start(t, informer)
	for len(h.script) > 0 {
		h.act(h.number(len(actions)))
		h.checkForward()
	}

	h.letRecover()
	h.check()
	return h
}

// letRecover lets the server work, and waits until the informer has recovered.
func (h *history) letRecover() {
	h.api.ClearFaults()
	h.sleep(5 * time.Minute) // longer than a request is stalled, which may remove the resource then
	h.api.Install()
	h.calm()
}

func (h *history) calm() {
	h.api.ClearFaults()
	h.sleep(15 * time.Minute) // longer than any backoff, timeout or resync period
}

// restart is a server that restarts with a new history, whose versions are lower than
// those that the informer has seen.
func (h *history) restart() {
	h.letRecover()
	h.check()
	backup := h.api.ResourceVersion()
	for range 10 {
		must[*thing](h.t)(h.api.Create(newThing("lost")))
		h.write(h.name())
		must[*thing](h.t)(h.api.Delete(keyOf("lost")))
	}
	h.letRecover()
	if h.number(2) == 0 {
		h.api.Restart()
	} else if err := h.api.Restore(backup); err != nil {
		h.t.Fatal(err)
	}
	h.replayed = true
	h.api.FailRandomly(cachetest.Chaos{Seed: uint64(h.number(256))})
	for range h.number(10) {
		h.write(h.name())
		h.sleep(time.Minute)
	}
	h.letRecover()
	h.version = 0
	for i, handler := range h.handlers {
		h.handlers[i].earlier = len(handler.Events())
	}
	h.check()
}

// write creates an object, or changes it.
func (h *history) write(name string) {
	obj, err := h.api.Get(keyOf(name))
	if err != nil {
		_, _ = h.api.Create(newThing(name))
		return
	}
	obj.Labels = map[string]string{"number": fmt.Sprint(h.number(3))}
	_, _ = h.api.Update(obj)
}

// number takes the next byte of the script as a number below n.
func (h *history) number(n int) int {
	if len(h.script) == 0 {
		return 0
	}
	b := h.script[0]
	h.script = h.script[1:]
	return int(b) % n
}

func (h *history) name() string { return fmt.Sprint("thing", h.number(6)) }

var actions = []func(*history){
	func(h *history) { h.write(h.name()) },
	func(h *history) {
		name := h.name()
		for range h.number(10) {
			h.write(name)
			settle()
		}
	},
	(*history).restart,
	func(h *history) { _, _ = h.api.Delete(keyOf(h.name())) },
	func(h *history) { h.api.Bookmark() },
	func(h *history) { h.api.CloseWatches() },
	func(h *history) { h.api.BreakWatches(h.failure()) },
	func(h *history) { h.api.Compact() },
	func(h *history) { h.api.Uninstall() },
	func(h *history) { h.api.Install() },
	func(h *history) {
		if h.vanishes {
			h.api.Uninstall()
			h.calm()
			h.check()
		}
	},
	func(h *history) { h.api.SetWatchCache(h.number(2) == 0) },
	func(h *history) {
		// A server without watch-lists, or whose watch-lists have no end.
		if n := h.number(3); n > 0 {
			h.api.Fail([]cachetest.Fault{
				{Verb: cachetest.WatchList, Times: -1, Err: cachetest.Status(422)},
				{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true},
			}[n-1])
		}
	},
	func(h *history) {
		h.api.Fail(cachetest.Fault{
			Verb:  []cachetest.Verb{"", cachetest.List, cachetest.Watch}[h.number(3)],
			Page:  h.number(3),
			Times: 1 + h.number(3),
			Delay: time.Duration(h.number(3)) * time.Second,
			After: h.number(3), Opened: h.number(2) == 0,
			Hang: h.number(8) == 0, Err: h.failure(),
		})
	},
	func(h *history) {
		h.replayed = true
		h.api.Fail(cachetest.Fault{
			Verb:    []cachetest.Verb{"", cachetest.List, cachetest.Watch, cachetest.WatchList}[h.number(4)],
			Shuffle: uint64(h.number(3)),
			After:   h.number(5),
			Stall:   time.Duration(h.number(3)) * 50 * time.Second,
			Repeat:  h.number(4), LoseBookmarks: h.number(4) == 0,
			Do: []func(){nil, h.api.Compact, h.api.CloseWatches, h.api.Uninstall, h.api.Install}[h.number(5)],
		})
	},
	func(h *history) {
		h.replayed = true
		h.api.FailRandomly(cachetest.Chaos{Seed: uint64(h.number(256)), Rate: 0.3})
	},
	func(h *history) { h.api.ClearFaults() },
	func(h *history) { settle() },
	func(h *history) { h.sleep(time.Duration(1+h.number(200)) * time.Second) },
	func(h *history) { h.addHandler() },
	func(h *history) {
		if len(h.handlers) > 0 {
			h.handlers[0].Remove()
			h.handlers = h.handlers[1:]
		}
	},
	func(h *history) {
		name := fmt.Sprint("index", len(h.indexes))
		if err := h.AddIndexes(cache.Index[*thing]{Name: name, Value: numberOf}); err != nil {
			h.t.Error(err)
		}
		h.indexes = append(h.indexes, name)
	},
}

func numberOf(obj *thing) string { return obj.Labels["number"] }

func (h *history) act(n int) {
	actions[n](h)
	h.sleep(0)
}

func (h *history) sleep(d time.Duration) {
	time.Sleep(d)
	if h.ordered {
		settle()
	}
}

func (h *history) failure() error {
	return []error{
		cachetest.Status(403), cachetest.Status(404), cachetest.Status(410), cachetest.StatusRetryAfter(429, 3),
		cachetest.Status(500), cachetest.Status(503), cachetest.ErrConnectionRefused, cachetest.ErrConnectionReset,
		cachetest.ErrTruncated, cachetest.ErrGarbled,
	}[h.number(10)]
}

func (h *history) addHandler() {
	options := cache.HandlerOptions{
		Resync:    []time.Duration{-1, 0, time.Minute}[h.number(3)],
		Unchanged: h.number(2) == 0,
	}
	if options.Coalesce = h.number(2) == 0; options.Coalesce {
		options.Limit = 1 + h.number(3)
	}
	recorder := &cachetest.Recorder[*thing]{}
	registration, err := h.AddHandler(slow{recorder, time.Duration(h.number(4)) * time.Second}, options)
	if err != nil {
		h.t.Fatal(err)
	}
	h.handlers = append(h.handlers, handler{Recorder: recorder, Registration: registration})
}

// slow is a recorder that waits before each event.
type slow struct {
	*cachetest.Recorder[*thing]
	delay time.Duration
}

func (s slow) OnAdd(obj *thing, initial bool) { time.Sleep(s.delay); s.Recorder.OnAdd(obj, initial) }

func (s slow) OnUpdate(old, obj *thing) { time.Sleep(s.delay); s.Recorder.OnUpdate(old, obj) }

func (s slow) OnDelete(last *thing, unseen bool) {
	time.Sleep(s.delay)
	s.Recorder.OnDelete(last, unseen)
}

// check compares everything with the objects of the API.
func (h *history) check() {
	h.t.Helper()
	truth := states(slices.Values(h.api.Objects()))
	equal := func(what string, want, got []string) {
		h.t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			h.t.Errorf("%s (-truth +got):\n%s\n%v", what, diff, h.Status())
		}
	}
	equal("store", truth, states(h.Store().All()))
	for _, name := range h.indexes {
		for number := range 3 {
			value := fmt.Sprint(number)
			var want []string
			for _, obj := range h.api.Objects() {
				if numberOf(obj) == value {
					want = append(want, state(obj))
				}
			}
			slices.Sort(want)
			found := must[[]*thing](h.t)(h.Store().ByIndex(name, value))
			equal(name+"="+value, want, states(slices.Values(found)))
		}
	}
	for _, handler := range h.handlers {
		equal("handler", truth, states(maps.Values(handler.View())))
		if err := handler.Recorder.Err(); err != nil {
			h.t.Error(err)
		}
		if !h.replayed {
			h.checkOrder(handler.Events()[handler.earlier:])
		}
	}
	h.checkRate()
}

// checkForward compares the status with the status before.
func (h *history) checkForward() {
	h.t.Helper()
	text := h.Status().ResourceVersion
	if text == "" {
		return
	}
	now := versionOf(h.t, text)
	if now < h.version {
		h.t.Errorf("resourceVersion %d after %d", now, h.version)
	}
	h.version = now
}

// checkOrder looks at the versions of each object in the order of its events.
func (h *history) checkOrder(events []cachetest.Event[*thing]) {
	h.t.Helper()
	last := map[string]int{}
	for _, e := range events {
		now := versionOf(h.t, e.Object.ResourceVersion)
		if before := last[e.Key.Name]; now < before {
			h.t.Errorf("%s of %s at %d after %d", e.Type, e.Key.Name, now, before)
		}
		last[e.Key.Name] = now
	}
}

// checkRate counts the requests of each second, but for further pages.
func (h *history) checkRate() {
	h.t.Helper()
	var second []time.Time
	for _, request := range h.api.Requests() {
		if request.Options.Continue != "" {
			continue
		}
		second = slices.DeleteFunc(second, func(t time.Time) bool { return request.Arrived.Sub(t) >= time.Second })
		if second = append(second, request.Arrived); len(second) > 10 {
			h.t.Fatalf("%d requests in a second", len(second))
		}
	}
}

func versionOf(t *testing.T, resourceVersion string) int {
	t.Helper()
	return must[int](t)(strconv.Atoi(resourceVersion))
}

func state(obj *thing) string { return obj.Name + "@" + obj.ResourceVersion + "=" + numberOf(obj) }

func states(objects func(func(*thing) bool)) []string {
	var all []string
	for obj := range objects {
		all = append(all, state(obj))
	}
	slices.Sort(all)
	return all
}
