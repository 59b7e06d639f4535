package factory_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	clientgotesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	. "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/generated"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// The functions below are what a generator writes for pods and nodes.

var (
	podResource  = Resource{GroupVersionResource: v1.SchemeGroupVersion.WithResource("pods"), Namespaced: true}
	nodeResource = Resource{GroupVersionResource: v1.SchemeGroupVersion.WithResource("nodes")}
)

func podObjects(client any, namespace string) generated.Objects {
	clientset, _ := client.(kubernetes.Interface)
	return generated.ClientsetObjects[*v1.Pod](client, podResource, namespace, func() generated.ResourceClient[*v1.PodList] {
		return clientset.CoreV1().Pods(namespace)
	})
}

func nodeObjects(client any, _ string) generated.Objects {
	clientset, _ := client.(kubernetes.Interface)
	return generated.ClientsetObjects[*v1.Node](client, nodeResource, "", func() generated.ResourceClient[*v1.NodeList] {
		return clientset.CoreV1().Nodes()
	})
}

type podFactory struct {
	client kubernetes.Interface
	*Factory
}

func (f podFactory) pods() clientgocache.TypedSharedIndexInformer[*v1.Pod] {
	return generated.Access[*v1.Pod, clientgocache.TypedSharedIndexInformer[*v1.Pod]](generated.NewScope(f.Factory, f.client), podResource, podObjects, corelisters.NewPodLister).TypedInformer()
}

func (f podFactory) nodes() clientgocache.TypedSharedIndexInformer[*v1.Node] {
	return generated.Access[*v1.Node, clientgocache.TypedSharedIndexInformer[*v1.Node]](generated.NewScope(f.Factory, f.client), nodeResource, nodeObjects, corelisters.NewNodeLister).TypedInformer()
}

func (f podFactory) services() cache.SharedIndexInformer {
	return f.InformerFor(&v1.Service{}, func(time.Duration) cache.SharedIndexInformer {
		services := f.client.CoreV1().Services("")
		resource := Resource{GroupVersionResource: v1.SchemeGroupVersion.WithResource("services"), Namespaced: true}
		return NewInformer(resource, source.FromClientset[*v1.Service](f.client, services.List, services.Watch).Objects, InformerOptions{})
	})
}

func newFactory(client kubernetes.Interface, options ...Option) podFactory {
	return podFactory{client, New(0, options...)}
}

func pod(namespace, name string, set labels.Set) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: set}}
}

func keys(informer cache.SharedIndexInformer) []string {
	keys := informer.GetStore().ListKeys()
	slices.Sort(keys)
	return keys
}

// neverAnswers lists and watches until its context ends.
var neverAnswers = &cache.ListWatch{
	ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
	WatchFuncWithContext: func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
}

// inBubble runs a test in a bubble that fails if a goroutine is left.
func inBubble(t *testing.T, test func(t *testing.T, ctx context.Context, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		test(t, ctx, stop)
		stop()
		time.Sleep(time.Second) // client-go's informers before 0.36 are polled
	})
}

func TestLifecycle(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset(pod("a", "1", nil)))
		pods := f.pods()
		if f.pods() != pods || f.InformerFor(&v1.Pod{}, nil) != cache.SharedIndexInformer(pods) {
			t.Error("two informers of one type")
		}
		if got := f.WaitForCacheSync(ctx.Done()); len(got) != 0 {
			t.Errorf("synced before the start: %v", got)
		}

		f.StartWithContext(ctx)
		f.Start(ctx.Done())
		podType, nodeType := reflect.TypeFor[*v1.Pod](), reflect.TypeFor[*v1.Node]()
		if diff := cmp.Diff(map[reflect.Type]bool{podType: true}, f.WaitForCacheSync(ctx.Done()), typesByName); diff != "" {
			t.Errorf("synced (-want +got):\n%s", diff)
		}
		if got := keys(pods); !slices.Equal(got, []string{"a/1"}) {
			t.Errorf("in the store: %v", got)
		}

		nodes := f.nodes()
		synctest.Wait()
		if nodes.HasSynced() {
			t.Error("an informer runs that was asked for after Start")
		}
		f.StartWithContext(ctx)
		result := f.WaitForCacheSyncWithContext(ctx)
		if diff := cmp.Diff(map[reflect.Type]bool{podType: true, nodeType: true}, result.Synced, typesByName); diff != "" || result.Err != nil {
			t.Errorf("synced (-want +got), error %v:\n%s", result.Err, diff)
		}
		if err := f.WaitForSync(ctx); err != nil {
			t.Error(err)
		}

		stop()
		f.Shutdown()
		f.Shutdown()
		if !pods.IsStopped() || !nodes.IsStopped() {
			t.Error("an informer runs after Shutdown")
		}
		services := f.InformerFor(&v1.Service{}, func(time.Duration) cache.SharedIndexInformer {
			return clientgocache.NewSharedIndexInformer(&cache.ListWatch{}, &v1.Service{}, 0, nil)
		})
		f.StartWithContext(t.Context())
		synctest.Wait()
		if len(f.WaitForCacheSync(ctx.Done())) != 2 || services.IsStopped() {
			t.Error("an informer was started after Shutdown")
		}
	})
}

// typesByName lets cmp compare maps by type.
var typesByName = cmp.Transformer("types", func(m map[reflect.Type]bool) map[string]bool {
	byName := map[string]bool{}
	for t, v := range m {
		byName[t.String()] = v
	}
	return byName
})

func TestOptions(t *testing.T) {
	web := labels.Set{"app": "web"}
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset(pod("a", "1", web), pod("a", "2", nil), pod("b", "1", web))
		var resyncs int
		f := newFactory(client,
			WithNamespace("a"),
			WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = web.String() }),
			WithCustomResyncConfig(map[metav1.Object]time.Duration{&v1.Pod{}: time.Minute}),
			WithTransform(func(obj any) (any, error) {
				obj.(*v1.Pod).Annotations = map[string]string{"seen": "yes"}
				return obj, nil
			}),
		)
		pods := f.pods()
		if _, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, obj any) { resyncs++ }}); err != nil {
			t.Fatal(err)
		}
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*time.Minute + time.Second)
		stop()
		f.Shutdown()
		got, err := pods.GetTypedIndexer().ByTypedIndex(cache.NamespaceIndex, "a")
		if err != nil || len(got) != 1 || got[0].Name != "1" || got[0].Annotations["seen"] != "yes" || len(keys(pods)) != 1 {
			t.Errorf("in the store: %v, %v", keys(pods), err)
		}
		if resyncs != 2 {
			t.Errorf("%d resyncs in two minutes", resyncs)
		}
	})
}

// How to list and watch reaches the informers of a factory, and each failure the hook
// with the name of its informer.
func TestListWatchOptions(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset()
		refuse(client, "pods", func() error { return apierrors.NewNotFound(v1.Resource("pods"), "") })
		var failed []string
		f := newFactory(client, WithListWatch(core.ListWatch{
			OnFailure: func(_ context.Context, failure core.Failure) core.Decision {
				failed = append(failed, fmt.Sprint(failure.Informer, " ", failure.Class))
				return core.Decision{Backoff: time.Minute, Stop: failure.Attempts == 3}
			},
		}))
		f.pods()
		f.StartWithContext(ctx)
		began := time.Now()
		err := f.WaitForSync(ctx)
		if took := time.Since(began); !errors.Is(err, failure.ErrStopped) || took != 2*time.Minute {
			t.Errorf("after %v: %v", took, err)
		}
		if want := []string{"pods.v1 not found", "pods.v1 not found", "pods.v1 not found"}; !slices.Equal(failed, want) {
			t.Errorf("failures %v", failed)
		}
		stop()
		f.Shutdown()
	})
}

func TestIndexers(t *testing.T) {
	f := newFactory(fake.NewClientset())
	if got := len(f.pods().GetIndexer().GetIndexers()); got != 1 {
		t.Errorf("%d indexers of pods, want that by namespace", got)
	}
	if got := len(f.nodes().GetIndexer().GetIndexers()); got != 0 {
		t.Errorf("%d indexers of nodes", got)
	}
}

// The first transform counts: the transform of the informer's maker.
func TestTransformIsNotReplaced(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		mark := func(mark string) cache.TransformFunc {
			return func(obj any) (any, error) {
				obj.(*v1.Pod).Annotations = map[string]string{"mark": mark}
				return obj, nil
			}
		}
		client := fake.NewClientset(pod("a", "1", nil))
		f := newFactory(client, WithTransform(mark("factory")))
		pods := f.InformerFor(&v1.Pod{}, func(resync time.Duration) cache.SharedIndexInformer {
			informer := NewInformer(podResource, podObjects(client, ""), InformerOptions{ResyncPeriod: resync})
			if err := informer.SetTransform(mark("own")); err != nil {
				t.Fatal(err)
			}
			return informer
		})
		f.StartWithContext(ctx)
		f.WaitForCacheSync(ctx.Done())
		stop()
		f.Shutdown()
		var marks []string
		for _, obj := range pods.GetStore().List() {
			marks = append(marks, obj.(*v1.Pod).Annotations["mark"])
		}
		if !slices.Equal(marks, []string{"own"}) {
			t.Errorf("transforms of %q", marks)
		}
	})
}

func TestInformerNameIsReleased(t *testing.T) {
	name, err := clientgocache.NewInformerName("test-informer-name-is-released")
	if err != nil {
		t.Fatal(err)
	}
	f := newFactory(fake.NewClientset(), WithInformerName(name))
	f.pods()
	if f.InformerName() != name || name.WithResource(podResource.GroupVersionResource).Reserved() {
		t.Error("the informer has not reserved its resource")
	}
	f.Shutdown()
	if name, err = clientgocache.NewInformerName("test-informer-name-is-released"); err != nil {
		t.Error(err)
	}
	name.Release()
}

func TestWaitForSyncSaysWhy(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset()
		client.PrependReactor("list", "pods", func(clientgotesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(podResource.GroupResource(), "", errors.New("not you"))
		})
		f := newFactory(client)
		f.pods()
		f.nodes()
		f.InformerFor(&v1.Service{}, func(time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(neverAnswers, &v1.Service{}, 0, nil)
		})
		f.StartWithContext(ctx)
		late := errors.New("too late")
		timeout, cancel := context.WithTimeoutCause(ctx, time.Second, late)
		defer cancel()
		err := f.WaitForSync(timeout)
		for _, want := range []string{`"pods.v1"`, "not you", `"*v1.Service"`, "too late"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v: says nothing of %s", err, want)
			}
		}
		var syncErr *core.SyncError
		if !errors.As(err, &syncErr) || syncErr.Informer != "pods.v1" || !errors.Is(err, late) || strings.Contains(err.Error(), "nodes") {
			t.Errorf("error %v", err)
		}
		result := f.WaitForCacheSyncWithContext(timeout)
		if !errors.Is(result.AsError(), late) || !result.Synced[reflect.TypeFor[*v1.Node]()] || result.Synced[reflect.TypeFor[*v1.Pod]()] {
			t.Errorf("result %v", result)
		}
		stop()
		f.Shutdown()
	})
}

func TestGenericInformer(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset(pod("a", "1", nil)))
		generic := NewGenericInformer(f.pods(), podResource.GroupResource())
		f.StartWithContext(ctx)
		f.WaitForCacheSync(ctx.Done())
		stop()
		f.Shutdown()
		if got, err := generic.Lister().ByNamespace("a").Get("1"); err != nil || generic.Informer() != cache.SharedIndexInformer(f.pods()) {
			t.Errorf("got %v, %v", got, err)
		}
		if _, err := generic.Lister().Get("none"); err == nil || err.Error() != `pods "none" not found` {
			t.Errorf("got %v", err)
		}
	})
}

// A released informer has ended when Release says so, and the next one is
// another.
func TestRelease(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset(pod("a", "1", nil))
		f := newFactory(client)
		<-f.Release(&v1.Pod{}) // not requested yet
		unused := f.nodes()
		<-f.Release(&v1.Node{})
		pods := f.pods()
		var added []string
		if _, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
			added = append(added, obj.(*v1.Pod).Name)
		}}); err != nil {
			t.Fatal(err)
		}
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}

		<-f.Release(&v1.Pod{})
		if !pods.IsStopped() {
			t.Error("a released informer runs")
		}
		if _, err := client.CoreV1().Pods("a").Create(ctx, pod("a", "2", nil), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := f.WaitForCacheSync(ctx.Done()); len(got) != 0 {
			t.Errorf("informers in the factory: %v", got)
		}
		again := f.pods()
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if got := keys(again); !slices.Equal(got, []string{"a/1", "a/2"}) {
			t.Errorf("in the store of the next informer: %v", got)
		}
		stop()
		f.Shutdown()
		if !slices.Equal(added, []string{"1"}) || len(keys(pods)) != 1 {
			t.Errorf("the released informer got %v and holds %v", added, keys(pods))
		}
		if unused.IsStopped() {
			t.Error("an informer was started that was released before")
		}
	})
}

// Two who release the same informer both learn when it has ended, and not before.
func TestReleaseTwice(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset(pod("a", "1", nil)))
		busy, goOn := make(chan struct{}), make(chan struct{})
		if _, err := f.pods().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			close(busy)
			<-goOn
		}}); err != nil {
			t.Fatal(err)
		}
		f.StartWithContext(ctx)
		<-busy
		first, second := f.Release(&v1.Pod{}), f.Release(&v1.Pod{})
		synctest.Wait()
		for i, ended := range []<-chan struct{}{first, second} {
			select {
			case <-ended:
				t.Errorf("release %d: ended while a handler was at work", i+1)
			default:
			}
		}
		again := f.pods()
		f.StartWithContext(ctx)
		if !f.WaitForCacheSync(ctx.Done())[reflect.TypeFor[*v1.Pod]()] || len(keys(again)) != 1 {
			t.Error("the next informer waits for the end of the released one")
		}
		<-f.Release(&v1.Pod{})
		if !again.IsStopped() {
			t.Error("the next informer has not ended")
		}
		close(goOn)
		<-first
		<-second
		if f.Leaving() != 0 {
			t.Errorf("released informers that are kept: %d", f.Leaving())
		}
		stop()
		f.Shutdown()
	})
}

// A factory does not keep an informer, with all of its objects, that has ended before it is
// released.
func TestReleaseOfEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset(pod("a", "1", nil)))
		pods := f.pods()
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		stop()
		f.Shutdown()
		<-f.Release(&v1.Pod{})
		if !pods.IsStopped() || f.Leaving() != 0 {
			t.Errorf("stopped: %v, kept: %d", pods.IsStopped(), f.Leaving())
		}
	})
}

// A wait for an informer ends when the informer is released before it was in sync.
func TestReleaseEndsWaiting(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset())
		f.InformerFor(&v1.Pod{}, func(time.Duration) cache.SharedIndexInformer {
			return clientgocache.NewSharedIndexInformer(neverAnswers, &v1.Pod{}, 0, nil)
		})
		f.InformerFor(&v1.Node{}, func(time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(neverAnswers, &v1.Node{}, 0, nil)
		})
		f.StartWithContext(ctx)
		var synced map[reflect.Type]bool
		var err error
		var waiting sync.WaitGroup
		waiting.Go(func() { synced = f.WaitForCacheSyncWithContext(ctx).Synced })
		waiting.Go(func() { err = f.WaitForSync(ctx) })
		synctest.Wait()
		<-f.Release(&v1.Pod{})
		<-f.Release(&v1.Node{})
		waiting.Wait()
		want := map[reflect.Type]bool{reflect.TypeFor[*v1.Pod](): false, reflect.TypeFor[*v1.Node](): false}
		if diff := cmp.Diff(want, synced, typesByName); diff != "" {
			t.Errorf("synced (-want +got):\n%s", diff)
		}
		if !errors.Is(err, failure.ErrStopped) || !strings.Contains(err.Error(), `"k8s.io/api/core/v1.Pod"`) || !strings.Contains(err.Error(), "*v1.Node") {
			t.Errorf("error %v", err)
		}
		stop()
		f.Shutdown()
	})
}

// Our informers can be handed to client-go's own factory, and its to ours.
func TestInformersAndFactoriesOfClientGo(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset(pod("a", "1", nil), &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
		theirs := clientgo.NewSharedInformerFactory(client, 0)
		ourPods := theirs.InformerFor(&v1.Pod{}, func(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
			return NewInformer(podResource, podObjects(client, ""), InformerOptions{ResyncPeriod: resync, Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}})
		})
		if _, ok := clientgocache.Core[*v1.Pod](theirs.Core().V1().Pods().Informer()); !ok {
			t.Error("client-go's factory has another informer of pods")
		}
		ours := newFactory(client)
		theirNodes := generated.ToTyped[*v1.Node](ours.InformerFor(&v1.Node{}, func(resync time.Duration) cache.SharedIndexInformer {
			return clientgo.NewSharedInformerFactory(client, resync).Core().V1().Nodes().Informer()
		}))
		theirs.Start(ctx.Done())
		ours.StartWithContext(ctx)
		theirs.WaitForCacheSync(ctx.Done())
		if err := ours.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if got, err := theirs.Core().V1().Pods().Lister().Pods("a").Get("1"); err != nil || !ourPods.HasSynced() {
			t.Errorf("client-go's lister over our informer: %v, %v", got, err)
		}
		if got := keys(theirNodes); !slices.Equal(got, []string{"n"}) {
			t.Errorf("client-go's informer in our factory: %v", got)
		}
		stop()
		theirs.Shutdown()
		ours.Shutdown()
	})
}
