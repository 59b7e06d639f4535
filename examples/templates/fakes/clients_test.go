package fakes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	"github.com/informer-gen/informer-gen/examples/pkg/generated/clients/fake"
	shopclient "github.com/informer-gen/informer-gen/examples/pkg/generated/clients/shop/v1"
)

// warehouses returns the warehouse of each order.
func warehouses(t *testing.T, orders shopclient.OrderInterface, options metav1.ListOptions) map[string]string {
	t.Helper()
	list, err := orders.List(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, order := range list.Items {
		found[order.Name] = order.Spec.Warehouse
	}
	return found
}

// Each method does to the objects in memory what the real client's method does to the objects of a server.
func TestMethods(t *testing.T) {
	t.Parallel()
	ctx, large := t.Context(), map[string]string{"size": "large"}
	client := fake.New(order("first", "north", nil))
	orders := client.Shop().V1().Orders("default")

	steps := []struct {
		name string
		do   func() error
		want map[string]string // the orders and their warehouses afterwards
	}{
		{"Create", func() error {
			_, err := orders.Create(ctx, order("second", "north", large), metav1.CreateOptions{})
			return err
		}, map[string]string{"first": "north", "second": "north"}},
		{"Update", func() error {
			_, err := orders.Update(ctx, order("first", "south", nil), metav1.UpdateOptions{})
			return err
		}, map[string]string{"first": "south", "second": "north"}},
		{"Patch", func() error {
			_, err := orders.Patch(ctx, "first", types.MergePatchType, []byte(`{"spec":{"warehouse":"west"}}`), metav1.PatchOptions{})
			return err
		}, map[string]string{"first": "west", "second": "north"}},
		{"Apply to an order", func() error {
			_, err := orders.Apply(ctx, newFields("second", "east"), metav1.ApplyOptions{FieldManager: "test"})
			return err
		}, map[string]string{"first": "west", "second": "east"}},
		{"Apply of a new order", func() error {
			_, err := orders.Apply(ctx, newFields("third", "east"), metav1.ApplyOptions{FieldManager: "test"})
			return err
		}, map[string]string{"first": "west", "second": "east", "third": "east"}},
		{"DeleteCollection", func() error {
			return orders.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "size=large"})
		}, map[string]string{"first": "west", "third": "east"}},
		{"Delete", func() error {
			return orders.Delete(ctx, "first", metav1.DeleteOptions{})
		}, map[string]string{"third": "east"}},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, warehouses(t, orders, metav1.ListOptions{})); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", step.name, diff)
		}
	}
}

// Lists are limited to a namespace and by a selector.
func TestList(t *testing.T) {
	t.Parallel()
	orders := fake.New(order("first", "north", nil), order("second", "north", map[string]string{"size": "large"})).Shop().V1().Orders
	if got := warehouses(t, orders("other"), metav1.ListOptions{}); len(got) != 0 {
		t.Errorf("orders of another namespace: %v", got)
	}
	want := map[string]string{"second": "north"}
	if diff := cmp.Diff(want, warehouses(t, orders(""), metav1.ListOptions{LabelSelector: "size=large"})); diff != "" {
		t.Errorf("selected (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	orders := fake.New(order("first", "north", nil)).Shop().V1().Orders("default")
	if _, err := orders.Create(t.Context(), order("first", "north", nil), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("Create of an order that exists: %v", err)
	}
	if _, err := orders.ApplyStatus(t.Context(), newFields("second", "north"), metav1.ApplyOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("ApplyStatus of no order: %v", err)
	}
	if err := orders.Delete(t.Context(), "second", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("Delete of no order: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("New takes an object that has no client")
		}
	}()
	fake.New(&corev1.Node{})
}

// fields is an apply configuration, as controller-gen generates them.
type fields struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       shopv1.OrderSpec  `json:"spec"`
}

func newFields(name, warehouse string) *fields {
	return &fields{APIVersion: "shop.example.com/v1", Kind: "Order", Metadata: metav1.ObjectMeta{Name: name}, Spec: shopv1.OrderSpec{Warehouse: warehouse}}
}

func (f *fields) IsApplyConfiguration() {}

func (f *fields) GetName() *string { return &f.Metadata.Name }
