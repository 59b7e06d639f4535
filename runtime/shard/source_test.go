package shard_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// equal is one of n equal shards.
func equal(t *testing.T, i, n int) shard.Ranges {
	t.Helper()
	return must[shard.Ranges](t)(shard.Of(i, n))
}

// withUID gives an object a UID like a server's, whose hashes spread evenly. cachetest's UIDs are short.
func withUID(obj *thing) *thing {
	obj.UID = types.UID(fmt.Sprintf("%016x-%s", uids.Add(1)*0x9e3779b97f4a7c15, "4f6bd1b9-6b1a-4d4c"))
	return obj
}

var uids atomic.Uint64

// things returns an API with n objects.
func things(t *testing.T, n int) *cachetest.API[*thing] {
	api := cachetest.NewAPI[*thing]()
	for i := range n {
		must[*thing](t)(api.Create(withUID(newThing(fmt.Sprint(i)))))
	}
	return api
}

// of returns the names of the objects of an API that a shard has, sorted.
func of(api *cachetest.API[*thing], s *shard.Shard) []string {
	var all []string
	for _, obj := range api.Objects() {
		if s.Has(obj) {
			all = append(all, obj.Name)
		}
	}
	slices.Sort(all)
	return all
}

// An informer of a shard has the same objects whether the server filters or not, and says
// who does.
func TestShard(t *testing.T) {
	for _, filters := range []bool{true, false} {
		t.Run(fmt.Sprintf("server filters %v", filters), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := things(t, 100)
				api.FilterShards(filters)
				mine := shard.New(shard.UID, equal(t, 1, 3))
				r := run(t, api.Source(), mine, cache.Options[*thing]{})
				seen := r.handle(cache.HandlerOptions{})
				settle()
				want := of(api, mine)
				expect(t, "objects of the shard", want, sorted(t, r.Informer, seen))
				if len(want) < 20 || len(want) > 45 {
					t.Fatalf("%d of 100 objects are in a third", len(want))
				}
				by := map[bool]string{true: "server", false: "client"}[filters && hasShardSelector]
				if got := mine.FilteredBy(schema.GroupVersionResource{}); got != by || !r.Status().Synced {
					t.Errorf("filtered by %q, status: %v", got, r.Status())
				}
				for i := range 50 {
					touch(t, api, fmt.Sprint(i))
				}
				must[*thing](t)(api.Create(withUID(newThing("new"))))
				settle()
				expect(t, "objects after changes", of(api, mine), sorted(t, r.Informer, seen))
				for _, e := range seen.Events() {
					if !mine.Has(e.Object) {
						t.Errorf("%v of an object of another shard", e)
					}
				}
			})
		})
	}
}

// What a shard loses is released, what it gains is added, and what stays has no event.
func TestShardChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 60)
		api.FilterShards(true)
		mine := shard.New(shard.UID, equal(t, 0, 2))
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		var why cause.Cause
		var released, deleted []string
		must[*cache.Registration](t)(r.AddHandler(cache.HandlerFuncs[*thing]{
			Release: func(last *thing) {
				if released = append(released, last.Name); why.Kind != cause.Released {
					t.Errorf("%s is released because of %v", last.Name, why)
				}
			},
			Delete: func(last *thing, _ bool) { deleted = append(deleted, last.Name) },
		}, cache.HandlerOptions{Cause: &why}))
		var batched []string
		must[*cache.Registration](t)(r.AddHandler(cache.InBatches(func(events []cache.Event[*thing]) {
			for _, e := range events {
				if e.Type == cache.Released {
					batched = append(batched, e.Object.Name)
				}
			}
		}), cache.HandlerOptions{}))
		settle()
		before := sorted(t, r.Informer, seen)
		had := len(seen.Events())

		mine.Set(equal(t, 1, 4).Union(equal(t, 2, 4)))
		settle()
		after := sorted(t, r.Informer, seen)
		expect(t, "objects of the shard", of(api, mine), after)
		var lost, gained, told []string
		for _, name := range before {
			if !slices.Contains(after, name) {
				lost = append(lost, name)
			}
		}
		for _, name := range after {
			if !slices.Contains(before, name) {
				gained = append(gained, name)
			}
		}
		for _, e := range seen.Events()[had:] {
			told = append(told, string(e.Type)+" "+e.Key.Name)
		}
		var want []string
		for _, name := range lost {
			want = append(want, "release "+name)
		}
		for _, name := range gained {
			want = append(want, "add "+name)
		}
		slices.Sort(want)
		slices.Sort(told)
		expect(t, "what was told", want, told)
		slices.Sort(released)
		slices.Sort(batched)
		expect(t, "what was released", lost, released)
		expect(t, "what was released in batches", lost, batched)
		if len(deleted) > 0 {
			t.Errorf("%q count as deleted", deleted)
		}
	})
}

// However often a shard changes, it has one watch, which asks for the objects of the shard only.
// Each change is one list.
func TestShardChangesOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 50)
		api.FilterShards(true)
		mine := shard.New(shard.UID, equal(t, 0, 16))
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		for i := range 16 {
			mine.Set(equal(t, i, 16).Union(equal(t, (i+7)%16, 16)).Union(equal(t, i/2, 8)))
			touch(t, api, fmt.Sprint(i))
			time.Sleep(time.Second)
		}
		lists := func() (n int) {
			for _, request := range api.Requests() {
				if request.Verb == cachetest.List || request.Options.SendInitialEvents != nil {
					n++
				}
			}
			api.ResetRequests()
			return n
		}
		time.Sleep(time.Minute)
		lists()
		for _, ranges := range []shard.Ranges{equal(t, 0, 2), equal(t, 0, 4), equal(t, 0, 8), equal(t, 0, 4)} {
			mine.Set(ranges)
			time.Sleep(time.Minute)
			touch(t, api, "1")
			settle()
			expect(t, "objects of the shard", of(api, mine), sorted(t, r.Informer, seen))
			if n := lists(); n != 1 {
				t.Errorf("%d lists for %v", n, ranges)
			}
			if watches := api.Watches(); watches != 1 {
				t.Errorf("%d watches", watches)
			}
		}
	})
}

// A shard leaves out only objects of its own, also when it has lost hashes, and does not list again and
// again because of them.
func TestShardLeavesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 32)
		mine := shard.New(shard.UID, shard.All())
		r := run(t, api.Source(), mine, cache.Options[*thing]{Transform: func(*thing) (*thing, error) { return nil, errors.New("no good") }})
		for _, ranges := range []shard.Ranges{shard.All(), equal(t, 0, 2), equal(t, 0, 8), equal(t, 0, 4)} {
			mine.Set(ranges)
			time.Sleep(time.Minute)
			if left, want := r.Status().LeftOut, len(of(api, mine)); left != want {
				t.Errorf("%d objects of %v are left out, want %d", left, ranges, want)
			}
		}
		if n := r.Status().Lists.Succeeded + r.Status().WatchLists.Succeeded; n > 4 {
			t.Errorf("%d lists", n)
		}
	})
}

// An object that a function moves out of the shard is released, and one that it moves in is
// added.
func TestShardByFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		team := shard.ByFunc("team", func(o metav1.Object) string { return o.GetLabels()["team"] })
		api := cachetest.NewAPI[*thing]()
		owned := func(name, team string) *thing {
			obj := newThing(name)
			obj.Labels = labels.Set{"team": team}
			return obj
		}
		mine := shard.New(team, nil)
		red := shard.Hash("red")
		mine.Set(shard.Ranges{{First: red, Last: red}})
		for name, team := range map[string]string{"a": "red", "b": "blue"} {
			must[*thing](t)(api.Create(owned(name, team)))
		}
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		settle()
		expect(t, "the red ones", []string{"a"}, sorted(t, r.Informer, seen))
		must[*thing](t)(api.Update(owned("a", "blue")))
		must[*thing](t)(api.Update(owned("b", "red")))
		settle()
		expect(t, "the red ones", []string{"b"}, sorted(t, r.Informer, seen))
		expect(t, "events", []string{"add a", "release a", "add b"}, typesAndNames(seen))
		if watches := api.Watches(); watches != 1 {
			t.Errorf("%d watches", watches)
		}
		if filter := mine.FilteredBy(schema.GroupVersionResource{}); filter != "client" {
			t.Errorf("filtered by %q", filter)
		}
	})
}

func TestEmptyShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 3)
		mine := shard.New(shard.UID, nil)
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		if err := r.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, w := r.Store().Len(), api.Watches(); n+w != 0 {
			t.Errorf("%d objects and %d watches of nothing", n, w)
		}
		first := must[*thing](t)(api.Get(keyOf("0")))
		if err := r.WaitForWrite(t.Context(), first); err == nil || !strings.Contains(err.Error(), "object ns/0 is not of the shard") {
			t.Errorf("wait for an object of another shard: %v", err)
		}
		mine.Set(shard.All())
		if settle(); r.Store().Len() != 3 {
			t.Errorf("%d objects of all", r.Store().Len())
		}
		if err := r.WaitForWrite(t.Context(), touch(t, api, "0")); err != nil {
			t.Error(err)
		}
		mine.Set(nil)
		if settle(); r.Store().Len()+api.Watches() != 0 {
			t.Errorf("%d objects and %d watches of nothing", r.Store().Len(), api.Watches())
		}
	})
}

// The objects, the ranges of a shard, the filters of the server and its answers change at random. In the
// end the store has the objects of the shard, and so has the handler.
func TestRandomShards(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomShards(t, rand.New(rand.NewPCG(seed, 2)), seed) })
		})
	}
}

func randomShards(t *testing.T, random *rand.Rand, seed uint64) {
	some := func() shard.Ranges {
		var ranges shard.Ranges
		for range random.IntN(4) {
			first := random.Uint64()
			ranges = ranges.Union(shard.Ranges{{First: first, Last: first + random.Uint64N(min(math.MaxUint64-first, 1<<62)+1)}})
		}
		return ranges
	}
	by := []shard.By{shard.UID, shard.Namespace, shard.ByFunc("label", func(o metav1.Object) string { return o.GetLabels()["l"] })}[random.IntN(3)]
	object := func() *thing {
		obj := &thing{}
		obj.Namespace, obj.Name = fmt.Sprintf("ns-%d", random.IntN(4)), fmt.Sprint(random.IntN(5))
		obj.Labels = map[string]string{"l": fmt.Sprint(random.IntN(6)), "n": fmt.Sprint(random.Int())}
		return obj
	}
	create := func(obj *thing) *thing {
		obj.UID = types.UID(fmt.Sprintf("%016x-%016x", random.Uint64(), random.Uint64()))
		return obj
	}
	api := cachetest.NewAPI[*thing]()
	for range random.IntN(20) {
		_, _ = api.Create(create(object()))
	}
	api.FilterShards(random.IntN(2) == 0)
	mine := shard.New(by, some())
	server := api.Source()
	if random.IntN(4) == 0 {
		server = cache.Source[*thing]{Objects: incomparable{api}}
	}
	options := cache.Options[*thing]{DisableWatchList: random.IntN(2) == 0}
	leavesOut := func(*thing) bool { return false }
	if random.IntN(3) == 0 {
		leavesOut = func(obj *thing) bool { return strings.HasSuffix(obj.Labels["n"], "7") }
		options.Transform = func(obj *thing) (*thing, error) {
			if leavesOut(obj) {
				return nil, nil
			}
			return obj, nil
		}
	}
	early := api.ResourceVersion()
	r := run(t, server, mine, options)
	seen := r.handle(cache.HandlerOptions{})
	merged := r.handle(cache.HandlerOptions{Coalesce: true, Limit: 2})
	if random.IntN(2) == 0 {
		api.FailRandomly(cachetest.Chaos{Seed: seed, Rate: 0.3, MaxDelay: time.Second})
	}
	for range 120 {
		obj := object()
		key := types.NamespacedName{Namespace: obj.Namespace, Name: obj.Name}
		switch random.IntN(13) {
		case 12:
			if random.IntN(10) > 0 {
				early = api.ResourceVersion()
			} else if err := api.Restore(early); err == nil {
				time.Sleep(20 * time.Minute) // a version that is reached again before it is noticed tells nothing
			}
		case 0, 1:
			mine.Set(some())
		case 2:
			ranges, _ := mine.Ranges()
			mine.Set(ranges.Union(some()))
		case 3, 4:
			_, _ = api.Delete(key)
		case 5:
			api.BreakWatches(errors.New("cut"))
		case 6:
			api.FilterShards(random.IntN(2) == 0)
		case 7:
			if random.IntN(3) == 0 {
				api.Compact()
				api.CloseWatches()
			}
			api.Bookmark()
		case 8:
			time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
		case 9:
			_, _ = api.Delete(key)
			_, _ = api.Create(create(obj))
		default:
			if _, err := api.Update(obj); err != nil {
				_, _ = api.Create(create(obj))
			}
		}
	}
	api.ClearFaults()
	time.Sleep(10 * time.Minute)
	var want []string
	for _, obj := range api.Objects() {
		if mine.Has(obj) && !leavesOut(obj) {
			want = append(want, obj.Namespace+"/"+obj.Name+" "+obj.ResourceVersion)
		}
	}
	var stored []string
	for obj := range r.Store().All() {
		stored = append(stored, obj.Namespace+"/"+obj.Name+" "+obj.ResourceVersion)
	}
	slices.Sort(want)
	slices.Sort(stored)
	expect(t, "objects of the shard", want, stored)
	for _, recorder := range []*cachetest.Recorder[*thing]{seen, merged} {
		sorted(t, r.Informer, recorder)
		for key, obj := range recorder.View() {
			if have, _ := r.Store().Get(key); have != obj {
				t.Errorf("%v: the handler has another state than the store", key)
			}
		}
	}
	if ranges, _ := mine.Ranges(); api.Watches() > 1 || len(ranges) == 0 && api.Watches() > 0 {
		t.Errorf("%d watches", api.Watches())
	}
}

// incomparable is an API whose versions can't be compared.
type incomparable struct{ *cachetest.API[*thing] }

func (incomparable) Describe() cache.SourceInfo { return cache.SourceInfo{NoWatchList: true} }
