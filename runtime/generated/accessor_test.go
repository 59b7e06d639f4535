package generated

import (
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

var podResource = factory.Resource{GroupVersionResource: v1.SchemeGroupVersion.WithResource("pods"), Namespaced: true}

func podObjects(client any, namespace string) Objects {
	clientset, _ := client.(kubernetes.Interface)
	return ClientsetObjects[*v1.Pod](client, podResource, namespace, func() ResourceClient[*v1.PodList] { return clientset.CoreV1().Pods(namespace) })
}

// podIndexInformer is a generated interface: a type of its own.
type podIndexInformer clientgocache.TypedSharedIndexInformer[*v1.Pod]

// clientgoPods is an Informer as client-go generates them, without types.
type clientgoPods struct{ informer cache.SharedIndexInformer }

func (p clientgoPods) Informer() cache.SharedIndexInformer { return p.informer }

func (p clientgoPods) Lister() corelisters.PodLister {
	return corelisters.NewPodLister(p.informer.GetIndexer())
}

func TestTyped(t *testing.T) {
	f := factory.New(0)
	scope := NewScope(f, fake.NewClientset())
	own := Access[*v1.Pod, clientgocache.TypedSharedIndexInformer[*v1.Pod]](scope, podResource, podObjects, corelisters.NewPodLister)
	if got := Typed[*v1.Pod, clientgocache.TypedSharedIndexInformer[*v1.Pod]](Informer[corelisters.PodLister](own)); got != own {
		t.Error("a typed informer was wrapped")
	}

	foreign := cache.NewSharedIndexInformer(&cache.ListWatch{}, &v1.Pod{}, 0, cache.Indexers{})
	if err := foreign.GetStore().Add(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "1"}}); err != nil {
		t.Fatal(err)
	}
	wrapped := Typed[*v1.Pod, podIndexInformer](Informer[corelisters.PodLister](clientgoPods{foreign}))
	if wrapped.Informer() != foreign {
		t.Error("another informer")
	}
	if err := wrapped.TypedInformer().AddTypedIndexers(clientgocache.TypedIndexers[*v1.Pod]{
		"name": func(p *v1.Pod) ([]string, error) { return []string{p.Name}, nil },
	}); err != nil {
		t.Fatal(err)
	}
	found, err := wrapped.TypedInformer().GetTypedIndexer().ByTypedIndex("name", "1")
	if err != nil || len(found) != 1 || found[0].Namespace != "a" {
		t.Errorf("by index: %v, %v", found, err)
	}
	if got, err := wrapped.Lister().Pods("a").Get("1"); err != nil || got != found[0] {
		t.Errorf("lister: %v, %v", got, err)
	}
}

// An informer that was requested untyped, before, is the one that is shared.
func TestSharedWithForeignInformer(t *testing.T) {
	f := factory.New(0)
	scope := NewScope(f, fake.NewClientset())
	foreign := cache.NewSharedIndexInformer(&cache.ListWatch{}, &v1.Pod{}, 0, cache.Indexers{})
	f.InformerFor(&v1.Pod{}, func(time.Duration) cache.SharedIndexInformer { return foreign })
	accessor := Access[*v1.Pod, clientgocache.TypedSharedIndexInformer[*v1.Pod]](scope, podResource, podObjects, corelisters.NewPodLister)
	if err := accessor.TypedInformer().GetIndexer().Add(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "1"}}); err != nil {
		t.Fatal(err)
	}
	if _, exists, _ := foreign.GetStore().GetByKey("a/1"); !exists {
		t.Error("another informer than the factory's")
	}
}
