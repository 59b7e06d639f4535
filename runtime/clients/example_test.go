package clients_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Secrets without a clientset, and without generated code.
var secrets = clients.NewResource[*corev1.Secret, *corev1.SecretList](corev1.SchemeGroupVersion.WithKind("Secret"), "secrets")

func Example() {
	server := cachetest.NewServer()
	cachetest.Serve(server, corev1.SchemeGroupVersion.WithResource("secrets"), "Secret", cachetest.NewAPI[*corev1.Secret]())
	config := &rest.Config{Host: "http://cachetest", Transport: server}
	client, err := source.NewClient(config)
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "token"}}
	created, err := secrets.Client(client, "default").Create(ctx, secret, metav1.CreateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(created.Namespace, created.Name)

	_, err = secrets.Client(client, "default").Get(ctx, "other", metav1.GetOptions{})
	fmt.Println(err)
	// Output:
	// default token
	// secrets "other" not found
}
