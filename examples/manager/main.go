// Manager is a program on controller-runtime whose cache has the informers of this module:
// two lines, and a few more for its probes, its metrics and a status page.
//
// Run it on the cluster of your kubeconfig, with the CRD of the examples:
//
//	kubectl apply -f config/crd
//	go run ./manager
//	curl localhost:8081/readyz?verbose
//
// http://localhost:8080/debug/informers is the status page, and /metrics are beside it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	managermetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	"github.com/informer-gen/informer-gen/operations/metrics"
	"github.com/informer-gen/informer-gen/operations/statuspage"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

func main() {
	var options ctrl.Options
	flag.StringVar(&options.Metrics.BindAddress, "metrics", ":8080", "the address of the metrics and the status page")
	flag.StringVar(&options.HealthProbeBindAddress, "probes", ":8081", "the address of the probes")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	klog.SetLogger(ctrl.Log)
	if err := run(ctrl.SetupSignalHandler(), options); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

// run reserves orders until ctx ends.
func run(ctx context.Context, options ctrl.Options) error {
	options.Scheme = runtime.NewScheme()
	if err := shopv1.AddToScheme(options.Scheme); err != nil {
		return err
	}
	config, informers := clientgocache.Streaming(ctrl.GetConfigOrDie())
	options.Cache.NewInformer = informers.New
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	page := statuspage.New(informers, statuspage.Options{})
	err = errors.Join(
		mgr.AddHealthzCheck("informers", informers.HealthCheck(10*time.Minute)),
		mgr.AddReadyzCheck("informers", informers.ReadyCheck),
		managermetrics.Registry.Register(metrics.NewFactoryCollector(informers, "")),
		mgr.AddMetricsServerExtraHandler("/debug/informers", page),
		mgr.Add(manager.RunnableFunc(page.Run)),
	)
	if err == nil {
		err = ctrl.NewControllerManagedBy(mgr).For(&shopv1.Order{}).Complete(reserver{mgr.GetClient()})
	}
	if err != nil {
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
