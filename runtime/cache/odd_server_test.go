package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// oddServer is a source that lists and watches what a test says.
type oddServer struct {
	ordered bool
	// noFake is set for one that may have watch-lists.
	noFake bool

	mu sync.Mutex
	// version and objects are the version and the objects of a list.
	version string
	objects []*thing
	events  chan cache.WatchEvent
	// listError is the error of lists, if it is not nil.
	listError error
	lists     int
	watches   int
}

func (s *oddServer) Describe() cache.SourceInfo {
	return cache.SourceInfo{OrderedResourceVersions: s.ordered, NoWatchList: !s.noFake}
}

func (s *oddServer) List(_ context.Context, _ metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	if s.listError != nil {
		return metav1.ListMeta{}, s.listError
	}
	for _, obj := range s.objects {
		each(obj.DeepCopy(), nil)
	}
	return metav1.ListMeta{ResourceVersion: s.version}, nil
}

func (s *oddServer) Watch(ctx context.Context, _ metav1.ListOptions) (cache.Watcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches++
	return oddWatch{s, ctx}, nil
}

// change changes what the server has.
func (s *oddServer) change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *oddServer) stream() chan cache.WatchEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.events
}

type oddWatch struct {
	*oddServer
	ctx context.Context
}

func (w oddWatch) Stop() {}

func (w oddWatch) Next() (cache.WatchEvent, error) {
	select {
	case event, ok := <-w.stream():
		if !ok {
			return event, io.EOF
		}
		return event, nil
	case <-w.ctx.Done():
		return cache.WatchEvent{}, context.Cause(w.ctx)
	}
}

// made returns an object with a UID, a version and a label, which is its content.
func made(name, uid, version, content string) *thing {
	obj := newThing(name)
	obj.UID, obj.ResourceVersion = types.UID(uid), version
	obj.Labels = map[string]string{"content": content}
	return obj
}

func added(obj *thing) cache.WatchEvent {
	return cache.WatchEvent{Type: watch.Added, Object: obj}
}

func modified(obj *thing) cache.WatchEvent {
	return cache.WatchEvent{Type: watch.Modified, Object: obj}
}

func deleted(obj *thing) cache.WatchEvent {
	return cache.WatchEvent{Type: watch.Deleted, Object: obj}
}

// Handlers are called for every change, however odd its versions are: an event is left out only if
// nothing can have happened since the one before it.
func TestOddVersions(t *testing.T) {
	const never, always, ordered = 1, 2, 3
	for _, test := range []struct {
		name string
		// when is for which sources it holds: those without an order, or all.
		when   int
		events []cache.WatchEvent
		want   []string
	}{
		{
			name: "versions that do not grow", when: never,
			events: []cache.WatchEvent{added(made("a", "u", "5", "x")), modified(made("a", "u", "3", "x")), modified(made("b", "v", "4", "y")), modified(made("a", "u", "3", "x"))},
			want:   []string{"add a 5", "update a 5 3", "add b 4", "update a 3 3"},
		},
		{
			name: "no versions", when: always,
			events: []cache.WatchEvent{added(made("a", "u", "", "x")), modified(made("b", "v", "", "x")), modified(made("a", "u", "", "y"))},
			want:   []string{"add a ", "add b ", "update a  "},
		},
		{
			name: "deleted, created, updated and deleted at one version", when: always,
			events: []cache.WatchEvent{added(made("a", "u", "5", "x")), deleted(made("a", "u", "5", "x")), added(made("a", "u", "5", "x")), modified(made("a", "u", "5", "y")), deleted(made("a", "u", "5", "y"))},
			want:   []string{"add a 5", "delete a 5", "add a 5", "update a 5 5", "delete a 5"},
		},
		{
			name: "shown again after a permission was lost", when: always,
			events: []cache.WatchEvent{added(made("a", "u", "5", "x")), deleted(made("a", "u", "5", "x")), added(made("a", "u", "5", "x"))},
			want:   []string{"add a 5", "delete a 5", "add a 5"},
		},
		{
			name: "another content at the same version, and back", when: always,
			events: []cache.WatchEvent{modified(made("a", "u", "5", "x")), modified(made("a", "u", "5", "y")), modified(made("a", "u", "5", "x"))},
			want:   []string{"add a 5", "update a 5 5", "update a 5 5"},
		},
		{
			name: "no UIDs, one version", when: always,
			events: []cache.WatchEvent{added(made("a", "", "5", "x")), added(made("b", "", "5", "x")), added(made("c", "", "5", "x"))},
			want:   []string{"add a 5", "add b 5", "add c 5"},
		},
		{
			name: "a deletion that comes again after another object got the name", when: ordered,
			events: []cache.WatchEvent{added(made("a", "u", "5", "x")), deleted(made("a", "u", "6", "x")), added(made("a", "v", "7", "x")), deleted(made("a", "u", "6", "x"))},
			want:   []string{"add a 5", "delete a 6", "add a 7"},
		},
		{
			name: "an object that comes again after another one got the name", when: ordered,
			events: []cache.WatchEvent{added(made("a", "u", "5", "x")), deleted(made("a", "u", "6", "x")), added(made("a", "v", "7", "x")), deleted(made("a", "v", "8", "x")), deleted(made("a", "u", "6", "x"))},
			want:   []string{"add a 5", "delete a 6", "add a 7", "delete a 8"},
		},
		{
			name: "one UID for all", when: always,
			events: []cache.WatchEvent{added(made("a", "u", "5", "x")), added(made("b", "u", "5", "x"))},
			want:   []string{"add a 5", "add b 5"},
		},
	} {
		for _, inOrder := range []bool{false, true} {
			if inOrder && test.when == never || !inOrder && test.when == ordered {
				continue
			}
			name := test.name + ", no known order"
			if inOrder {
				name = test.name + ", ordered"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := &oddServer{ordered: inOrder, version: "1", events: make(chan cache.WatchEvent)}
					r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{}))
					recorder, _ := r.handle(cache.HandlerOptions{})
					for _, event := range test.events {
						server.events <- event
						settle()
					}
					expect(t, "events", test.want, lines(recorder.Events()))
				})
			})
		}
	}
}

// A store that is behind has an older state of an object: an event that is like that
// state may follow another one that the store has not got yet.
func TestRepeatedEventBeforeASlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &oddServer{ordered: true, version: "1", events: make(chan cache.WatchEvent)}
		slow := cache.Index[*thing]{Name: "slow", Value: func(obj *thing) string {
			if obj.Labels["content"] == "y" {
				time.Sleep(time.Second)
			}
			return ""
		}}
		r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{Indexes: []cache.Index[*thing]{slow}}))
		recorder, _ := r.handle(cache.HandlerOptions{})
		for _, obj := range []*thing{made("a", "u", "5", "x"), made("a", "u", "5", "y"), made("b", "v", "5", "x"), made("a", "u", "5", "x")} {
			server.events <- modified(obj)
			settle()
		}
		time.Sleep(10 * time.Second)
		expect(t, "events", []string{"add a 5", "update a 5 5", "add b 5", "update a 5 5"}, lines(recorder.Events()))
		if a, _ := r.Store().Get(keyOf("a")); a.Labels["content"] != "x" {
			t.Errorf("store has %v, want content x", a.Labels)
		}
	})
}

// Objects of one version and without a UID all arrive in a watch-list too.
func TestInitialEventsWithoutUIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &streamingServer{oddServer: oddServer{ordered: true, events: make(chan cache.WatchEvent, 9)}}
		for _, name := range []string{"a", "b", "c"} {
			server.events <- added(made(name, "", "5", "x"))
		}
		server.events <- cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: "7", InitialEventsEnd: true}
		r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{}))
		settle()
		expect(t, "store", []string{"a 5", "b 5", "c 5"}, names(r.Store().List()))
	})
}

// streamingServer serves watch-lists.
type streamingServer struct{ oddServer }

func (s *streamingServer) Describe() cache.SourceInfo {
	return cache.SourceInfo{OrderedResourceVersions: s.ordered}
}

// A relist delivers other content at the same version, unless versions come from etcd, where that does not
// happen.
func TestRelistAtOneVersion(t *testing.T) {
	for _, test := range []struct {
		name    string
		ordered bool
		before  []*thing
		after   []*thing
		version string
		want    []string
	}{
		{
			name: "fixed versions", ordered: true, version: "1",
			before: []*thing{made("a", "u", "1", "x"), made("b", "v", "1", "x")},
			after:  []*thing{made("a", "u", "1", "y"), made("b", "v", "1", "x")},
			want:   []string{"update a 1 1"},
		},
		{
			name: "a single object", ordered: true, version: "1",
			before: []*thing{made("a", "u", "1", "x")},
			after:  []*thing{made("a", "u", "1", "y")},
			want:   []string{"update a 1 1"},
		},
		{
			name: "no versions", ordered: true, version: "",
			before: []*thing{made("a", "u", "", "x"), made("b", "v", "", "x")},
			after:  []*thing{made("a", "u", "", "y"), made("b", "v", "", "x")},
			want:   []string{"update a  "},
		},
		{
			name: "a source of which nothing is known", version: "9",
			before: []*thing{made("a", "u", "1", "x"), made("b", "v", "2", "x")},
			after:  []*thing{made("a", "u", "1", "y"), made("b", "v", "2", "x")},
			want:   []string{"update a 1 1"},
		},
		{
			name: "versions of etcd", ordered: true, version: "9",
			before: []*thing{made("a", "u", "1", "x"), made("b", "v", "2", "x")},
			after:  []*thing{made("a", "u", "1", "x"), made("b", "v", "3", "x")},
			want:   []string{"update b 2 3"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &oddServer{ordered: test.ordered, version: test.version, objects: test.before, events: make(chan cache.WatchEvent)}
				r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{}))
				settle()
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				initial := len(recorder.Events())
				server.change(func() { server.objects = test.after })
				close(server.events) // at once: the informer lists again
				time.Sleep(3 * time.Second)
				expect(t, "events", test.want, lines(recorder.Events()[initial:]))
			})
		})
	}
}

// An informer does not ask a source about which nothing is known for its version while the source is
// silent. A relist that finds the same objects has no events.
func TestIdleSourceWithoutOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &oddServer{objects: []*thing{made("a", "u", "", "x")}, events: make(chan cache.WatchEvent)}
		r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{}))
		recorder, _ := r.handle(cache.HandlerOptions{})
		time.Sleep(time.Hour)
		settle()
		expect(t, "events", []string{"add a  initial"}, lines(recorder.Events()))
		if server.lists != 1 || server.watches != 1 {
			t.Errorf("%d lists and %d watches", server.lists, server.watches)
		}
		server.events <- modified(made("a", "u", "", "y"))
		settle()
		expect(t, "events", []string{"add a  initial", "update a  "}, lines(recorder.Events()))
	})
}

// A deletion is one whatever becomes of the transform of the last state.
func TestDeletionNeedsNoTransform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		var broken bool
		r := run(t, api, cache.Options[*thing]{Transform: func(obj *thing) (*thing, error) {
			if broken {
				return nil, errors.New("no")
			}
			return obj, nil
		}})
		recorder, _ := r.handle(cache.HandlerOptions{})
		settle()
		broken = true
		must[*thing](t)(api.Delete(keyOf("a")))
		settle()
		expect(t, "store", []string{"b 3"}, names(r.Store().List()))
		expect(t, "events", []string{"add a 2 initial", "add b 3 initial", "delete a 2"}, lines(recorder.Events()))
	})
}

// An object that could not be decoded is looked up by its name a little later, and more
// and more rarely as long as it can't be.
func TestUndecodableObjectIsLookedUp(t *testing.T) {
	undecodable := &failure.ObjectError{Err: errors.New("garbled")}
	lookup := func(r cachetest.Request) bool { return r.Options.FieldSelector != "" }
	lookups := func(api *cachetest.API[*thing]) (n int) {
		for _, r := range api.Requests() {
			if lookup(r) {
				n++
			}
		}
		return n
	}
	for _, test := range []struct {
		name   string
		script func(t *testing.T, api *cachetest.API[*thing])
		within time.Duration
		most   int
	}{
		{
			name: "an update, once", within: 4 * time.Second, most: 1,
			script: func(t *testing.T, api *cachetest.API[*thing]) { touch(t, api, "a") },
		},
		{
			name: "an update before the end of the watch", within: 4 * time.Second, most: 1,
			script: func(t *testing.T, api *cachetest.API[*thing]) { touch(t, api, "a"); settle(); api.CloseWatches() },
		},
		{
			name: "a deletion", within: 4 * time.Second, most: 1,
			script: func(t *testing.T, api *cachetest.API[*thing]) { must[*thing](t)(api.Delete(keyOf("a"))) },
		},
		{
			name: "an update that another one follows", within: 0, most: 0,
			script: func(t *testing.T, api *cachetest.API[*thing]) { touch(t, api, "a"); settle(); touch(t, api, "a") },
		},
		{
			name: "for half an hour", within: 45 * time.Minute, most: 16,
			script: func(t *testing.T, api *cachetest.API[*thing]) {
				api.Fail(cachetest.Fault{Verb: cachetest.List, If: lookup, Times: -1, Err: undecodable})
				touch(t, api, "a")
				time.Sleep(30 * time.Minute)
				api.ClearFaults()
			},
		},
		{
			name: "while look-ups are refused", within: 10 * time.Second, most: 3,
			script: func(t *testing.T, api *cachetest.API[*thing]) {
				api.Fail(cachetest.Fault{Verb: cachetest.List, If: lookup, Err: cachetest.Status(403)})
				touch(t, api, "a")
				time.Sleep(10 * time.Second)
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				r := run(t, api, cache.Options[*thing]{DisableWatchList: true, ListWatch: cache.ListWatch{WatchTimeout: 24 * time.Hour}})
				recorder, _ := r.handle(cache.HandlerOptions{})
				time.Sleep(2 * time.Second)
				api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: undecodable})
				api.CloseWatches()
				time.Sleep(2 * time.Second)
				test.script(t, api)
				settle()
				time.Sleep(test.within)
				settle()
				expect(t, "store", names(api.Objects()), names(r.Store().List()))
				expect(t, "handler", names(api.Objects()), names(slices.Collect(maps.Values(recorder.View()))))
				if n := lookups(api); n > test.most {
					t.Errorf("%d look-ups, want no more than %d", n, test.most)
				}
				if s := r.Status(); s.Relists != 0 || !strings.Contains(s.LastObjectError.Error(), "garbled") {
					t.Errorf("status: %+v", s)
				}
			})
		})
	}
}

// A transform is never called concurrently, also not for an object that is read by its name
// while the watch goes on.
func TestTransformIsNotConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		var running, most atomic.Int32
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true, Transform: func(obj *thing) (*thing, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(time.Minute)
			return obj, nil
		}})
		time.Sleep(3 * time.Minute)
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: &failure.ObjectError{Err: errors.New("garbled")}})
		api.CloseWatches()
		time.Sleep(2 * time.Second)
		touch(t, api, "a")
		time.Sleep(10 * time.Second) // until it is read by its name
		touch(t, api, "b")
		time.Sleep(3 * time.Minute)
		expect(t, "store", names(api.Objects()), names(r.Store().List()))
		if most.Load() != 1 {
			t.Errorf("transform: %d calls at the same time", most.Load())
		}
	})
}

// A server without versions is listed again when a watch has ended: what was deleted
// meanwhile is found out.
func TestNoVersionToWatchFrom(t *testing.T) {
	for _, version := range []string{"", "0"} {
		t.Run("version "+version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &oddServer{ordered: true, version: version, objects: []*thing{made("a", "u", "", "x"), made("b", "v", "", "x")}, events: make(chan cache.WatchEvent)}
				r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{}))
				recorder, _ := r.handle(cache.HandlerOptions{})
				time.Sleep(time.Minute)
				settle()
				ended := server.events
				server.change(func() {
					server.objects = server.objects[1:]
					server.events = make(chan cache.WatchEvent)
				})
				close(ended)
				time.Sleep(2 * time.Second)
				expect(t, "events", []string{"add a  initial", "add b  initial", "delete a  unseen"}, lines(recorder.Events()))
			})
		})
	}
}

// An empty list without a version deletes nothing until lists have been so for a while, if earlier lists of
// the server had a version and nothing else is known of it.
func TestListThatLostItsVersion(t *testing.T) {
	for _, test := range []struct {
		version string
		fake    bool
		// lasts is the time for which lists are so, with a list that failed in between, if any.
		lasts  time.Duration
		failed bool
		want   []string
	}{
		{version: "", lasts: 4 * time.Minute},
		{version: "0", lasts: 4 * time.Minute},
		{version: "", lasts: 8 * time.Minute, failed: true},
		{version: "", lasts: 8 * time.Minute, want: []string{"delete a 5 unseen"}},
		{version: "0", lasts: 8 * time.Minute, want: []string{"delete a 5 unseen"}},
		{version: "", fake: true, lasts: time.Minute, want: []string{"delete a 5 unseen"}},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &oddServer{ordered: !test.fake, noFake: !test.fake, version: "7", objects: []*thing{made("a", "u", "5", "x")}, events: make(chan cache.WatchEvent)}
				r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{DisableWatchList: true}))
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				genuine := server.objects
				server.change(func() { server.version, server.objects = test.version, nil })
				close(server.events) // at once: the informer lists again
				time.Sleep(test.lasts / 2)
				if s := r.Status(); !test.fake && !strings.Contains(s.LastError.Error(), "doubtful list: has no items") {
					t.Errorf("status: %v", s)
				}
				if test.failed {
					server.change(func() { server.listError = errors.New("busy") })
					time.Sleep(2 * time.Minute)
					server.change(func() { server.listError = nil })
				}
				time.Sleep(test.lasts / 2)
				settle()
				want := append([]string{"add a 5 initial"}, test.want...)
				expect(t, "events", want, lines(recorder.Events()))
				server.change(func() {
					server.events = make(chan cache.WatchEvent)
					server.version, server.objects = "9", genuine
				})
				time.Sleep(3 * time.Minute)
				if test.want != nil {
					want = append(want, "add a 5")
				}
				expect(t, "events", want, lines(recorder.Events()))
				if s := r.Status(); s.Phase != cache.PhaseWatching {
					t.Errorf("status: %v", s)
				}
			})
		})
	}
}

// A fake whose versions look like a server's is taken for one that may be dead when it is
// silent. What the next watch then repeats at its beginning is no event; what it sends
// later is, also if nothing has changed.
func TestSilentFakeIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &oddServer{
			version: "10",
			objects: []*thing{made("a", "u", "7", "x"), made("b", "v", "9", "x")},
			events:  make(chan cache.WatchEvent),
		}
		r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{}))
		recorder, _ := r.handle(cache.HandlerOptions{})
		settle()
		watches := func() (n int) {
			server.change(func() { n = server.watches })
			return n
		}
		for before := watches(); watches() == before; {
			time.Sleep(time.Second / 2)
		}
		server.events <- modified(made("b", "v", "9", "x"))
		settle()
		time.Sleep(time.Minute)
		server.events <- modified(made("b", "v", "9", "x"))
		server.events <- modified(made("b", "v", "9", "y"))
		settle()
		expect(t, "events", []string{"add a 7 initial", "add b 9 initial", "update b 9 9", "update b 9 9"}, lines(recorder.Events()))
	})
}
