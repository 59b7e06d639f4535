package generated_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/generated"
)

// What is generated for a resource: what it is, how it is listed and watched, and the method
// that leads to its informer and its lister. Here it is pods, of a server in memory.
func Example() {
	server := cachetest.NewAPI(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "front"}})
	podResource := factory.Resource{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("pods"), Namespaced: true}
	podObjects := func(_ any, namespace string) generated.Objects { return server.InNamespace(namespace).Objects }

	type podInformer = clientgocache.TypedSharedIndexInformer[*corev1.Pod]
	f := factory.New(0)
	pods := generated.Access[*corev1.Pod, podInformer](generated.NewScope(f, nil), podResource, podObjects, corelisters.NewPodLister)
	lister := pods.Lister()

	ctx, stop := context.WithCancel(context.Background())
	f.StartWithContext(ctx)
	if err := f.WaitForSync(ctx); err != nil {
		fmt.Println(err)
	}
	front, err := lister.Pods("web").Get("front")
	fmt.Println(front.Name, err)
	stop()
	f.Shutdown()
	// Output: front <nil>
}
