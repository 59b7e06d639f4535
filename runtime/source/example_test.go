package source_test

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// One client is the connection of any number of informers. With a real API server, only
// the config is another.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()

	client, err := source.NewClient(inMemory())
	if err != nil {
		log.Fatal(err)
	}
	pods := source.New[*corev1.Pod](client, corev1.SchemeGroupVersion.WithResource("pods"), "default")
	informer := cache.New(pods, cache.Options[*corev1.Pod]{})
	go func() { _ = informer.Run(ctx) }()
	if err := informer.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}
	for pod := range informer.Store().All() {
		fmt.Println(pod.Name, "on", pod.Spec.NodeName)
	}
	// Output: web on node-1
}

// The same objects, narrowed by a label selector. A source can also be used without an
// informer, for a single list.
func ExampleTweak() {
	client, err := source.NewClient(inMemory())
	if err != nil {
		log.Fatal(err)
	}
	all := source.New[*corev1.Pod](client, corev1.SchemeGroupVersion.WithResource("pods"), "")
	backends := source.Tweak(all, func(options *metav1.ListOptions) { options.LabelSelector = "tier=backend" })
	page, err := backends.List(context.Background(), metav1.ListOptions{}, func(obj any, err error) {
		if err != nil {
			fmt.Println(err) // this pod can't be decoded; the others follow
			return
		}
		pod := obj.(*corev1.Pod)
		fmt.Println(pod.Namespace, pod.Name)
	})
	fmt.Println(page.ResourceVersion, err)
	// Output:
	// storage db
	// 3 <nil>
}

// A clientset through which an informer sends its requests. Its objects have nothing in common.
func ExampleClientsetObjects() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()

	config := inMemory()
	streaming := source.NewStreaming(source.ClientOptions{DisableSharing: true})
	clientset, err := kubernetes.NewForConfig(streaming.Config(config))
	if err != nil {
		log.Fatal(err)
	}
	objects := source.ClientsetObjects[*corev1.Pod](clientset, corev1.SchemeGroupVersion.WithResource("pods"), "default",
		func() source.ResourceClient[*corev1.PodList] { return clientset.CoreV1().Pods("default") })
	informer := cache.New(cache.Source[*corev1.Pod]{Objects: objects}, cache.Options[*corev1.Pod]{})
	go func() { _ = informer.Run(ctx) }()
	if err := informer.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}
	for pod := range informer.Store().All() {
		fmt.Println(pod.Name, "on", pod.Spec.NodeName)
	}
	// Output: web on node-1
}

// inMemory is the config of an API server in memory that holds two pods.
func inMemory() *rest.Config {
	web := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	web.Spec.NodeName = "node-1"
	db := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "storage", Name: "db", Labels: map[string]string{"tier": "backend"}}}
	server := cachetest.NewServer()
	cachetest.Serve(server, corev1.SchemeGroupVersion.WithResource("pods"), "Pod", cachetest.NewAPI(web, db))
	return &rest.Config{Host: "http://in-memory", Transport: server}
}
