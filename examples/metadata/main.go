// Metadata counts the objects of any resource by namespace, and holds nothing of them but
// their metadata.
//
// Run it on the cluster of your kubeconfig, with the resource as its plural, version and
// group; the groups of Kubernetes' core have none:
//
//	go run ./metadata configmaps.v1.
//	go run ./metadata deployments.v1.apps
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err == nil {
		err = run(ctx, config, os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "metadata:", err)
		os.Exit(1)
	}
}

// run counts the objects of a resource until ctx ends.
func run(ctx context.Context, config *rest.Config, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("got %d arguments, want a resource, such as deployments.v1.apps", len(args))
	}
	resource, _ := schema.ParseResourceArg(args[0])
	if resource == nil {
		return fmt.Errorf("resource %q: no version; write plural.version.group, such as deployments.v1.apps or pods.v1.", args[0])
	}
	client, err := source.NewClient(config)
	if err != nil {
		return err
	}
	informer := cache.New(
		// The Go type says what the server sends: metadata, which the server cuts out.
		source.New[*metav1.PartialObjectMetadata](client, *resource, ""),
		cache.Options[*metav1.PartialObjectMetadata]{
			Indexes: []cache.Index[*metav1.PartialObjectMetadata]{cache.NamespaceIndex[*metav1.PartialObjectMetadata]()},
		},
	)
	_, err = informer.AddHandler(cache.InBatches(func(events []cache.Event[*metav1.PartialObjectMetadata]) {
		namespaces := map[string]bool{}
		for _, event := range events {
			namespaces[event.Object.Namespace] = true
		}
		for namespace := range namespaces {
			fmt.Printf("%q: %d of %d objects\n", namespace, len(informer.Store().ListNamespace(namespace)), informer.Store().Len())
		}
	}), cache.HandlerOptions{})
	if err != nil {
		return err
	}
	return informer.Run(ctx)
}
