package cache_test

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// Controller-runtime makes its informers by cache.Options.NewInformer, with typed
// objects that have no kind. A scheme knows it.
func ExampleNewSharedIndexInformerWithOptions() {
	newInformer := func(lw cache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
		options := cache.SharedIndexInformerOptions{ResyncPeriod: resync, Indexers: indexers}
		if kinds, _, err := scheme.Scheme.ObjectKinds(obj); err == nil {
			options.ObjectDescription = kinds[0].GroupKind().String()
		}
		return cache.NewSharedIndexInformerWithOptions(lw, obj, options)
	}
	informer := newInformer(&cache.ListWatch{}, &appsv1.Deployment{}, 0, nil)
	status, _ := cache.StatusOf(informer)
	fmt.Println(status.Name)
	// Output: Deployment.apps
}
