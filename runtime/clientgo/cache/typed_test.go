package cache

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

func typedPodInformer(api *fakeAPI, resync time.Duration) TypedSharedIndexInformer[*v1.Pod] {
	informer := core.New(source.FromListerWatcher[*v1.Pod](api.listWatch(), nil), core.Options[*v1.Pod]{})
	return Typed(informer, AdapterOptions{Resync: resync, Indexers: Indexers{NamespaceIndex: MetaNamespaceIndexFunc}})
}

// typedRecorder forwards its calls to a recorder.
type typedRecorder struct{ r *recorder }

func (h typedRecorder) OnAdd(obj *v1.Pod, initial bool) { h.r.OnAdd(obj, initial) }

func (h typedRecorder) OnUpdate(old, obj *v1.Pod) { h.r.OnUpdate(old, obj) }

func (h typedRecorder) OnDelete(obj DeletedObject[*v1.Pod]) {
	if obj.FinalStateUnknown != nil {
		h.r.note("gone", obj.GetKey(), nameAndRole(obj.OptionalObj), nameAndRole(obj.FinalStateUnknown.Obj))
		return
	}
	h.r.note("delete", nameAndRole(obj.OptionalObj))
}

func TestTypedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", "", "web"))
		informer := typedPodInformer(api, 0)
		var typed, untyped recorder
		handle, err := informer.AddTypedEventHandler(typedRecorder{&typed})
		if err != nil {
			t.Fatal(err)
		}
		add(t, informer, &untyped, 0)
		if _, err := informer.AddTypedEventHandler(typedRecorder{&typed}, HandlerOptions{}, HandlerOptions{}); err == nil {
			t.Error("two HandlerOptions are accepted")
		}
		if err := informer.AddTypedIndexers(TypedIndexers[*v1.Pod]{"name": func(p *v1.Pod) ([]string, error) { return []string{p.Name}, nil }}); err != nil {
			t.Fatal(err)
		}
		stop := run(t, informer)
		wantCalls(t, &typed, "initial a=web")
		wantCalls(t, &untyped, "initial a=web")

		api.set(pod("ns", "a", "", "db"))
		api.set(pod("ns", "b", ""))
		api.delete("ns", "b")
		want := []string{"update a=web a=db", "add b", "delete b"}
		wantCalls(t, &typed, want...)
		wantCalls(t, &untyped, want...)

		if got, err := informer.GetTypedIndexer().ByTypedIndex("name", "a"); err != nil || !slices.Equal(names(got), []string{"ns/a"}) {
			t.Errorf("got %v, %v", got, err)
		}
		api.disconnect(func() { api.delete("ns", "a") })
		time.Sleep(time.Minute)
		wantCalls(t, &typed, "gone ns/a a=db a=db")
		wantCalls(t, &untyped, "gone ns/a a=db")
		if want := "SharedIndexInformer *v1.Pod + event handler github.com/informer-gen/informer-gen/runtime/clientgo/cache.typedRecorder"; checkerOf(handle).Name() != want {
			t.Errorf("got %q, want %q", checkerOf(handle).Name(), want)
		}
		stop()
		wantError(t, informer.AddTypedIndexers(nil), "indexer was not added because it has stopped already")
		if _, err := informer.AddTypedEventHandler(typedRecorder{&typed}); err == nil {
			t.Error("a handler is added after the stop")
		}
	})
}

func TestNewTypedSharedIndexInformer(t *testing.T) {
	typed := typedPodInformer(newFakeAPI(), 0)
	if got := NewTypedSharedIndexInformer[*v1.Pod](typed); got != typed {
		t.Error("a typed informer is wrapped")
	}
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", ""))
		for name, untyped := range map[string]SharedIndexInformer{
			"ours":        podInformer(api, 0),
			"client-go's": cache.NewSharedIndexInformer(api.listWatch(), &v1.Pod{}, 0, Indexers{}),
		} {
			informer := NewTypedSharedIndexInformer[*v1.Pod](untyped)
			var r recorder
			if _, err := informer.AddTypedEventHandler(typedRecorder{&r}); err != nil {
				t.Fatal(err)
			}
			if err := informer.AddTypedIndexers(TypedIndexers[*v1.Pod]{"name": func(p *v1.Pod) ([]string, error) { return []string{p.Name}, nil }}); err != nil {
				t.Fatal(err)
			}
			stop := run(t, informer)
			wantCalls(t, &r, "initial a")
			if got, err := informer.GetTypedIndexer().ByTypedIndex("name", "a"); err != nil || len(got) != 1 {
				t.Errorf("%s: got %v, %v", name, got, err)
			}
			stop()
		}
	})
}

// A status is found without the type of the objects, and through wrappers.
func TestStatusOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", "", "web"))
		typed := typedPodInformer(api, 0)
		untyped := NewSharedIndexInformer(api.listWatch(), &v1.Pod{}, 0, Indexers{})
		add(t, typed, &recorder{}, 0)
		stop, stopUntyped := run(t, typed), run(t, untyped)
		for _, informer := range []SharedIndexInformer{typed, struct{ SharedIndexInformer }{untyped}} {
			if status, ok := StatusOf(informer); !ok || status.Phase != core.PhaseWatching || status.Objects != 1 {
				t.Errorf("%T: %v, %d objects", informer, status, status.Objects)
			}
		}
		if status, _ := StatusOf(typed); len(status.Handlers) != 1 || status.Handlers[0].Delivered != 1 {
			t.Errorf("handlers %+v", status.Handlers)
		}
		stop()
		stopUntyped()
		if _, ok := StatusOf(cache.NewSharedInformer(api.listWatch(), &v1.Pod{}, 0)); ok {
			t.Error("an informer of client-go has a status")
		}
	})
}

// An informer that a cache hands out becomes a typed one, unless it can't be.
func TestTypedInformerOf(t *testing.T) {
	pods := NewSharedIndexInformer(&ListWatch{}, &v1.Pod{}, 0, Indexers{})
	theirs := cache.NewSharedIndexInformer(&ListWatch{}, &v1.Pod{}, 0, Indexers{})
	for name, informer := range map[string]SharedIndexInformer{"ours": pods, "client-go's": theirs} {
		typed, err := TypedInformerOf[*v1.Pod](informer)
		if err != nil || typed.GetIndexer() != informer.GetIndexer() {
			t.Errorf("%s: got %v, %v", name, typed, err)
		}
	}
	for want, informer := range map[string]any{
		`informer of type *v1.Pod: not a SharedIndexInformer; if it is of a manager's cache with DefaultNamespaces or ` +
			`ByObject.Namespaces, which has an informer for each namespace, use the manager's client, or a generated factory`: &v1.Pod{},
		`informer "k8s.io/api/core/v1.Pod": its objects are of type *v1.Pod, not *v1.Service; ask for the informer of a *v1.Service`: pods,
	} {
		if typed, err := TypedInformerOf[*v1.Service](informer); err == nil || err.Error() != want {
			t.Errorf("got %v, %v, want %s", typed, err, want)
		}
	}
}
