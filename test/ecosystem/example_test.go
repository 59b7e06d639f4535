package ecosystem

import (
	"log"

	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// A manager whose options stand in the call, as in kubebuilder's cmd/main.go.
func Example_kubebuilder() {
	scheme := scheme.Scheme
	config, informers := clientgocache.Streaming(ctrl.GetConfigOrDie())
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Cache:  cache.Options{NewInformer: informers.New},
		Scheme: scheme,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		log.Fatal(err)
	}
}
