package field_test

import (
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/internal/podinformers"
)

var pods = podinformers.Pods

// implementation makes an informer of pods.
type implementation = podinformers.Implementation

// layer is runtime/clientgo/cache, over a client of client-go.
var typed, layer, clientGo = podinformers.Typed, podinformers.CompatibilityLayer, podinformers.ClientGo

var implementations = []implementation{typed, layer, clientGo}

// newInformer makes the informer of a row.
func newInformer(t *testing.T, i implementation, config *rest.Config, r row) cache.SharedIndexInformer {
	t.Helper()
	informer, err := i.New(config, podinformers.Options{Listing: r.listing, Backoff: r.backoff})
	if err != nil {
		t.Fatal(err)
	}
	return informer
}
