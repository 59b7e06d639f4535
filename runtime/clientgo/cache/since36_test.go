//go:build !before36

package cache

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

const (
	addedBefore36 = ""
	// otherTypes are the names with another type than client-go's, and what makes
	// it. The constructors of stores, which take it, have the same words.
	otherTypes = `StoreOption WithStoreMetrics WithTransformer`
	// lastTwin is the event of client-go for the second of two objects of one key in a list.
	lastTwin = "add b@9"
)

func comparedVersion(store Store) string { return store.LastStoreSyncResourceVersion() }

func deleteObject(s ThreadSafeStore, key string, obj any) { s.DeleteWithObject(key, obj) }

func bookmark(x Indexer, resourceVersion string) { x.Bookmark(resourceVersion) }

// logTo reports whether an informer can be given a logger, and does it.
func logTo(logger *klog.Logger, options *InformerOptions) bool {
	options.Logger = logger
	return true
}

func TestInformerName(t *testing.T) {
	widget := schema.GroupVersionKind{Group: "apps.example.com", Version: "v1alpha1", Kind: "Widget"}
	unstructuredWidget := &unstructured.Unstructured{}
	unstructuredWidget.SetGroupVersionKind(widget)
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(widget)
	var noName *InformerName
	pods := noName.WithResource(v1.SchemeGroupVersion.WithResource("pods"))
	widgets := noName.WithResource(widget.GroupVersion().WithResource("widgets"))
	for name, test := range map[string]struct {
		example     runtime.Object
		description string
		identifier  InformerNameAndResource
		want        string
	}{
		"description":              {unstructuredWidget, "my widgets", widgets, "my widgets"},
		"resource":                 {unstructuredWidget, "", widgets, "widgets.v1alpha1.apps.example.com"},
		"resource of the core":     {&v1.Pod{}, "", pods, "pods.v1"},
		"unstructured":             {unstructuredWidget, "", InformerNameAndResource{}, "Widget.v1alpha1.apps.example.com"},
		"metadata":                 {metadata, "", InformerNameAndResource{}, "Widget.v1alpha1.apps.example.com"},
		"typed with its kind":      {&v1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}, "", InformerNameAndResource{}, "Pod.v1"},
		"typed":                    {&v1.Pod{}, "", InformerNameAndResource{}, "k8s.io/api/core/v1.Pod"},
		"unstructured of any kind": {&unstructured.Unstructured{}, "", InformerNameAndResource{}, "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.Unstructured"},
		"nil pointer":              {(*v1.Pod)(nil), "", InformerNameAndResource{}, "k8s.io/api/core/v1.Pod"},
		"no example":               {nil, "", InformerNameAndResource{}, "objects of any type"},
	} {
		t.Run(name, func(t *testing.T) {
			informer := NewSharedIndexInformerWithOptions(&ListWatch{}, test.example, SharedIndexInformerOptions{
				ObjectDescription: test.description,
				Identifier:        test.identifier,
			})
			if status, ok := StatusOf(informer); !ok || status.Name != test.want {
				t.Errorf("shared: status of %q, want %q", status.Name, test.want)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := WaitForSync(ctx, informer)
			if err == nil || !strings.Contains(err.Error(), `informer "`+test.want+`"`) {
				t.Errorf("WaitForSync: %v", err)
			}
			if test.description != "" {
				return
			}
			unshared := newUnshared(InformerOptions{ListerWatcher: &ListWatch{}, ObjectType: test.example, Identifier: test.identifier})
			if status, ok := StatusOf(unshared.informer); !ok || status.Name != test.want {
				t.Errorf("not shared: status of %q, want %q", status.Name, test.want)
			}
		})
	}
}

// The panic log of an informer that is not shared names the handler too. The informer ends with the panic.
func TestUnsharedPanicLogNamesHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, logged := textLogger()
		_, lw := podAPI("a")
		var want string
		_, controller := NewInformerWithOptions(InformerOptions{
			Logger:        &logger,
			ListerWatcher: lw,
			ObjectType:    &v1.Pod{},
			Handler: ResourceEventHandlerFuncs{AddFunc: func(any) {
				want = here(1)
				panic("no room")
			}},
		})
		defer func() {
			if value := recover(); value != "no room" {
				t.Errorf("Run panicked with %v", value)
			}
			if want += ` "Observed a panic" panic="no room"`; !strings.Contains(logged.String(), want) {
				t.Errorf("%s is not in the log:\n%s", want, logged)
			}
		}()
		if !utilruntime.ReallyCrash {
			t.Fatal("panics do not end the process")
		}
		controller.RunWithContext(t.Context())
	})
}

// An informer publishes how long its queue is, how long it takes to process what
// comes out of it, and the resourceVersion of its store.
func TestInformerMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := &metricsLog{}
		api := newFakeAPI(pod("ns", "a", ""))
		informer := NewSharedIndexInformerWithOptions(api.listWatch(), &v1.Pod{}, SharedIndexInformerOptions{
			Identifier:              newInformerName(t).WithResource(podsResource),
			InformerMetricsProvider: metrics,
		})
		defer run(t, informer)()

		line := func(metric string) string { return "TestInformerMetrics pods " + metric }
		want := []string{line("queued: 1"), line("queued: 0"), line("latency: 0"), line("version: 1")}
		if diff := cmp.Diff(want, metrics.take()); diff != "" {
			t.Errorf("after the list (-want +got):\n%s", diff)
		}
		api.set(pod("ns", "b", ""))
		synctest.Wait()
		want[3] = line("version: 2")
		if diff := cmp.Diff(want, metrics.take()); diff != "" {
			t.Errorf("after an event (-want +got):\n%s", diff)
		}
	})
}

// An informer with one handler has the metrics of a shared informer.
func TestUnsharedInformerMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := &metricsLog{}
		_, lw := podAPI()
		_, controller := NewInformerWithOptions(InformerOptions{
			ListerWatcher:           lw,
			ObjectType:              &v1.Pod{},
			Handler:                 ResourceEventHandlerFuncs{},
			Identifier:              newInformerName(t).WithResource(podsResource),
			InformerMetricsProvider: metrics,
		})
		defer background(t, controller.RunWithContext)()
		if got := metrics.take(); len(got) != 4 {
			t.Errorf("metrics %q", got)
		}
	})
}

// A transform changes nothing of the version that a store has reached; client-go's has the version that the
// transform left in the last object.
func TestStoreVersionOfTransformedObjects(t *testing.T) {
	for name, test := range map[string]struct {
		informer func(cache.ListerWatcher, runtime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer
		want     string
	}{
		"ours":        {NewSharedIndexInformer, "2"},
		"client-go's": {cache.NewSharedIndexInformer, "none"},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := newFakeAPI(pod("ns", "a", ""))
			informer := test.informer(api.listWatch(), &v1.Pod{}, 0, Indexers{})
			_ = informer.SetTransform(func(obj any) (any, error) {
				obj.(*v1.Pod).ResourceVersion = "none"
				return obj, nil
			})
			defer run(t, informer)()
			api.set(pod("ns", "b", ""))
			synctest.Wait()
			if got := informer.GetStore().LastStoreSyncResourceVersion(); got != test.want {
				t.Errorf("%s: %s, want %s", name, got, test.want)
			}
		})
	}
}

func TestNamesOfCheckers(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		informer := podInformer(newFakeAPI(), 0)
		handle := add(t, informer, &recorder{}, 0)
		if got, want := informer.HasSyncedChecker().Name(), "SharedIndexInformer *v1.Pod"; got != want {
			t.Errorf("informer: got %q, want %q", got, want)
		}
		want := "SharedIndexInformer *v1.Pod + event handler github.com/informer-gen/informer-gen/runtime/clientgo/cache.recorder"
		if got := handle.HasSyncedChecker().Name(); got != want {
			t.Errorf("handler: got %q, want %q", got, want)
		}
	})
}
