package cache_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// hiding has transforms that change the identity or the version of an object.
var hiding = map[string]func(*thing) (*thing, error){
	"nothing": func(obj *thing) (*thing, error) { return obj, nil },
	"no version, in place": func(obj *thing) (*thing, error) {
		obj.ResourceVersion = ""
		return obj, nil
	},
	"no version, in a copy": func(obj *thing) (*thing, error) {
		obj = obj.DeepCopy()
		obj.ResourceVersion = ""
		return obj, nil
	},
	"an early version": func(obj *thing) (*thing, error) {
		obj.ResourceVersion = "1"
		return obj, nil
	},
	"a late version": func(obj *thing) (*thing, error) {
		obj.ResourceVersion = "1000000"
		return obj, nil
	},
	"a version that is no number": func(obj *thing) (*thing, error) {
		obj.ResourceVersion = "v" + obj.ResourceVersion
		return obj, nil
	},
	"no UID": func(obj *thing) (*thing, error) {
		obj.UID = ""
		return obj, nil
	},
	"the name alone": func(obj *thing) (*thing, error) {
		return &thing{ObjectMeta: metav1.ObjectMeta{Namespace: obj.Namespace, Name: obj.Name, Labels: obj.Labels}}, nil
	},
	"of every second object": func(obj *thing) (*thing, error) {
		if obj.Name == "b" {
			obj.ResourceVersion = ""
		}
		return obj, nil
	},
}

// ofNames is a source of the objects of these names.
type ofNames struct {
	*cachetest.API[*thing]
	names []string
}

func (n ofNames) Describe() cache.SourceInfo {
	return cache.SourceInfo{
		Named: true,
		Scopes: func() (scopes []types.NamespacedName, _ <-chan struct{}) {
			for _, name := range n.names {
				scopes = append(scopes, keyOf(name))
			}
			return scopes, nil
		},
		In: func(scope types.NamespacedName) cache.Objects {
			return byName{n.InNamespace(scope.Namespace).Objects, scope.Name}
		},
	}
}

// byName is a source of one object.
type byName struct {
	cache.Objects
	name string
}

func (s byName) options(options metav1.ListOptions) metav1.ListOptions {
	options.FieldSelector = fields.OneTermEqualSelector("metadata.name", s.name).String()
	return options
}

func (s byName) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return s.Objects.List(ctx, s.options(options), each)
}

func (s byName) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	return s.Objects.Watch(ctx, s.options(options))
}

// withoutOrder is a source whose versions can't be compared.
type withoutOrder struct{ cache.Objects }

func (withoutOrder) Describe() cache.SourceInfo { return cache.SourceInfo{NoWatchList: true} }

// listing has the sources and options of informers that list in different ways.
var listing = map[string]func(api *cachetest.API[*thing], options *cache.Options[*thing]) cache.Source[*thing]{
	"watch-lists": func(api *cachetest.API[*thing], _ *cache.Options[*thing]) cache.Source[*thing] { return api.Source() },
	"lists": func(api *cachetest.API[*thing], options *cache.Options[*thing]) cache.Source[*thing] {
		options.DisableWatchList = true
		return api.Source()
	},
	"without an order": func(api *cachetest.API[*thing], _ *cache.Options[*thing]) cache.Source[*thing] {
		return sourceOf(withoutOrder{api.Source()})
	},
	"namespaces": func(api *cachetest.API[*thing], _ *cache.Options[*thing]) cache.Source[*thing] {
		return sourceOf(&namespaces{API: api, names: []string{"other", "ns"}})
	},
	"names": func(api *cachetest.API[*thing], _ *cache.Options[*thing]) cache.Source[*thing] {
		return sourceOf(ofNames{api, []string{"a", "b", "c"}})
	},
}

// A relist updates the objects that the server has changed, whatever a transform does to versions.
func TestRelistOfTransformedObjects(t *testing.T) {
	for name, transform := range hiding {
		for how, source := range listing {
			t.Run(name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := cachetest.NewAPI(newThing("a"), newThing("b"), newThing("c"))
					options := cache.Options[*thing]{Transform: transform}
					r := start(t, cache.New(source(api, &options), options))
					recorder, _ := r.handle(cache.HandlerOptions{})
					time.Sleep(time.Minute)
					touch(t, api, "a") // now one was watched
					settle()
					seen := len(recorder.Events())
					relist := func(missed func()) []string {
						api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: 3, Err: cachetest.ErrConnectionRefused})
						api.BreakWatches(cachetest.ErrConnectionReset)
						settle()
						missed()
						must[*thing](t)(api.Create(newThing("briefly")))
						must[*thing](t)(api.Delete(keyOf("briefly")))
						api.Compact()
						time.Sleep(10 * time.Minute)
						events := recorder.Events()[seen:]
						seen += len(events)
						return kinds(events)
					}
					before := r.Status().Relists
					expect(t, "events without a change", nil, relist(func() {}))
					if r.Status().Relists == before {
						t.Error("there was no relist")
					}
					expect(t, "events of one change", []string{"update b"}, relist(func() { touch(t, api, "b") }))
					expect(t, "events of another object of the same name", []string{"update c"}, relist(func() {
						must[*thing](t)(api.Delete(keyOf("c")))
						must[*thing](t)(api.Create(newThing("c")))
					}))
					expect(t, "events in the end", nil, relist(func() {}))
					if got, want := r.Store().ResourceVersion(), api.ResourceVersion(); got != want {
						t.Errorf("the store has reached %s, want %s", got, want)
					}
				})
			})
		}
	}
}

// Waits go by the versions that the server sent.
func TestWaitsForTransformedObjects(t *testing.T) {
	for _, test := range []struct {
		name string
		want time.Duration
		wait func(api *cachetest.API[*thing], r running, has *thing) func(context.Context) error
	}{
		{"what the store has", 0, func(_ *cachetest.API[*thing], r running, has *thing) func(context.Context) error {
			return func(ctx context.Context) error { return r.WaitForWrite(ctx, has) }
		}},
		{"a write", 10 * time.Second, func(api *cachetest.API[*thing], r running, _ *thing) func(context.Context) error {
			changed := touch(r.t, api, "a")
			return func(ctx context.Context) error { return r.WaitForWrite(ctx, changed) }
		}},
		{"a deletion", 10 * time.Second, func(api *cachetest.API[*thing], r running, has *thing) func(context.Context) error {
			must[*thing](r.t)(api.Delete(keyOf("a")))
			return func(ctx context.Context) error { return r.WaitForDeletion(ctx, has) }
		}},
		{"a deletion of what the store has", 10 * time.Second, func(api *cachetest.API[*thing], r running, _ *thing) func(context.Context) error {
			obj, _ := r.Store().Get(keyOf("a"))
			must[*thing](r.t)(api.Delete(keyOf("a")))
			return func(ctx context.Context) error { return r.WaitForDeletion(ctx, obj) }
		}},
		{"a deletion of a name", 10 * time.Second, func(api *cachetest.API[*thing], r running, _ *thing) func(context.Context) error {
			must[*thing](r.t)(api.Delete(keyOf("a")))
			return func(ctx context.Context) error { return r.WaitForDeletion(ctx, newThing("a")) }
		}},
		{"a deletion that waits for finalizers", 10 * time.Second, func(api *cachetest.API[*thing], r running, has *thing) func(context.Context) error {
			has.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			must[*thing](r.t)(api.Update(has))
			return func(ctx context.Context) error { return r.WaitForDeletion(ctx, has) }
		}},
	} {
		for name, transform := range hiding {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := cachetest.NewAPI(newThing("a"), newThing("b"))
					r := late(t, api, cache.Options[*thing]{Transform: transform})
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					wait := test.wait(api, r, must[*thing](t)(api.Get(keyOf("a"))))
					after(t, "wait", test.want, func() error { return wait(ctx) })
				})
			})
		}
	}
}

// Events are compared with the versions that the server sent of the objects in the store: an older
// state is delivered, and then read again by its name.
func TestEventsOfTransformedObjects(t *testing.T) {
	for name, transform := range hiding {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &oddServer{
					ordered: true, version: "9", events: make(chan cache.WatchEvent),
					objects: []*thing{made("a", "u", "5", "x"), made("b", "v", "7", "x")},
				}
				r := start(t, cache.New(sourceOf(server), cache.Options[*thing]{Transform: transform}))
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				lists := func() (n int) {
					server.change(func() { n = server.lists })
					return n
				}
				send := func(event cache.WatchEvent, lookups int, want ...string) {
					t.Helper()
					seen, listed := len(recorder.Events()), lists()
					server.events <- event
					time.Sleep(10 * time.Second)
					expect(t, "events", want, kinds(recorder.Events()[seen:]))
					if got := lists() - listed; got != lookups {
						t.Errorf("%d look-ups, want %d", got, lookups)
					}
				}
				send(modified(made("b", "v", "7", "x")), 0, "update b")
				send(modified(made("a", "u", "4", "old")), 1, "update a", "update a")
				send(deleted(made("b", "other", "6", "old")), 1)
			})
		})
	}
}

// kinds describes events without their versions.
func kinds(events []cachetest.Event[*thing]) (all []string) {
	for _, e := range events {
		all = append(all, string(e.Type)+" "+e.Key.Name)
	}
	return all
}
