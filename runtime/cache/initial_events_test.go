package cache_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// between is a proxy that passes on what next makes of the events of a watch-list, and never ends
// one.
type between struct {
	*cachetest.API[*thing]
	next func(cache.Watcher) (cache.WatchEvent, error)
}

func (b between) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	if options.SendInitialEvents == nil {
		return b.API.Watch(ctx, options)
	}
	options.TimeoutSeconds = nil
	w, err := b.API.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &betweenWatcher{w, b.next}, nil
}

type betweenWatcher struct {
	cache.Watcher
	next func(cache.Watcher) (cache.WatchEvent, error)
}

func (w *betweenWatcher) Next() (cache.WatchEvent, error) { return w.next(w.Watcher) }

// closingBookmark changes the bookmark that closes the initial events.
func closingBookmark(change func(*cache.WatchEvent)) func(cache.Watcher) (cache.WatchEvent, error) {
	return func(w cache.Watcher) (cache.WatchEvent, error) {
		event, err := w.Next()
		if event.InitialEventsEnd {
			change(&event)
		}
		return event, err
	}
}

// losingBookmarks leaves out all bookmarks.
func losingBookmarks(w cache.Watcher) (cache.WatchEvent, error) {
	event, err := w.Next()
	for err == nil && event.Type == watch.Bookmark {
		event, err = w.Next()
	}
	return event, err
}

// A watch-list whose closing bookmark never comes is given up, whatever comes in its place, and
// the informer lists.
func TestInitialEventsThatNeverEnd(t *testing.T) {
	created := 0
	create := func(t *testing.T, api *cachetest.API[*thing]) {
		created++
		must[*thing](t)(api.Create(newThing(fmt.Sprint("new-", created))))
	}
	change := func(t *testing.T, api *cachetest.API[*thing]) { touch(t, api, "a") }
	withTransform := func(transform func() (*thing, error)) cache.Options[*thing] {
		return cache.Options[*thing]{Transform: func(obj *thing) (*thing, error) {
			if obj.Name == "a" {
				return transform()
			}
			return obj, nil
		}}
	}
	unannotated := closingBookmark(func(e *cache.WatchEvent) { e.InitialEventsEnd = false })
	for _, test := range []struct {
		name    string
		next    func(cache.Watcher) (cache.WatchEvent, error)
		each    time.Duration // between the happenings
		happens func(*testing.T, *cachetest.API[*thing])
		options cache.Options[*thing]
		within  time.Duration
		says    string
	}{
		{name: "nothing", next: losingBookmarks, within: 25 * time.Second, says: "in time: 20s"},
		{name: "a change each second", next: losingBookmarks, each: time.Second, happens: change,
			within: 27 * time.Second, says: "after changes"},
		{name: "changes all the time", next: losingBookmarks, each: 20 * time.Millisecond, happens: change,
			within: 26 * time.Second, says: "after changes"},
		{name: "objects that come and go all the time", next: losingBookmarks, each: 20 * time.Millisecond,
			happens: func(t *testing.T, api *cachetest.API[*thing]) {
				create(t, api)
				must[*thing](t)(api.Delete(keyOf(fmt.Sprint("new-", created))))
			},
			within: 26 * time.Second, says: "after changes"},
		{name: "a new object each second", next: losingBookmarks, each: time.Second, happens: create,
			within: 30 * time.Second, says: "in time: 20s"},
		{name: "new objects all the time", next: losingBookmarks, each: 20 * time.Millisecond, happens: create,
			within: 11 * time.Minute, says: "in time: 20s"},
		{name: "changes of an object that the transform leaves out", next: losingBookmarks, each: 20 * time.Millisecond, happens: change,
			options: withTransform(func() (*thing, error) { return nil, nil }),
			within:  26 * time.Second, says: "after changes"},
		{name: "changes of an object that the transform refuses", next: losingBookmarks, each: 20 * time.Millisecond, happens: change,
			options: withTransform(func() (*thing, error) { return nil, errors.New("no good") }),
			within:  26 * time.Second, says: "after changes"},
		{name: "a bookmark without the annotation", next: unannotated,
			within: 2 * time.Second, says: "after one without the annotation k8s.io/initial-events-end"},
		{name: "a bookmark without the annotation and a version",
			next:   closingBookmark(func(e *cache.WatchEvent) { e.InitialEventsEnd, e.ResourceVersion = false, "" }),
			within: 2 * time.Second, says: "after one without the annotation k8s.io/initial-events-end"},
		{name: "bookmarks without the annotation and changes, all the time", next: unannotated, each: 20 * time.Millisecond,
			happens: func(t *testing.T, api *cachetest.API[*thing]) { change(t, api); api.Bookmark() },
			within:  2 * time.Second, says: "after one without the annotation k8s.io/initial-events-end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				var failed []string
				test.options.ListWatch = failuresInto(&failed).ListWatch
				r := start(t, cache.New(sourceOf(between{api, test.next}), test.options))
				for begin := time.Now(); time.Since(begin) < test.within; time.Sleep(cmp.Or(test.each, test.within)) {
					if test.happens != nil {
						test.happens(t, api)
					}
				}
				settle()
				if s := r.Status(); s.Phase != cache.PhaseWatching {
					t.Errorf("after %v: %v", test.within, s)
				}
				if len(failed) != 1 || !strings.Contains(failed[0], failure.ErrBookmarkMissing.Error()) || !strings.Contains(failed[0], test.says) {
					t.Errorf("failures %q, want one with %q", failed, test.says)
				}
			})
		})
	}
}

// Initial events may take long if there are many of them.
func TestInitialEventsThatTakeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const objects = 100_000
		all := make([]*thing, objects)
		for i := range all {
			all[i] = newThing(fmt.Sprint(i))
		}
		api := cachetest.NewAPI(all...)
		slowly := func(w cache.Watcher) (cache.WatchEvent, error) {
			event, err := w.Next()
			if event.Type == watch.Added {
				time.Sleep(50 * time.Millisecond)
			}
			return event, err
		}
		r := start(t, cache.New(sourceOf(between{api, slowly}), cache.Options[*thing]{ListWatch: cache.ListWatch{WatchTimeout: 24 * time.Hour}}))
		begin := time.Now()
		if err := r.WaitForSync(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != objects*50*time.Millisecond || r.Store().Len() != objects {
			t.Errorf("%d objects after %v", r.Store().Len(), took)
		}
		expect(t, "requests", []string{"watchlist "}, requests(api))
	})
}

// A watch-list that was cut when it had lasted is not opened again: the next one would last as
// long.
func TestInitialEventsThatAreCutAfterMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true})
		r := run(t, api, cache.Options[*thing]{})
		for n := range 7 * 60 * 20 {
			must[*thing](t)(api.Create(newThing(fmt.Sprint(n))))
			time.Sleep(50 * time.Millisecond)
		}
		api.CloseWatches()
		settle()
		expect(t, "store", names(api.Objects()), names(r.Store().List()))
		if n := len(requests(api)); n > 4 {
			t.Errorf("%d requests: %v", n, requests(api))
		}
	})
}

// A bookmark without the annotation does no harm if the right one follows it.
func TestClosingBookmarkAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		first := true
		twice := func(w cache.Watcher) (cache.WatchEvent, error) {
			if first {
				first = false
				return cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: "1"}, nil
			}
			return w.Next()
		}
		r := start(t, cache.New(sourceOf(between{api, twice}), cache.Options[*thing]{}))
		time.Sleep(time.Minute)
		touch(t, api, "a")
		settle()
		expect(t, "store", []string{"a 3"}, names(r.Store().List()))
		expect(t, "requests", []string{"watchlist "}, requests(api))
	})
}

// An object that the transform leaves out in the end of the initial events is not in the store,
// although it was not left out at first.
func TestInitialEventsOfAnObjectThatIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		calls := 0
		changedMeanwhile := func(w cache.Watcher) (cache.WatchEvent, error) {
			if calls++; calls == 3 {
				obj := newThing("a")
				obj.UID, obj.ResourceVersion = "u", "4"
				return cache.WatchEvent{Type: watch.Modified, Object: obj}, nil
			}
			return w.Next()
		}
		r := start(t, cache.New(sourceOf(between{api, changedMeanwhile}), cache.Options[*thing]{Transform: func(obj *thing) (*thing, error) {
			if obj.ResourceVersion == "4" {
				return nil, nil
			}
			return obj, nil
		}}))
		time.Sleep(time.Minute)
		expect(t, "store", []string{"b 3"}, names(r.Store().List()))
	})
}
