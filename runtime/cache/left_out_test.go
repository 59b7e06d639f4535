package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// undecodable is a source that cannot decode some objects until it is repaired.
type undecodable struct {
	*cachetest.API[*thing]
	broken   func(*thing) error
	repaired atomic.Bool
}

func (u *undecodable) check(obj *thing) error {
	if u.broken == nil || u.repaired.Load() {
		return nil
	}
	return u.broken(obj)
}

func (u *undecodable) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return u.API.List(ctx, options, func(obj any, err error) {
		if err == nil {
			err = u.check(obj.(*thing))
		}
		each(obj, err)
	})
}

func (u *undecodable) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	w, err := u.API.Watch(ctx, options)
	return undecodableWatcher{w, u}, err
}

type undecodableWatcher struct {
	cache.Watcher
	source *undecodable
}

func (w undecodableWatcher) Next() (cache.WatchEvent, error) {
	event, err := w.Watcher.Next()
	if err == nil && event.Type != watch.Bookmark {
		err = w.source.check(event.Object.(*thing))
	}
	return event, err
}

// setMood changes the label by which the functions of the test fail.
func setMood(t *testing.T, api *cachetest.API[*thing], name, mood string) {
	t.Helper()
	obj := must[*thing](t)(api.Get(keyOf(name)))
	obj.Labels = map[string]string{"mood": mood}
	must[*thing](t)(api.Update(obj))
}

func failing(obj *thing) error {
	if obj.Labels["mood"] == "bad" {
		return errors.New("bad mood")
	}
	return nil
}

// What is left out is in the status for as long as it is, whenever that began, and no longer
// than it takes to see that it is not.
func TestLeftOutNow(t *testing.T) {
	withTransform := func(o *cache.Options[*thing]) {
		o.Transform = func(obj *thing) (*thing, error) { return obj, failing(obj) }
	}
	index := cache.Index[*thing]{Name: "mood", Values: func(obj *thing) ([]string, error) { return nil, failing(obj) }}
	withIndex := func(o *cache.Options[*thing]) { o.Indexes = []cache.Index[*thing]{index} }
	isBad := func(u *undecodable) {
		u.broken = func(obj *thing) error {
			if err := failing(obj); err != nil {
				return &failure.ObjectError{Object: "ns/" + obj.Name, Err: err}
			}
			return nil
		}
	}
	isBadAndNameless := func(u *undecodable) {
		u.broken = func(obj *thing) error {
			if err := failing(obj); err != nil {
				return &failure.ObjectError{Err: err}
			}
			return nil
		}
	}
	worksAgain := func(_ *testing.T, u *undecodable) { u.repaired.Store(true) }
	improves := func(t *testing.T, u *undecodable) { setMood(t, u.API, "a", "good") }
	isDeleted := func(t *testing.T, u *undecodable) { must[*thing](t)(u.Delete(keyOf("a"))) }
	expires := func(u *undecodable) {
		u.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
		u.CloseWatches()
	}
	const named, nameless = "ns/a: bad mood", ": object: bad mood"
	const transformed, indexed = "ns/a: transform: bad mood", `ns/a: index "mood": bad mood`
	for _, test := range []struct {
		name    string
		source  func(*undecodable)
		options func(*cache.Options[*thing])
		// later reports whether the object becomes bad after the first list.
		later bool
		want  string
		// end ends the error, and within is the time that this may take.
		end    func(*testing.T, *undecodable)
		within time.Duration
	}{
		{"listed, decoded again", isBad, nil, false, named, worksAgain, 10 * time.Minute},
		{"listed, changed", isBad, nil, false, named, improves, 0},
		{"listed, deleted", isBad, nil, false, named, isDeleted, 10 * time.Minute},
		{"watched, decoded again", isBad, nil, true, named, worksAgain, 10 * time.Minute},
		{"watched, changed back", isBad, nil, true, named, improves, 0},
		{"watched, listed again", isBad, nil, true, named, func(t *testing.T, u *undecodable) { improves(t, u); expires(u) }, time.Minute},
		{"watched, deleted unseen", isBad, nil, true, named, func(t *testing.T, u *undecodable) {
			u.Fail(cachetest.Fault{Verb: cachetest.Watch, Hang: true})
			u.CloseWatches()
			isDeleted(t, u)
		}, 20 * time.Minute},
		{"watched, resource removed", isBad, nil, true, named, func(_ *testing.T, u *undecodable) { u.Uninstall() }, 10 * time.Minute},
		{"nameless, decoded again", isBadAndNameless, nil, false, nameless, worksAgain, 2 * time.Hour},
		{"nameless and watched, deleted", isBadAndNameless, nil, true, nameless, isDeleted, 2 * time.Hour},
		{"transform, changed", nil, withTransform, false, transformed, improves, 0},
		{"transform, deleted", nil, withTransform, true, transformed, isDeleted, 0},
		{"index, changed", nil, withIndex, false, indexed, improves, 0},
		{"index, deleted", nil, withIndex, true, indexed, isDeleted, 0},
		{"index, listed again", nil, withIndex, true, indexed, func(t *testing.T, u *undecodable) {
			u.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
			improves(t, u)
		}, time.Minute},
	} {
		for _, watchList := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, watch-list %v", test.name, watchList), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					source := &undecodable{API: cachetest.NewAPI(newThing("a"), newThing("b"))}
					if test.source != nil {
						test.source(source)
					}
					options := cache.Options[*thing]{DisableWatchList: !watchList}
					if test.options != nil {
						test.options(&options)
					}
					if !test.later {
						setMood(t, source.API, "a", "bad")
					}
					informer := start(t, cache.New[*thing](sourceOf(source), options))
					settle()
					if test.later {
						expectLeftOut(t, informer.Status(), "")
						setMood(t, source.API, "a", "bad")
						settle()
					}
					expectLeftOut(t, informer.Status(), test.want)
					expectGet(t, informer, test.later)
					time.Sleep(5 * time.Hour)
					expectLeftOut(t, informer.Status(), test.want)
					expectGet(t, informer, test.later)
					test.end(t, source)
					settle()
					// As servers do: without bookmarks, each watch begins with the event of a deletion
					// that can't be decoded, and the object is looked up again.
					for range test.within / time.Minute {
						source.Bookmark()
						time.Sleep(time.Minute)
					}
					expectLeftOut(t, informer.Status(), "")
					expectGet(t, informer, false)
				})
			})
		}
	}
}

// expectGet gets the object that may be left out: an earlier state of it, if the store has one, or
// an error that says why there is none. It gets an object that does not exist, too.
func expectGet(t *testing.T, informer running, earlier bool) {
	t.Helper()
	obj, exists, err := informer.Get(t.Context(), keyOf("a"))
	stored, inStore := informer.Store().Get(keyOf("a"))
	if reason, out := informer.Status().LeftOutObjects["ns/a"]; out && !inStore {
		if !errors.Is(err, failure.ErrLeftOut) || exists || apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `object "ns/a": left out: `+reason) {
			t.Errorf("left out: got %v, %v, %v", obj, exists, err)
		}
	} else if err != nil || exists != inStore || obj != stored {
		t.Errorf("got %v, %v, %v; the store has %v", obj, exists, err, stored)
	}
	if earlier && !inStore && informer.Status().LeftOutObjects[""] == "" {
		t.Error("the store has lost the earlier state")
	}
	if obj, exists, err := informer.Get(t.Context(), keyOf("never")); exists || err != nil {
		t.Errorf("never: got %v, %v, %v", obj, exists, err)
	}
}

// expectLeftOut compares what is left out with one "name: reason", or "" for nothing.
func expectLeftOut(t *testing.T, s cache.Status, want string) {
	t.Helper()
	got := ""
	for name, reason := range s.LeftOutObjects {
		got += name + ": " + reason
	}
	if got != want || s.LeftOut != len(s.LeftOutObjects) {
		t.Errorf("%d left out: %q, want %q", s.LeftOut, got, want)
	}
}

// refuse is a transform that drops "dropped" and refuses all other objects.
func refuse(obj *thing) (*thing, error) {
	if obj.Name == "dropped" {
		return nil, nil
	}
	return obj, errors.New("no good")
}

// What is left out of a namespace is left out while the informer follows that, and what a transform
// drops on purpose never is.
func TestLeftOutOfNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := newThing("a")
		other.Namespace = "other"
		set := &namespaces{API: cachetest.NewAPI(newThing("a"), newThing("dropped"), other), names: []string{"ns"}, changed: make(chan struct{})}
		r := start(t, cache.New(sourceOf(set), cache.Options[*thing]{Transform: refuse}))
		get := func(namespace, name string, left bool) {
			t.Helper()
			_, exists, err := r.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: name})
			if exists || errors.Is(err, failure.ErrLeftOut) != left || !left && err != nil {
				t.Errorf("%s/%s: got %v, %v; want left out %v", namespace, name, exists, err, left)
			}
		}
		counts := func() (n []string) {
			for _, namespace := range r.Status().Namespaces {
				n = append(n, fmt.Sprint(namespace.Name, " ", namespace.LeftOut, namespace.LeftOutObjects))
			}
			return n
		}
		settle()
		get("ns", "a", true)
		get("ns", "dropped", false)
		get("other", "a", false)
		set.become("ns", "other")
		get("ns", "a", true)
		get("other", "a", true)
		const no = "a:transform: no good]"
		expect(t, "left out of namespaces", []string{"ns 1 map[ns/" + no, "other 1 map[other/" + no}, counts())
		set.become("other")
		get("ns", "a", false)
		get("other", "a", true)
		expect(t, "left out of the namespace", []string{"other 1 map[other/" + no}, counts())
	})
}

// The status counts all objects that are left out, also of an index that comes later, and
// names the first ones.
func TestLeftOutIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI[*thing]()
		for i := range 300 {
			must[*thing](t)(api.Create(newThing(fmt.Sprintf("a%03d", 299-i))))
		}
		long := errors.New(strings.Repeat("very bad ", 100) + "\nand a stack")
		informer := run(t, api, cache.Options[*thing]{Transform: func(obj *thing) (*thing, error) {
			if obj.Name < "a200" {
				return nil, long
			}
			return obj, nil
		}})
		settle()
		if err := informer.AddIndexes(cache.Index[*thing]{Name: "none", Values: func(*thing) ([]string, error) { return nil, long }}); err != nil {
			t.Fatal(err)
		}
		s := informer.Status()
		if s.LeftOut != 300 || len(s.LeftOutObjects) != 100 || s.LeftOutObjects["ns/a000"] == "" || s.LeftOutObjects["ns/a099"] == "" {
			t.Errorf("%d left out, named: %v", s.LeftOut, s.LeftOutObjects)
		}
		if reason := s.LeftOutObjects["ns/a000"]; len(reason) > 310 || strings.Contains(reason, "\n") {
			t.Errorf("a reason of %d bytes: %q", len(reason), reason)
		}
	})
}

// A reconnect is a watch that the server has opened, and its reason the end of the one before.
func TestReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := run(t, api, cache.Options[*thing]{})
		time.Sleep(time.Minute)
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: -1, Err: cachetest.ErrConnectionRefused})
		api.BreakWatches(cachetest.ErrConnectionReset)
		time.Sleep(10 * time.Minute)
		if s := informer.Status(); s.Reconnects != 0 || s.ReconnectReason != nil || s.Attempts < 3 {
			t.Errorf("in an outage: %d reconnects because of %v, %d attempts", s.Reconnects, s.ReconnectReason, s.Attempts)
		}
		api.ClearFaults()
		time.Sleep(2 * time.Minute)
		s := informer.Status()
		if s.Reconnects != 1 || !errors.Is(s.ReconnectReason, cachetest.ErrConnectionReset) {
			t.Errorf("after it: %d reconnects because of %v", s.Reconnects, s.ReconnectReason)
		}
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
		api.CloseWatches()
		time.Sleep(time.Minute)
		if s := informer.Status(); s.Reconnects != 1 || s.Relists != 1 {
			t.Errorf("after a list: %d reconnects, %d relists", s.Reconnects, s.Relists)
		}
	})
}
