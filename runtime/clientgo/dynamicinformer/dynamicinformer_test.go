package dynamicinformer

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

var (
	carps = schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: "carps"}
	pikes = schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: "pikes"}
)

func carp(namespace, name, color string) *testv1.Carp {
	return &testv1.Carp{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels.Set{"color": color}}}
}

// pond is an API server in memory with some carps and no pikes, and a client of
// it.
func pond(t *testing.T) (*cachetest.API[*testv1.Carp], dynamic.Interface) {
	t.Helper()
	api := cachetest.NewAPI(carp("a", "1", "red"), carp("a", "2", "blue"), carp("b", "1", "red"))
	server := cachetest.NewServer()
	cachetest.Serve(server, carps, "Carp", api)
	cachetest.Serve(server, pikes, "Pike", cachetest.NewAPI[*testv1.Carp]())
	client, err := dynamic.NewForConfig(&rest.Config{Host: "http://pond", Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	return api, client
}

func listed(t *testing.T, lister interface {
	List(labels.Selector) ([]runtime.Object, error)
}, selector labels.Selector) []string {
	t.Helper()
	objs, err := lister.List(selector)
	if err != nil {
		t.Error(err)
	}
	var keys []string
	for _, obj := range objs {
		keys = append(keys, cache.MetaObjectToName(obj.(*unstructured.Unstructured)).String())
	}
	slices.Sort(keys)
	return keys
}

func TestFilters(t *testing.T) {
	red := func(o *metav1.ListOptions) { o.LabelSelector = "color=red" }
	for name, c := range map[string]struct {
		namespace string
		tweak     TweakListOptionsFunc
		want      []string
	}{
		"none":      {want: []string{"a/1", "a/2", "b/1"}},
		"namespace": {namespace: "a", want: []string{"a/1", "a/2"}},
		"options":   {tweak: red, want: []string{"a/1", "b/1"}},
		"both":      {namespace: "a", tweak: red, want: []string{"a/1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, client := pond(t)
				ctx, stop := context.WithCancel(t.Context())
				factory := NewFilteredDynamicSharedInformerFactory(client, 0, c.namespace, c.tweak)
				lister := factory.ForResource(carps).Lister()
				factory.Start(ctx.Done())
				if synced := factory.WaitForCacheSync(ctx.Done()); len(synced) != 1 || !synced[carps] {
					t.Errorf("in sync: %v", synced)
				}
				stop()
				factory.Shutdown()
				if got := listed(t, lister, labels.Everything()); !slices.Equal(got, c.want) {
					t.Errorf("listed %v, want %v", got, c.want)
				}
				for _, request := range api.Requests() {
					if request.Verb == cachetest.List {
						t.Error("a list, where a watch-list will do")
					}
				}
			})
		})
	}
}

func TestListers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := pond(t)
		ctx, stop := context.WithCancel(t.Context())
		informer := NewFilteredDynamicInformer(client, carps, "", 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, nil)
		done := make(chan struct{})
		go func() {
			defer close(done)
			informer.Informer().RunWithContext(ctx)
		}()
		<-clientgocache.SyncedChecker(informer.Informer()).Done()
		stop()
		<-done

		lister := informer.Lister()
		if got := listed(t, lister, labels.SelectorFromSet(labels.Set{"color": "red"})); !slices.Equal(got, []string{"a/1", "b/1"}) {
			t.Errorf("red ones: %v", got)
		}
		if got := listed(t, lister.ByNamespace("a"), labels.Everything()); !slices.Equal(got, []string{"a/1", "a/2"}) {
			t.Errorf("in the namespace: %v", got)
		}
		if obj, err := lister.ByNamespace("a").Get("2"); err != nil || obj.(*unstructured.Unstructured).GetLabels()["color"] != "blue" {
			t.Errorf("got %v, %v", obj, err)
		}
		if _, err := lister.ByNamespace("b").Get("2"); err == nil || err.Error() != `carps.pond.test "2" not found` {
			t.Errorf("error %v", err)
		}
		typed := clientgocache.NewTypedSharedIndexInformer[*unstructured.Unstructured](informer.Informer())
		if objs, err := typed.GetTypedIndexer().ByTypedIndex(cache.NamespaceIndex, "b"); err != nil || len(objs) != 1 || objs[0].GetName() != "1" {
			t.Errorf("typed: %v, %v", objs, err)
		}
	})
}

func TestOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := pond(t)
		ctx, stop := context.WithCancel(t.Context())
		factory := New(client, Options{
			DefaultResync: time.Hour,
			CustomResync:  map[any]time.Duration{carps: time.Minute},
			Transform: func(obj any) (any, error) {
				obj.(*unstructured.Unstructured).SetLabels(nil)
				return obj, nil
			},
		})
		defer factory.Shutdown()
		defer stop()
		if factory.ForResource(carps) != factory.ForResource(carps) || factory.ForResource(carps) == factory.ForResource(pikes) {
			t.Error("not one informer for each resource")
		}
		resyncs := 0
		if _, err := factory.ForResource(carps).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			UpdateFunc: func(old, obj any) { resyncs++ },
		}); err != nil {
			t.Fatal(err)
		}
		factory.StartWithContext(ctx)
		if err := factory.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if synced := factory.WaitForCacheSyncWithContext(ctx); len(synced) != 2 || !synced[carps] || !synced[pikes] {
			t.Errorf("in sync: %v", synced)
		}
		time.Sleep(2*time.Minute + time.Second)
		synctest.Wait()
		if resyncs != 2*3 {
			t.Errorf("%d resyncs of 3 objects in two minutes", resyncs)
		}
		objs := factory.InformerFor(carps).GetStore().List()
		if len(objs) != 3 {
			t.Errorf("%d objects, want 3", len(objs))
		}
		for _, obj := range objs {
			if got := obj.(*unstructured.Unstructured).GetLabels(); got != nil {
				t.Errorf("not transformed: has the labels %v", got)
			}
		}
	})
}

func TestRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := pond(t)
		ctx, stop := context.WithCancel(t.Context())
		factory := New(client, Options{})
		first := factory.ForResource(carps)
		factory.ForResource(pikes)
		factory.StartWithContext(ctx)
		if err := factory.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		<-factory.Release(carps)
		synctest.Wait()
		if !first.Informer().IsStopped() || api.Watches() != 0 {
			t.Errorf("a released informer runs, %d watches are open", api.Watches())
		}
		if synced := factory.WaitForCacheSync(ctx.Done()); len(synced) != 1 || !synced[pikes] {
			t.Errorf("left: %v", synced)
		}
		second := factory.ForResource(carps)
		factory.StartWithContext(ctx)
		if err := factory.WaitForSync(ctx); err != nil || second == first || len(second.Informer().GetStore().List()) != 3 {
			t.Errorf("asked for again: %v", err)
		}
		stop()
		factory.Shutdown()
	})
}

// A fake client has no watch-list, and says so.
func TestFakeClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scheme := runtime.NewScheme()
		if err := testv1.AddToScheme(scheme); err != nil {
			t.Fatal(err)
		}
		resource := testv1.SchemeGroupVersion.WithResource("carps")
		client := fake.NewSimpleDynamicClient(scheme, carp("a", "1", "red"))
		ctx, stop := context.WithCancel(t.Context())
		factory := NewDynamicSharedInformerFactory(client, 0)
		factory.ForResource(resource)
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		if _, err := client.Resource(resource).Namespace("a").Create(ctx, object(t, carp("a", "2", "red")), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := listed(t, factory.ForResource(resource).Lister(), labels.Everything()); !slices.Equal(got, []string{"a/1", "a/2"}) {
			t.Errorf("listed %v", got)
		}
		stop()
		factory.Shutdown()
	})
}

func object(t *testing.T, carp *testv1.Carp) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(carp)
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{Object: content}
	obj.SetGroupVersionKind(testv1.SchemeGroupVersion.WithKind("Carp"))
	return obj
}

// Unit tests of controllers make informers without a client, and fill their stores.
func TestWithoutClient(t *testing.T) {
	resource := schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: "carps"}
	informer := NewDynamicSharedInformerFactory(nil, 0).ForResource(resource)
	obj := &unstructured.Unstructured{}
	obj.SetNamespace("a")
	obj.SetName("1")
	if err := informer.Informer().GetStore().Add(obj); err != nil {
		t.Fatal(err)
	}
	if got, err := informer.Lister().ByNamespace("a").Get("1"); err != nil || got != runtime.Object(obj) {
		t.Errorf("got %v, %v", got, err)
	}
	src := newSource(nil, resource, "a")
	if _, err := src.List(t.Context(), metav1.ListOptions{}, nil); err == nil || !strings.Contains(err.Error(), "clientset: is nil") {
		t.Errorf("list: got %v", err)
	}
	if _, err := src.Watch(t.Context(), metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), "clientset: is nil") {
		t.Errorf("watch: got %v", err)
	}
}
