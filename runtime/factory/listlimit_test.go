package factory

import (
	"context"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// slowly lists nothing, and takes a second for it.
func slowly[L runtime.Object](list L) func(context.Context, metav1.ListOptions) (L, error) {
	return func(context.Context, metav1.ListOptions) (L, error) {
		time.Sleep(time.Second)
		return list, nil
	}
}

func noEvents(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), nil
}

var version = metav1.ListMeta{ResourceVersion: "1"}

// The informers of a factory share its limit: those of a clientset list one at a time.
func TestListLimit(t *testing.T) {
	for limit, want := range map[int64]time.Duration{-1: time.Second, 0: time.Second, 1 << 20: 2 * time.Second} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
				f := newFactory(fake.NewClientset(), WithListLimit(limit))
				Namespaced[*v1.Pod](f.scope(), func(client kubernetes.Interface, namespace string, options InformerOptions) cache.TypedSharedIndexInformer[*v1.Pod] {
					return ToTyped[*v1.Pod](NewClientsetInformer[*v1.Pod](podResource, client, namespace, slowly(&v1.PodList{ListMeta: version}), noEvents, options))
				}, corelisters.NewPodLister).Informer()
				ClusterScoped[*v1.Node](f.scope(), func(client kubernetes.Interface, options InformerOptions) cache.TypedSharedIndexInformer[*v1.Node] {
					return ToTyped[*v1.Node](NewClientsetInformer[*v1.Node](nodeResource, client, "", slowly(&v1.NodeList{ListMeta: version}), noEvents, options))
				}, corelisters.NewNodeLister).Informer()
				expectSync(t, ctx, f.registry, want)
				stop()
				f.Shutdown()
			})
		})
	}
}

func TestListLimitOfResources(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := NewForResources(func(schema.GroupVersionResource, string) source.Source[*v1.Pod] {
			return source.FromClientset[*v1.Pod](fake.NewClientset(), slowly(&v1.PodList{ListMeta: version}), noEvents)
		}, ResourceOptions{ListLimit: 1 << 20})
		for _, resource := range someResources(3) {
			f.InformerFor(resource)
		}
		expectSync(t, ctx, f.registry, 3*time.Second)
		stop()
		f.Shutdown()
	})
}

// expectSync starts a factory and checks how long it takes to sync.
func expectSync[K key](t *testing.T, ctx context.Context, f *registry[K], want time.Duration) {
	t.Helper()
	began := time.Now()
	f.StartWithContext(ctx)
	if err := f.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took != want {
		t.Errorf("in sync after %v, want %v", took, want)
	}
}
