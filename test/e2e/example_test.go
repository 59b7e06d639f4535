package e2e

import (
	"context"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	shopinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	networkingv1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/networking/v1"
	networkingv1beta1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/networking/v1beta1"
	storagev1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/storage/v1"
	multigroupinformers "github.com/informer-gen/informer-gen/testdata/multigroup/generated/informers"
	sampleinformers "github.com/informer-gen/informer-gen/testdata/samplecontroller/generated/informers/externalversions"
	samplev1alpha1 "github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/apis/samplecontroller/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/clientset/versioned"
)

// crdFolders are where the definitions of all resources in these tests are.
var crdFolders = []string{
	filepath.FromSlash("../../testdata/kubebuilder/config/crd/bases"),
	filepath.FromSlash("testdata/crds"),
}

// example is an API with generated informers.
type example struct {
	// kinds are the kinds that can be written.
	kinds []kind
	// subjects makes a generated factory, and subjects of its informers.
	subjects func(t *testing.T, cfg *rest.Config) (sharedFactory, []tested)
}

// sharedFactory has the methods that all generated factories have.
type sharedFactory interface {
	StartWithContext(ctx context.Context)
	WaitForSync(ctx context.Context) error
	WaitForSyncOrStuck(ctx context.Context) error
	Shutdown()
}

// shop is the kubebuilder project of testdata: one group, no clientset.
var shop = example{
	kinds: []kind{orders, shipments, warehouses},
	subjects: func(t *testing.T, cfg *rest.Config) (sharedFactory, []tested) {
		factory := shopinformers.NewSharedInformerFactory(newClient(t, cfg), 0)
		shop := factory.Shop().V1alpha1()
		return factory, []tested{
			newSubject[*shopv1alpha1.Order](t, orders, shop.Orders().Informer()),
			newSubject[*shopv1alpha1.Shipment](t, shipments, shop.Shipments().Informer()),
			newSubject[*shopv1alpha1.Warehouse](t, warehouses, shop.Warehouses().Informer()),
		}
	},
}

var (
	orders = newKind(shopv1alpha1.GroupVersion.WithKind("Order"), "orders", true, func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{
			"customer":  "somebody",
			"warehouse": "anywhere",
			"items":     []any{map[string]any{"sku": "book", "quantity": int64(n + 1)}},
		}}
	})
	shipments = newKind(shopv1alpha1.GroupVersion.WithKind("Shipment"), "shipments", true, func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{"order": "some", "carrier": string(rune('a' + n%26))}}
	})
	warehouses = newKind(shopv1alpha1.GroupVersion.WithKind("Warehouse"), "warehouses", false, func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{"location": "north", "capacity": int64(n)}}
	})
)

// multigroup has several groups. One resource is in two versions, and each sees the writes to the other.
// One resource has another name than its type, and one type gets its metadata from another.
var multigroup = example{
	kinds: []kind{gateways, volumes, claims},
	subjects: func(t *testing.T, cfg *rest.Config) (sharedFactory, []tested) {
		factory := multigroupinformers.NewSharedInformerFactory(newClient(t, cfg), 0)
		return factory, []tested{
			newSubject[*networkingv1.Gateway](t, gateways, factory.Networking().V1().Gateways().Informer()),
			newSubject[*networkingv1beta1.Gateway](t, betaGateways, factory.Networking().V1beta1().Gateways().Informer()),
			newSubject[*storagev1.Volume](t, volumes, factory.Storage().V1().Volumes().Informer()),
			newSubject[*storagev1.Claim](t, claims, factory.Storage().V1().Claims().Informer()),
		}
	},
}

var (
	gateways     = newKind(schema.GroupVersionKind{Group: "networking.example.org", Version: "v1", Kind: "Gateway"}, "gateways", true, gatewayContent)
	betaGateways = newKind(schema.GroupVersionKind{Group: "networking.example.org", Version: "v1beta1", Kind: "Gateway"}, "gateways", true, gatewayContent)
	volumes      = newKind(storagev1.GroupVersion.WithKind("Volume"), "volumes", false, func(n int) map[string]any {
		return map[string]any{"size": int64(n) << 40}
	})
	claims = newKind(storagev1.GroupVersion.WithKind("Claim"), "diskclaims", true, func(n int) map[string]any {
		return map[string]any{"volume": string(rune('a' + n%26))}
	})
)

func gatewayContent(n int) map[string]any {
	return map[string]any{"spec": map[string]any{"addresses": []any{"::1", string(rune('a' + n%26))}}}
}

// sample is like Kubernetes' sample-controller: its informers list and watch
// through a clientset.
var sample = example{
	kinds: []kind{foos, fooClasses},
	subjects: func(t *testing.T, cfg *rest.Config) (sharedFactory, []tested) {
		clientset, err := versioned.NewForConfig(cfg)
		if err != nil {
			t.Fatal(err)
		}
		factory := sampleinformers.NewSharedInformerFactory(clientset, 0)
		all := factory.Samplecontroller().V1alpha1()
		return factory, []tested{
			newSubject[*samplev1alpha1.Foo](t, foos, all.Foos().Informer()),
			newSubject[*samplev1alpha1.FooClass](t, fooClasses, all.FooClasses().Informer()),
		}
	},
}

var (
	foos = newKind(samplev1alpha1.SchemeGroupVersion.WithKind("Foo"), "foos", true, func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{"deploymentName": "web", "replicas": int64(n)}}
	})
	fooClasses = newKind(samplev1alpha1.SchemeGroupVersion.WithKind("FooClass"), "fooclasses", false, func(n int) map[string]any {
		return map[string]any{"replicas": int64(n)}
	})
)

func newClient(t *testing.T, cfg *rest.Config) *source.Client {
	t.Helper()
	client, err := source.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
