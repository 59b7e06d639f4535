package metadatainformer

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/fake"
	"k8s.io/client-go/tools/cache"
)

var (
	carps = schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: "carps"}
	pikes = schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: "pikes"}
)

func object(kind, namespace, name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "pond.test/v1", Kind: kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
	}
}

func pond(t *testing.T) metadata.Interface {
	t.Helper()
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewSimpleMetadataClient(scheme, object("Carp", "a", "1"), object("Carp", "b", "1"), object("Pike", "a", "1"))
}

func keys(informer cache.SharedIndexInformer) []string {
	keys := informer.GetStore().ListKeys()
	slices.Sort(keys)
	return keys
}

func TestFactories(t *testing.T) {
	for name, c := range map[string]struct {
		newFactory func(metadata.Interface) SharedInformerFactory
		want       []string
	}{
		"all": {
			func(client metadata.Interface) SharedInformerFactory { return NewSharedInformerFactory(client, 0) },
			[]string{"a/1", "b/1"},
		},
		"filtered": {
			func(client metadata.Interface) SharedInformerFactory {
				return NewFilteredSharedInformerFactory(client, 0, "b", nil)
			},
			[]string{"b/1"},
		},
		"with options": {
			func(client metadata.Interface) SharedInformerFactory {
				return NewSharedInformerFactoryWithOptions(client, 0, func(o *Options) { o.Namespace = "a" })
			},
			[]string{"a/1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				factory := c.newFactory(pond(t))
				informer := factory.ForResource(carps)
				if factory.ForResource(carps) != informer {
					t.Error("two informers of one resource")
				}
				factory.Start(ctx.Done())
				if synced := factory.WaitForCacheSync(ctx.Done()); len(synced) != 1 || !synced[carps] {
					t.Errorf("in sync: %v", synced)
				}
				stop()
				factory.Shutdown()
				if got := keys(informer.Informer()); !slices.Equal(got, c.want) {
					t.Errorf("in the store: %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestOptionsAndRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pond(t)
		ctx, stop := context.WithCancel(t.Context())
		mark := func(obj any) (any, error) {
			obj.(*metav1.PartialObjectMetadata).Annotations = map[string]string{"seen": "yes"}
			return obj, nil
		}
		factory := NewSharedInformerFactoryWithOptions(client, 0, WithTransform(mark)).(*Factory)
		first := factory.ForResource(carps)
		factory.ForResource(pikes)
		factory.StartWithContext(ctx)
		if err := factory.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		obj, err := first.Lister().ByNamespace("a").Get("1")
		if err != nil || obj.(*metav1.PartialObjectMetadata).Annotations["seen"] != "yes" {
			t.Errorf("got %v, %v", obj, err)
		}
		if all, err := first.Lister().List(labels.Everything()); err != nil || len(all) != 2 {
			t.Errorf("listed %v, %v", all, err)
		}
		<-factory.Release(carps)
		if !first.Informer().IsStopped() || factory.ForResource(carps) == first {
			t.Error("not released")
		}
		stop()
		factory.Shutdown()
	})
}

func TestNewFilteredMetadataInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pond(t)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute+time.Second)
		defer stop()
		byKind := cache.Indexers{"kind": func(obj any) ([]string, error) {
			return []string{obj.(*metav1.PartialObjectMetadata).Kind}, nil
		}}
		informer := NewFilteredMetadataInformer(client, carps, "", time.Minute, byKind, nil).Informer()
		resyncs := 0
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, obj any) { resyncs++ }}); err != nil {
			t.Fatal(err)
		}
		informer.RunWithContext(ctx)
		if found, err := informer.GetIndexer().IndexKeys("kind", "Carp"); err != nil || len(found) != 2 || resyncs != 2 {
			t.Errorf("found %v, %v, after %d resyncs", found, err, resyncs)
		}
	})
}

// Unit tests of controllers make informers without a client, and fill their stores.
func TestWithoutClient(t *testing.T) {
	resource := schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: "carps"}
	informer := NewSharedInformerFactory(nil, 0).ForResource(resource)
	obj := &metav1.PartialObjectMetadata{}
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
