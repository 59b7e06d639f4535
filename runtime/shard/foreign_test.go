package shard_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// halves returns an API with objects, a shard of half of the hashes, and the names of an object in the shard and of another one.
func halves(t *testing.T) (api *cachetest.API[*thing], mine *shard.Shard, own, foreign string) {
	api = things(t, 8)
	mine = shard.New(shard.UID, equal(t, 0, 2))
	for _, obj := range api.Objects() {
		if mine.Has(obj) {
			own = obj.Name
		} else {
			foreign = obj.Name
		}
	}
	return api, mine, own, foreign
}

// Waits for an object of another shard are errors, also if the shard loses the object meanwhile. Confirm reads it.
func TestForeignObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, mine, own, foreign := halves(t)
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		settle()
		if err := r.WaitForWrite(t.Context(), touch(t, api, own)); err != nil {
			t.Error(err)
		}
		isForeign := func(what string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), "is not of the shard that the informer follows, by UID") {
				t.Errorf("%s: %v", what, err)
			}
		}
		written := touch(t, api, foreign)
		isForeign("write", r.WaitForWrite(t.Context(), written))
		isForeign("deletion", r.WaitForDeletion(t.Context(), written))
		written.ResourceVersion = ""
		isForeign("deletion of a known object", r.WaitForDeletion(t.Context(), written))
		obj, exists, err := r.Confirm(t.Context(), keyOf(foreign))
		if err != nil || !exists || obj.Name != foreign {
			t.Errorf("confirmed %v, %v, %v", obj, exists, err)
		}

		api.Fail(cachetest.Fault{Times: -1, Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused})
		api.CloseWatches()
		waited := make(chan error)
		go func() { waited <- r.WaitForWrite(t.Context(), touch(t, api, own)) }()
		settle()
		mine.Set(equal(t, 1, 2))
		isForeign("write of an object that is lost", <-waited)
	})
}

// The namespace of an object says what shard it is of, also without its metadata.
func TestExcludes(t *testing.T) {
	hash := shard.Hash("ns")
	one := shard.Ranges{{First: hash, Last: hash}}
	mine := &metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "1"}
	others := &metav1.ObjectMeta{Namespace: "other", Name: "a", UID: "2"}
	for _, test := range []struct {
		name     string
		by       shard.By
		ranges   shard.Ranges
		metadata *metav1.ObjectMeta
		key, all bool
	}{
		{"of a namespace", shard.Namespace, one, mine, false, false},
		{"of another namespace", shard.Namespace, one, others, true, true},
		{"by UID", shard.UID, one, mine, false, true},
		{"by a function", team, one, mine, false, true},
		{"all", shard.UID, shard.All(), others, false, false},
		{"none", shard.UID, nil, mine, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			excludes := shard.New(test.by, test.ranges).Objects(cachetest.NewAPI[*thing]()).Describe().Excludes
			key := keyOf(test.metadata.Name)
			key.Namespace = test.metadata.Namespace
			if got := excludes(key, nil) != nil; got != test.key {
				t.Errorf("its key is excluded: %v", got)
			}
			if got := excludes(key, test.metadata) != nil; got != test.all {
				t.Errorf("the object is excluded: %v", got)
			}
			if excludes(key, &metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}) != nil != test.key && test.by.String() == "UID" {
				t.Error("object without a UID: as its key")
			}
		})
	}
}

// Events of other shards are signs of life, and their versions count.
func TestForeignEvents(t *testing.T) {
	for _, by := range []shard.By{shard.UID, team} {
		synctest.Test(t, func(t *testing.T) {
			api, mine, _, foreign := halves(t)
			if by.String() == "team" {
				mine = shard.New(team, of1("red"))
			}
			r := run(t, api.Source(), mine, cache.Options[*thing]{ListWatch: cache.ListWatch{IdleTimeout: 20 * time.Second}})
			api.Fail(cachetest.Fault{Times: -1, LoseBookmarks: true, Verb: cachetest.Watch})
			settle()
			api.CloseWatches()
			time.Sleep(5 * time.Second)
			before := r.Status().Reconnects
			for range 40 {
				time.Sleep(5 * time.Second)
				if err := r.WaitForResourceVersion(t.Context(), touch(t, api, foreign).ResourceVersion); err != nil {
					t.Fatal(err)
				}
			}
			if s := r.Status(); s.Reconnects != before || s.Stale() > time.Second {
				t.Errorf("%d reconnects, %d before; no contact for %v", s.Reconnects, before, s.Stale())
			}
		})
	}
}

// slow is a source that needs a minute for each object of a list.
type slow struct{ cache.Objects }

func (s slow) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return s.Objects.List(ctx, options, func(obj any, err error) {
		select {
		case <-time.After(time.Minute):
			each(obj, err)
		case <-ctx.Done():
		}
	})
}

// A list of thousands of objects of other shards is not idle.
func TestForeignObjectsOfList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 30)
		mine := shard.New(shard.UID, shard.Ranges{{First: 1, Last: 1}})
		r := run(t, cache.Source[*thing]{Objects: slow{api}}, mine, cache.Options[*thing]{DisableWatchList: true})
		time.Sleep(31 * time.Minute)
		if s := r.Status(); !s.Synced || s.Lists.Failed.Total() > 0 {
			t.Errorf("status %+v", s)
		}
	})
}

// One source may be the source of several informers, and of requests of its users.
func TestSourceOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 32)
		mine := shard.New(shard.UID, equal(t, 0, 2))
		both := shard.Source(api.Source(), shard.New(shard.UID, equal(t, 0, 4)))
		nested := run(t, both, mine, cache.Options[*thing]{})
		first := run(t, api.Source(), mine, cache.Options[*thing]{})
		seen, seenNested := first.handle(cache.HandlerOptions{}), nested.handle(cache.HandlerOptions{})
		settle()
		api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Delay: 10 * time.Second})
		mine.Set(equal(t, 0, 8).Union(equal(t, 7, 8)))
		late := cache.New(shard.Source(api.Source(), mine), cache.Options[*thing]{})
		go func() { _ = late.Run(t.Context()) }()
		var listed []string
		page, err := shard.Source(api.Source(), mine).List(t.Context(), metav1.ListOptions{}, func(obj any, _ error) {
			listed = append(listed, obj.(*thing).Name)
		})
		if err != nil || page.ResourceVersion != api.ResourceVersion() || len(listed) != len(of(api, mine)) {
			t.Errorf("%d objects are listed, %v", len(listed), err)
		}
		time.Sleep(time.Minute)
		expect(t, "objects of the shard", of(api, mine), sorted(t, first.Informer, seen))
		var want []string
		for _, name := range of(api, mine) {
			if obj := must[*thing](t)(api.Get(keyOf(name))); equal(t, 0, 4).Contains(shard.UID.Hash(obj)) {
				want = append(want, name)
			}
		}
		expect(t, "objects of both", want, sorted(t, nested.Informer, seenNested))
		if late.Store().Len() != len(of(api, mine)) {
			t.Errorf("late informer has %d objects", late.Store().Len())
		}
	})
}

// slowly delivers the events of watches slowly.
type slowly struct{ *cachetest.API[*thing] }

func (s slowly) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	w, err := s.API.Watch(ctx, options)
	return slowWatcher{w}, err
}

type slowWatcher struct{ cache.Watcher }

func (w slowWatcher) Next() (cache.WatchEvent, error) {
	time.Sleep(50 * time.Millisecond)
	return w.Watcher.Next()
}

// Initial events of other shards may take long, too, and changes of their objects do not
// keep a watch-list open.
func TestForeignInitialEvents(t *testing.T) {
	for _, by := range []shard.By{shard.UID, team} {
		t.Run(by.String()+" slow", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var all []*thing
				for i := range 2000 {
					all = append(all, newThing(fmt.Sprint(i)))
				}
				api := cachetest.NewAPI(all...)
				mine := shard.New(by, of1("red"))
				r := run(t, cache.Source[*thing]{Objects: slowly{api}}, mine, cache.Options[*thing]{})
				if err := r.WaitForSync(t.Context()); err != nil {
					t.Error(err)
				}
				if requests := api.Requests(); len(requests) != 1 {
					t.Errorf("%d requests, want one watch-list", len(requests))
				}
			})
		})
		t.Run(by.String()+" without an end", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("0"), newThing("1"))
				api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true})
				r := run(t, api.Source(), shard.New(by, of1("red")), cache.Options[*thing]{})
				for range 30 {
					time.Sleep(time.Second)
					touch(t, api, "1")
				}
				settle()
				if s := r.Status(); s.Phase != cache.PhaseWatching {
					t.Errorf("status: %v", s)
				}
			})
		})
	}
}
