// Namespaces follows the orders of some namespaces in one informer, and prints those that
// come from a warehouse. It needs a role in each namespace, and no cluster role.
//
// Run it on the cluster of your kubeconfig, with the CRD of the examples:
//
//	kubectl apply -f config/crd
//	go run ./namespaces -warehouse north blue green
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	"github.com/informer-gen/informer-gen/examples/pkg/generated/informers"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

func main() {
	warehouse := flag.String("warehouse", "north", "whose orders are printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err == nil {
		err = run(ctx, config, *warehouse, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "namespaces:", err)
		os.Exit(1)
	}
}

// run prints the orders that a warehouse has in some namespaces, and then each that is
// added, until ctx ends.
func run(ctx context.Context, config *rest.Config, warehouse string, namespaces []string) error {
	if len(namespaces) == 0 {
		return errors.New("no namespaces; name one or more")
	}
	client, err := source.NewClient(config)
	if err != nil {
		return err
	}
	// The set may change while the informer runs: see its method Set, and source.Follow.
	informerFactory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		factory.ForType(factory.TypeOptions[*shopv1.Order]{Namespaces: source.NewNamespaces(namespaces...)}))
	defer informerFactory.Shutdown()
	orders := informerFactory.Shop().V1().Orders()
	lister := orders.Lister() // which has the informer made
	informerFactory.StartWithContext(ctx)
	if err := informerFactory.WaitForSyncOrStuck(ctx); err != nil {
		return err
	}
	existing, err := lister.ByWarehouse(warehouse)
	if err != nil {
		return err
	}
	fmt.Printf("%d orders in %d namespaces are from %s\n", len(existing), len(namespaces), warehouse)

	// The handler is added after the sync: its initial objects come from the store.
	_, err = factory.Core(orders.TypedInformer()).AddHandler(cache.HandlerFuncs[*shopv1.Order]{
		Add: func(order *shopv1.Order, _ bool) {
			if order.Spec.Warehouse == warehouse {
				fmt.Printf("order %s/%s\n", order.Namespace, order.Name)
			}
		},
	}, cache.HandlerOptions{})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
