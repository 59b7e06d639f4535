package fakes

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	"github.com/informer-gen/informer-gen/examples/pkg/generated/clients"
	"github.com/informer-gen/informer-gen/examples/pkg/generated/clients/fake"
)

// reserve is a function to test: it says in the status of an order that it is reserved.
func reserve(ctx context.Context, client clients.Interface, key types.NamespacedName) error {
	orders := client.Shop().V1().Orders(key.Namespace)
	order, err := orders.Get(ctx, key.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	order.Status.Phase = shopv1.OrderReserved
	_, err = orders.UpdateStatus(ctx, order, metav1.UpdateOptions{})
	return err
}

func order(name, warehouse string, labels map[string]string) *shopv1.Order {
	return &shopv1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: labels},
		Spec:       shopv1.OrderSpec{Warehouse: warehouse},
	}
}

var first = types.NamespacedName{Namespace: "default", Name: "first"}

func TestReserve(t *testing.T) {
	t.Parallel()
	client := fake.New(order("first", "north", nil))
	orders := client.Shop().V1().Orders("default")
	list, err := orders.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	events, err := orders.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()

	if err := reserve(t.Context(), client, first); err != nil {
		t.Fatal(err)
	}
	event := <-events.ResultChan()
	if got, ok := event.Object.(*shopv1.Order); event.Type != watch.Modified || !ok || got.Status.Phase != shopv1.OrderReserved {
		t.Errorf("event %s of %+v, want that the order is reserved", event.Type, event.Object)
	}
	var verbs []string
	for _, action := range client.Actions() {
		verbs = append(verbs, action.GetVerb()+" "+action.GetResource().Resource+"/"+action.GetSubresource())
	}
	if diff := cmp.Diff([]string{"list orders/", "watch orders/", "get orders/", "update orders/status"}, verbs); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestReserveNotFound(t *testing.T) {
	t.Parallel()
	if err := reserve(t.Context(), fake.New(order("second", "north", nil)), first); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want that it is not found", err)
	}
}

// A request fails if a reactor says so.
func TestReserveFails(t *testing.T) {
	t.Parallel()
	client, want := fake.New(order("first", "north", nil)), errors.New("server is down")
	client.PrependReactor("update", "orders", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, want })
	if err := reserve(t.Context(), client, first); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}
