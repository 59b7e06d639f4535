package cachetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// describe returns an event or an error as text.
func describe(event cache.WatchEvent, err error) string {
	switch {
	case err != nil && isStatus(err):
		return fmt.Sprint("status ", statusCode(err))
	case err != nil:
		return err.Error()
	case event.Type == watch.Bookmark && event.InitialEventsEnd:
		return "END @" + event.ResourceVersion
	case event.Type == watch.Bookmark:
		return "BOOKMARK @" + event.ResourceVersion
	}
	return string(event.Type) + " " + names([]*testv1.Carp{event.Object.(*testv1.Carp)})[0]
}

// collected is a watch and its events as they came.
type collected struct {
	cache.Watcher
	mu     sync.Mutex
	events []string
}

// follow reads a watch to its end, in the background of a synctest bubble.
func follow(t testing.TB, source cache.Source[*testv1.Carp], options metav1.ListOptions) *collected {
	t.Helper()
	w, err := source.Watch(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	c := &collected{Watcher: w}
	go func() {
		for {
			event, err := w.Next()
			c.mu.Lock()
			c.events = append(c.events, describe(event, err))
			c.mu.Unlock()
			var object *failure.ObjectError
			if err != nil && !errors.As(err, &object) && !errors.Is(err, ErrGarbled) {
				return
			}
		}
	}()
	return c
}

// expect compares what has come since the last time.
func (c *collected) expect(t testing.TB, want ...string) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(want, c.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	c.events = nil
}

func watchList(rv string) metav1.ListOptions {
	return metav1.ListOptions{
		ResourceVersion:      rv,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		SendInitialEvents:    new(true),
		AllowWatchBookmarks:  true,
	}
}

func TestWatch(t *testing.T) {
	for name, test := range map[string]struct {
		options metav1.ListOptions
		want    []string // of the history up to 7
	}{
		"from a version":       {metav1.ListOptions{ResourceVersion: "3"}, []string{"ADDED a/gone@4", "MODIFIED b/one@5", "DELETED a/gone@6", "ADDED c/three@7"}},
		"from the latest":      {metav1.ListOptions{ResourceVersion: "7"}, nil},
		"from the first":       {metav1.ListOptions{ResourceVersion: "1", FieldSelector: "metadata.name=one"}, []string{"ADDED b/one@2", "MODIFIED b/one@5"}},
		"from any":             {metav1.ListOptions{ResourceVersion: "0"}, []string{"ADDED a/two@3", "ADDED b/one@5", "ADDED c/three@7"}},
		"from now":             {metav1.ListOptions{}, []string{"ADDED a/two@3", "ADDED b/one@5", "ADDED c/three@7"}},
		"label":                {metav1.ListOptions{LabelSelector: "app=x"}, []string{"ADDED b/one@5", "ADDED c/three@7"}},
		"watch-list":           {watchList(""), []string{"ADDED a/two@3", "ADDED b/one@5", "ADDED c/three@7", "END @7"}},
		"watch-list not older": {watchList("3"), []string{"ADDED a/two@3", "ADDED b/one@5", "ADDED c/three@7", "END @7"}},
		"no initial events": {metav1.ListOptions{SendInitialEvents: new(false),
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := listed(t)
				w := follow(t, api.Source(), test.options)
				defer w.Stop()
				w.expect(t, test.want...)
				must(api.Update(on("n9", carp("b/one", "app=x"))))(t)
				w.expect(t, "MODIFIED b/one@8")
				api.Compact()
				must(api.Delete(key("b/one")))(t)
				w.expect(t, "DELETED b/one@9")
			})
		})
	}
}

// TestWatchSelection: an object that enters or leaves a selection is added to
// it or deleted from it, in the state that was last in it.
func TestWatchSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one", "app=x"))
		inA := follow(t, api.InNamespace("a"), metav1.ListOptions{ResourceVersion: "2", LabelSelector: "app=x"})
		defer inA.Stop()
		must(api.Update(carp("a/one", "app=y")))(t)
		inA.expect(t, "DELETED a/one@3")
		must(api.Update(carp("a/one", "app=z")))(t)
		inA.expect(t)
		must(api.Update(carp("a/one", "app=x")))(t)
		inA.expect(t, "ADDED a/one@5")
		must(api.Create(carp("b/one", "app=x")))(t)
		inA.expect(t)
		must(api.Delete(key("a/one")))(t)
		inA.expect(t, "DELETED a/one@7")

		w, err := api.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "2", LabelSelector: "app=x"})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		if event, _ := w.Next(); event.Object.(*testv1.Carp).Labels["app"] != "x" {
			t.Errorf("what left the selection was sent with labels %v", event.Object.(*testv1.Carp).Labels)
		}
	})
}

func TestWatchErrors(t *testing.T) {
	notOlder := metav1.ResourceVersionMatchNotOlderThan
	for name, test := range map[string]struct {
		options metav1.ListOptions
		open    int // status of Watch, 0 if it opens
		next    string
	}{
		"compacted":                 {metav1.ListOptions{ResourceVersion: "4"}, 0, "status 410"},
		"oldest":                    {metav1.ListOptions{ResourceVersion: "5"}, 0, "DELETED a/gone@6"},
		"watch-list too large":      {watchList("8"), 0, "status 504"},
		"watch-list compacted":      {watchList("2"), 0, "ADDED a/two@3"},
		"initial events, no match":  {metav1.ListOptions{SendInitialEvents: new(true)}, http.StatusUnprocessableEntity, ""},
		"match, no initial events":  {metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: notOlder}, http.StatusUnprocessableEntity, ""},
		"version is no number":      {metav1.ListOptions{ResourceVersion: "x"}, http.StatusBadRequest, ""},
		"selector does not compile": {metav1.ListOptions{LabelSelector: "=="}, http.StatusBadRequest, ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := listed(t)
			api.history.compact(5)
			w, err := api.Watch(t.Context(), test.options)
			if got := statusCode(err); got != test.open {
				t.Fatalf("error of opening is %v, want status %d", err, test.open)
			}
			if err != nil {
				return
			}
			defer w.Stop()
			if got := describe(w.Next()); got != test.next {
				t.Errorf("first event is %s, want %s", got, test.next)
			}
		})
	}
}

// TestSignals: a signal reaches the watches that are open, after what happened
// before it, and those that allow it.
func TestSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		allowed := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "1", AllowWatchBookmarks: true})
		plain := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "2"})
		must(api.Create(carp("a/two")))(t)
		api.Bookmark()
		allowed.expect(t, "ADDED a/one@2", "ADDED a/two@3", "BOOKMARK @3")
		plain.expect(t, "ADDED a/two@3")
		if got := api.Watches(); got != 2 {
			t.Errorf("%d watches are open, want 2", got)
		}

		must(api.Delete(key("a/two")))(t)
		api.CloseWatches()
		allowed.expect(t, "DELETED a/two@4", "EOF")
		plain.expect(t, "DELETED a/two@4", "EOF")
		if got := api.Watches(); got != 0 {
			t.Errorf("%d watches are open, want none", got)
		}

		// The signals of before are not for a watch that replays their time.
		replay := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true})
		replay.expect(t, "ADDED a/two@3", "DELETED a/two@4")
		api.BreakWatches(nil)
		replay.expect(t, io.ErrUnexpectedEOF.Error())
		replay = follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "4"})
		api.BreakWatches(Status(http.StatusInternalServerError))
		replay.expect(t, "status 500")
	})
}

func TestWatchTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		w := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "2", TimeoutSeconds: new(int64(60))})
		time.Sleep(59 * time.Second)
		must(api.Create(carp("a/two")))(t)
		w.expect(t, "ADDED a/two@3")
		time.Sleep(time.Second)
		w.expect(t, "EOF")
	})
}

// TestWatchEnds: Next returns when the watch is stopped or its context ends,
// and goes on returning the error.
func TestWatchEnds(t *testing.T) {
	for name, end := range map[string]func(context.CancelFunc, cache.Watcher){
		"context": func(cancel context.CancelFunc, _ cache.Watcher) { cancel() },
		"stop":    func(_ context.CancelFunc, w cache.Watcher) { w.Stop(); w.Stop() },
	} {
		for _, fault := range []Fault{{}, {Hang: true, Opened: true}} {
			t.Run(fmt.Sprint(name, " hang=", fault.Hang), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := NewAPI(carp("a/one"))
					api.Fail(fault)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					w, err := api.Watch(ctx, metav1.ListOptions{ResourceVersion: "2"})
					if err != nil {
						t.Fatal(err)
					}
					errs := make(chan error)
					go func() {
						for range 2 {
							_, err := w.Next()
							errs <- err
						}
					}()
					synctest.Wait()
					end(cancel, w)
					first, second := <-errs, <-errs
					if first == nil || first != second {
						t.Errorf("errors are %v and %v", first, second)
					}
					if got := api.Watches(); got != 0 {
						t.Errorf("%d watches are open", got)
					}
				})
			})
		}
	}
}

// TestSlowWatch: a watch that is not read misses nothing, also of a history
// that was compacted.
func TestSlowWatch(t *testing.T) {
	api := NewAPI(carp("a/one"))
	w, err := api.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "2"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	const n = 1000
	for i := range n {
		must(api.Update(on(fmt.Sprint(i), carp("a/one"))))(t)
		api.Compact()
	}
	for i := range n {
		event, err := w.Next()
		if err != nil || event.Object.(*testv1.Carp).Spec.NodeName != fmt.Sprint(i) {
			t.Fatalf("event %d is %s", i, describe(event, err))
		}
	}
}

func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := listed(t)
		before := map[types.UID]bool{}
		for _, obj := range api.Objects() {
			before[obj.UID] = true
		}
		w := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "7"})
		api.Restart()
		w.expect(t, io.ErrUnexpectedEOF.Error())
		for _, obj := range api.Objects() {
			if before[obj.UID] {
				t.Errorf("%s has the UID of one from before", obj.Name)
			}
		}
		got, page, err := list(t, api.Source(), metav1.ListOptions{})
		if err != nil || page.ResourceVersion != "4" || !cmp.Equal(got, []string{"a/two@2", "b/one@3", "c/three@4"}) {
			t.Errorf("listed %v at %s, %v", got, page.ResourceVersion, err)
		}
		if _, _, err := list(t, api.Source(), metav1.ListOptions{ResourceVersion: "7"}); !apierrors.IsTimeout(err) {
			t.Errorf("error of a list from before is %v", err)
		}

		// A watch from before knows nothing of what it has not to come.
		w = follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "6", AllowWatchBookmarks: true})
		must(api.Delete(key("c/three")))(t)
		must(api.Delete(key("b/one")))(t)
		must(api.Create(carp("b/new")))(t)
		w.expect(t, "ADDED b/new@7")
	})
}

func TestRestartIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"), carp("a/two"))
		must(api.Delete(key("a/one")))(t)
		api.Restart()
		w := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "4", AllowWatchBookmarks: true})
		defer w.Stop()
		api.Bookmark()
		must(api.Create(carp("a/three")))(t)
		api.Bookmark()
		w.expect(t)
		must(api.Create(carp("a/four")))(t)
		w.expect(t)
		api.Bookmark()
		w.expect(t, "BOOKMARK @4")
	})
}

// TestRestore: resourceVersions are given out again, for something else.
func TestRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := listed(t)
		w := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "7"})
		if err := api.Restore("4"); err != nil {
			t.Fatal(err)
		}
		w.expect(t, io.ErrUnexpectedEOF.Error())
		if got, want := names(api.Objects()), []string{"a/gone@4", "a/two@3", "b/one@2"}; !cmp.Equal(got, want) {
			t.Errorf("restored %v, want %v", got, want)
		}
		if got := must(api.Create(carp("d/new")))(t); got.ResourceVersion != "5" {
			t.Errorf("created at %s", got.ResourceVersion)
		}
		w = follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "3"})
		w.expect(t, "status 410")
		for _, rv := range []string{"3", "6", "x"} {
			if err := api.Restore(rv); err == nil {
				t.Errorf("restored %s", rv)
			}
		}
	})
}

// TestUninstall: the objects go, then the watches, and then there is nothing to
// ask; what is there after Install has another history.
func TestUninstall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"), carp("b/two"))
		w := follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "3"})
		api.Uninstall()
		w.expect(t, "DELETED a/one@4", "DELETED b/two@5", "EOF")
		for name, do := range map[string]func() error{
			"list":   func() error { _, _, err := list(t, api.Source(), metav1.ListOptions{}); return err },
			"watch":  func() error { _, err := api.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "3"}); return err },
			"get":    func() error { _, err := api.Get(key("a/one")); return err },
			"create": func() error { _, err := api.Create(carp("a/one")); return err },
			"update": func() error { _, err := api.Update(carp("a/one")); return err },
			"delete": func() error { _, err := api.Delete(key("a/one")); return err },
		} {
			err := do()
			if !apierrors.IsNotFound(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) ||
				!strings.Contains(err.Error(), "the server could not find the requested resource") {
				t.Errorf("%s: error is %v", name, err)
			}
		}
		api.Install()
		if got := must(api.Create(carp("a/one")))(t); got.ResourceVersion != "6" {
			t.Errorf("created at %s", got.ResourceVersion)
		}
		w = follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "4"})
		w.expect(t, "status 410")
		w = follow(t, api.Source(), metav1.ListOptions{ResourceVersion: "5"})
		defer w.Stop()
		w.expect(t, "ADDED a/one@6")
	})
}
