// Manager is a program on controller-runtime whose cache has the informers of this module:
// one line of its options.
//
// Run it on the cluster of your kubeconfig, with the CRD of the examples:
//
//	kubectl apply -f config/crd
//	go run ./manager
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

func main() {
	ctrl.SetLogger(zap.New())
	config, err := ctrl.GetConfig()
	if err == nil {
		err = run(ctrl.SetupSignalHandler(), config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

// run reserves orders until ctx ends.
func run(ctx context.Context, config *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := shopv1.AddToScheme(scheme); err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Cache:   cache.Options{NewInformer: clientgocache.NewSharedIndexInformer},
		Metrics: server.Options{BindAddress: "0"}, // none, in this example
	})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&shopv1.Order{}).Complete(reserver{mgr.GetClient()}); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// reserver writes into the status of orders that they are reserved.
type reserver struct{ client.Client }

func (r reserver) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	order := &shopv1.Order{}
	if err := r.Get(ctx, request.NamespacedName, order); err != nil || order.Status.Phase == shopv1.OrderReserved {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	order.Status.Phase = shopv1.OrderReserved // of a copy: the client makes one
	if err := r.Status().Update(ctx, order); err != nil {
		return ctrl.Result{}, err
	}
	fmt.Printf("order %s is reserved\n", request.NamespacedName)
	return ctrl.Result{}, nil
}
