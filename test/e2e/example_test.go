package e2e

import (
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

// The example project is testdata/kubebuilder: its API types, its CRDs, and
// what informer-gen wrote for it, without a clientset.

// crdFolders are where the definitions of all resources in these tests are.
var crdFolders = []string{
	filepath.FromSlash("../../testdata/kubebuilder/config/crd/bases"),
}

var (
	orders = kind{
		GroupVersionKind: shopv1alpha1.GroupVersion.WithKind("Order"), resource: "orders", namespaced: true,
		spec: func(n int) map[string]any {
			return map[string]any{
				"customer":  "somebody",
				"warehouse": "anywhere",
				"items":     []any{map[string]any{"sku": "book", "quantity": int64(n + 1)}},
			}
		},
	}
	shipments = kind{
		GroupVersionKind: shopv1alpha1.GroupVersion.WithKind("Shipment"), resource: "shipments", namespaced: true,
		spec: func(n int) map[string]any {
			return map[string]any{"order": "some", "carrier": string(rune('a' + n%26))}
		},
	}
	warehouses = kind{
		GroupVersionKind: shopv1alpha1.GroupVersion.WithKind("Warehouse"), resource: "warehouses", namespaced: false,
		spec: func(n int) map[string]any {
			return map[string]any{"location": "north", "capacity": int64(n)}
		},
	}
	exampleKinds = []kind{orders, shipments, warehouses}
)

// exampleSubjects makes a factory of the example project, and subjects of the
// informers of all its types.
func exampleSubjects(t *testing.T, cfg *rest.Config) (informers.SharedInformerFactory, []tested) {
	t.Helper()
	client, err := source.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	shop := factory.Shop().V1alpha1()
	return factory, []tested{
		newSubject[*shopv1alpha1.Order](t, orders, shop.Orders().Informer()),
		newSubject[*shopv1alpha1.Shipment](t, shipments, shop.Shipments().Informer()),
		newSubject[*shopv1alpha1.Warehouse](t, warehouses, shop.Warehouses().Informer()),
	}
}

// orderSource is where the generated informer of orders has them from.
func orderSource(t *testing.T, cfg *rest.Config) source.Source[*shopv1alpha1.Order] {
	t.Helper()
	client, err := source.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return source.New[shopv1alpha1.Order](client, orders.gvr(), "")
}
