package e2e

import (
	"context"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/factory"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
)

// Handlers know why they are called, and a predicate on the generation leaves out updates of
// the status.
func TestCauses(t *testing.T) {
	const namespace = "causes"
	cfg, writer := playground(t, orders)
	client := newClient(t, cfg)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	shop := clients.New(client).Shop().V1alpha1().Orders(namespace)
	create := func(name string) {
		t.Helper()
		if _, err := orders.client(writer, namespace).Create(ctx, orders.object(namespace, name, 1), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create("first")
	f := informers.NewSharedInformerFactory(client, 0)
	defer f.Shutdown()
	informer := factory.Core(f.Shop().V1alpha1().Orders().TypedInformer())

	calls := make(chan string, 10)
	add := func(who string) {
		t.Helper()
		var why cause.Cause
		call := func(what string, order *shopv1alpha1.Order) {
			calls <- who + " " + what + " " + order.Name + ": " + why.String()
		}
		handler := cache.HandlerFuncs[*shopv1alpha1.Order]{
			Add:    func(order *shopv1alpha1.Order, _ bool) { call("add", order) },
			Update: func(_, order *shopv1alpha1.Order) { call("update", order) },
			Delete: func(order *shopv1alpha1.Order, _ bool) { call("delete", order) },
		}
		_, err := informer.AddHandler(controller.FilterUpdates(handler, controller.GenerationChanged), cache.HandlerOptions{Cause: &why})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(want ...string) {
		t.Helper()
		var got []string
		for range want {
			select {
			case call := <-calls:
				got = append(got, call)
			case <-withPatience(t).Done():
				t.Fatalf("called for %q, want %q", got, want)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("called for %q, want %q", got, want)
		}
	}
	add("early")
	f.StartWithContext(ctx)
	want("early add first: list")
	create("second")
	want("early add second: watch")

	order, err := shop.Get(ctx, "first", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	order.Status.Phase = shopv1alpha1.OrderReserved
	if order, err = shop.UpdateStatus(ctx, order, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	order.Spec.Customer += "!"
	if order, err = shop.Update(ctx, order, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want("early update first: watch")
	if err := informer.WaitForWrite(ctx, order); err != nil {
		t.Fatal(err)
	}
	if err := shop.Delete(ctx, "second", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	want("early delete second: watch")
	add("late")
	want("late add first: join")
}
