// Server is the API server that the benchmarks read from, in a process of its
// own, so that what a client costs is not mixed up with it. It fills itself with
// orders, says how it is reached in a line of JSON, and serves until
// its standard input ends.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/test/apiserver"
	"github.com/informer-gen/informer-gen/test/bench/orders"
	shop "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

func main() {
	n := flag.Int("orders", 0, "fill the server with `n` orders")
	flag.Parse()
	if err := serve(context.Background(), *n); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, n int) error {
	server, err := apiserver.Start(ctx, apiserver.Options{})
	if err != nil {
		return err
	}
	defer server.Stop()
	if err := server.CreateCRDs(ctx, definition()); err != nil {
		return err
	}
	if err := fill(ctx, server.Config(), n); err != nil {
		return fmt.Errorf("creating orders: %w", err)
	}
	config := server.Config()
	connection := orders.Connection{Host: config.Host, Token: config.BearerToken, TLS: config.TLSClientConfig}
	if os.Getenv(apiserver.Program) == "" { // or it is another process
		connection.PID = os.Getpid()
	}
	if err := json.NewEncoder(os.Stdout).Encode(connection); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func definition() *apiextensionsv1.CustomResourceDefinition {
	anything := true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: orders.Resource.GroupResource().String()},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: orders.Resource.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: orders.Resource.Resource, Kind: orders.Kind},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: orders.Resource.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything},
				},
			}},
		},
	}
}

// fill creates n orders, some at a time.
func fill(ctx context.Context, config *rest.Config, n int) error {
	scheme := runtime.NewScheme()
	if err := shop.AddToScheme(scheme); err != nil {
		return err
	}
	config.APIPath, config.GroupVersion = "/apis", &shop.GroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return err
	}
	creating, ctx := errgroup.WithContext(ctx)
	creating.SetLimit(8)
	for i := range n {
		creating.Go(func() error {
			order := orders.New(i)
			return client.Post().Namespace(order.Namespace).Resource(orders.Resource.Resource).Body(order).Do(ctx).Error()
		})
	}
	return creating.Wait()
}
