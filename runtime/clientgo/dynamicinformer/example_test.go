package dynamicinformer_test

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clientgo/dynamicinformer"
)

// A resource that is known at run time only, here of an API server in memory. With a real
// one, only the config is another.
func Example() {
	settings := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "settings"},
		Data:       map[string]string{"color": "blue"},
	}
	resource := corev1.SchemeGroupVersion.WithResource("configmaps")
	server := cachetest.NewServer()
	cachetest.Serve(server, resource, "ConfigMap", cachetest.NewAPI(settings))
	client, err := dynamic.NewForConfig(&rest.Config{Host: "http://in-memory", Transport: server})
	if err != nil {
		log.Fatal(err)
	}

	ctx, stop := context.WithCancel(context.Background())
	factory := dynamicinformer.New(client, dynamicinformer.Options{})
	defer factory.Shutdown() // waits for every goroutine
	defer stop()

	informer := factory.ForResource(resource) // before the start, which is for what was requested
	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil {
		log.Fatal(err) // which informer is not in sync, and why
	}
	obj, err := informer.Lister().ByNamespace("default").Get("settings")
	if err != nil {
		log.Fatal(err)
	}
	color, _, err := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "data", "color")
	fmt.Println(color, err)
	// Output: blue <nil>
}
