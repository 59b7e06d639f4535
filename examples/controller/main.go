// Controller reserves the items of each order, writes that into the status of the order,
// and releases the items before an order is deleted, by a finalizer.
//
// Run it on the cluster of your kubeconfig, with the CRD of the examples:
//
//	kubectl apply -f config/crd
//	go run ./controller
//
// and in another terminal:
//
//	kubectl apply -f config/samples
//	kubectl get orders -o yaml
//	kubectl delete order first
//
// Start it twice, and end the one that works: the other one takes over within 15 seconds.
//
// controller.go is the controller, controller_test.go its test, which needs no cluster, and leader.go
// the election.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err == nil {
		err = run(ctx, config, printed{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "controller:", err)
		os.Exit(1)
	}
}

// printed stands for real warehouses.
type printed struct{}

func (printed) Reserve(_ context.Context, warehouse string, order types.NamespacedName) error {
	fmt.Printf("%s: reserved for %s\n", warehouse, order)
	return nil
}

func (printed) Release(_ context.Context, warehouse string, order types.NamespacedName) error {
	fmt.Printf("%s: released by %s\n", warehouse, order)
	return nil
}
