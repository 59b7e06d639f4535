package metadatainformer_test

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clientgo/metadatainformer"
)

// The metadata of secrets without their data, here of an API server in memory. With a
// real one, only the config is another.
func Example() {
	token := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "token", Labels: map[string]string{"owner": "ada"}},
		Data:       map[string][]byte{"password": []byte("secret")},
	}
	resource := corev1.SchemeGroupVersion.WithResource("secrets")
	server := cachetest.NewServer()
	cachetest.Serve(server, resource, "Secret", cachetest.NewAPI(token))
	client, err := metadata.NewForConfig(&rest.Config{Host: "http://in-memory", Transport: server})
	if err != nil {
		log.Fatal(err)
	}

	ctx, stop := context.WithCancel(context.Background())
	factory := metadatainformer.New(client, metadatainformer.Options{})
	defer factory.Shutdown() // waits for every goroutine
	defer stop()

	informer := factory.ForResource(resource) // before the start, which is for what was requested
	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil {
		log.Fatal(err) // which informer is not in sync, and why
	}
	obj, err := informer.Lister().ByNamespace("default").Get("token")
	if err != nil {
		log.Fatal(err)
	}
	secret := obj.(*metav1.PartialObjectMetadata)
	fmt.Println(secret.Name, secret.Labels)
	// Output: token map[owner:ada]
}
