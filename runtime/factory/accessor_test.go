package factory

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// podIndexInformer is a generated interface: a type of its own.
type podIndexInformer cache.TypedSharedIndexInformer[*v1.Pod]

// clientgoPods is an Informer as client-go generates them, without types.
type clientgoPods struct{ informer cache.SharedIndexInformer }

func (p clientgoPods) Informer() cache.SharedIndexInformer { return p.informer }

func (p clientgoPods) Lister() corelisters.PodLister {
	return corelisters.NewPodLister(p.informer.GetIndexer())
}

func TestTyped(t *testing.T) {
	f := newFactory(fake.NewClientset())
	own := Namespaced[*v1.Pod](f.scope(), newPodInformer, corelisters.NewPodLister)
	if got := Typed[*v1.Pod, cache.TypedSharedIndexInformer[*v1.Pod]](Informer[corelisters.PodLister](own)); got != own {
		t.Error("a typed informer was wrapped")
	}

	foreign := cache.NewSharedIndexInformer(&cache.ListWatch{}, &v1.Pod{}, 0, cache.Indexers{})
	if err := foreign.GetStore().Add(pod("a", "1", nil)); err != nil {
		t.Fatal(err)
	}
	wrapped := Typed[*v1.Pod, podIndexInformer](Informer[corelisters.PodLister](clientgoPods{foreign}))
	if wrapped.Informer() != foreign {
		t.Error("another informer")
	}
	if err := wrapped.TypedInformer().AddTypedIndexers(cache.TypedIndexers[*v1.Pod]{
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
	f := newFactory(fake.NewClientset())
	foreign := cache.NewSharedIndexInformer(&cache.ListWatch{}, &v1.Pod{}, 0, cache.Indexers{})
	f.InformerFor(&v1.Pod{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return foreign })
	accessor := Namespaced[*v1.Pod](f.scope(), newPodInformer, corelisters.NewPodLister)
	if err := accessor.TypedInformer().GetIndexer().Add(pod("a", "1", nil)); err != nil {
		t.Fatal(err)
	}
	if _, exists, _ := foreign.GetStore().GetByKey("a/1"); !exists {
		t.Error("another informer than the factory's")
	}
}

func TestResourceString(t *testing.T) {
	deployments := Resource{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}}
	for want, resource := range map[string]Resource{"pods.v1": podResource, "deployments.v1.apps": deployments} {
		if got := resource.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
