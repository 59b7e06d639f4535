package e2e

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/informer-gen/informer-gen/test/apiserver"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	shopinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	shopv1alpha1informers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers/shop/v1alpha1"
)

// A write of the status is an update that leaves the spec and the generation as they are, and a write of
// the spec leaves the status. Handler and lister see the written state of a resource with the status
// subresource, and the timestamps in its conditions.
func TestStatusSubresource(t *testing.T) {
	cfg, client := playground(t, orders)
	factory := shopinformers.NewSharedInformerFactory(newClient(t, cfg), 0)
	informer := factory.Shop().V1alpha1().Orders()
	updates := make(chan *shopv1alpha1.Order, 10)
	if _, err := informer.TypedInformer().AddTypedEventHandler(shopv1alpha1informers.OrderHandlerFuncs{
		UpdateFunc: func(_, order *shopv1alpha1.Order) { updates <- order },
	}); err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(t.Context())
	defer func() {
		stop()
		factory.Shutdown()
	}()
	api := orders.client(client, "here")
	if _, err := api.Create(t.Context(), orders.object("here", "one", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(running)
	if err := factory.WaitForSync(withPatience(t)); err != nil {
		t.Fatal(err)
	}

	next := func() *shopv1alpha1.Order {
		t.Helper()
		select {
		case order := <-updates:
			return order
		case <-withPatience(t).Done():
			t.Fatal("no update came")
			return nil
		}
	}
	obj, err := api.Get(t.Context(), "one", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	since := "2026-01-02T03:04:05Z"
	obj.Object["status"] = map[string]any{"phase": "Reserved", "conditions": []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "Because", "message": "é \u2028 <&>", "lastTransitionTime": since,
	}}}
	obj.Object["spec"] = orders.content(5)["spec"] // ignored
	if obj, err = api.UpdateStatus(t.Context(), obj, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	order := next()
	if order.Status.Phase != shopv1alpha1.OrderReserved || order.Spec.Items[0].Quantity != 2 || order.Generation != 1 {
		t.Errorf("after the status: got %+v, want the status and the old spec", order)
	}
	if c := order.Status.Conditions; len(c) != 1 || c[0].Message != "é \u2028 <&>" || c[0].LastTransitionTime.UTC().Format("2006-01-02T15:04:05Z") != since {
		t.Errorf("got the conditions %+v", c)
	}

	if err := unstructured.SetNestedField(obj.Object, "elsewhere", "spec", "warehouse"); err != nil {
		t.Fatal(err)
	}
	unstructured.RemoveNestedField(obj.Object, "status") // ignored
	if _, err := api.Update(t.Context(), obj, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	order = next()
	if order.Status.Phase != shopv1alpha1.OrderReserved || order.Spec.Warehouse != "elsewhere" || order.Generation != 2 {
		t.Errorf("after the spec: got %+v, want the spec and the old status", order)
	}

	lister := informer.Lister()
	if got, err := lister.Orders("here").Get("one"); err != nil || got != order {
		t.Errorf("lister: got %v, %v; want the object that the handler was given", got, err)
	}
	if got, err := lister.List(labels.SelectorFromSet(labels.Set{shardLabel: "none"})); err != nil || len(got) != 0 {
		t.Errorf("lister: got %v, %v for labels that nothing has", got, err)
	}
	if _, err := lister.Orders("there").Get("one"); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "order.shop.example.com") {
		t.Errorf("lister: got %v, want that order.shop.example.com \"one\" was not found", err)
	}
}

// A factory whose resource is not served says so, by the name of the informer
// and with the API server's answer, and is in sync once it is served.
func TestDefinitionComesLater(t *testing.T) {
	server, err := apiserver.Start(t.Context(), apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	factory, subjects := shop.subjects(t, server.Config())
	startFactory(t, factory, subjects)
	for _, s := range subjects {
		eventually(t, s.failed)
	}
	waiting, giveUp := context.WithCancel(t.Context())
	giveUp()
	err = factory.WaitForSyncOrStuck(waiting)
	if err == nil {
		t.Fatal("in sync with resources that do not exist")
	}
	for _, want := range []string{orders.String(), shipments.String(), warehouses.String(), "could not find the requested resource"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}

	if err := server.InstallCRDs(t.Context(), crdFolders...); err != nil {
		t.Fatal(err)
	}
	if err := factory.WaitForSync(withPatience(t)); err != nil {
		t.Error(err)
	}
}
