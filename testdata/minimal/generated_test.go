// Package minimal_test writes with the generated clients what the generated informers
// read: what a project without a clientset has of the API of testdata/kubebuilder.
package minimal_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
)

// connect returns a connection to a server with the resources of the API.
func connect(t *testing.T) *source.Client {
	t.Helper()
	server := cachetest.NewServer()
	cachetest.Serve(server, v1alpha1.GroupVersion.WithResource("orders"), "Order", cachetest.NewAPI[*v1alpha1.Order]())
	cachetest.Serve(server, v1alpha1.GroupVersion.WithResource("warehouses"), "Warehouse", cachetest.NewAPI[*v1alpha1.Warehouse]())
	client, err := source.NewClient(&rest.Config{Host: "http://cachetest", Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newOrder() *v1alpha1.Order {
	return &v1alpha1.Order{
		ObjectMeta: metav1.ObjectMeta{Name: "first"},
		Spec:       v1alpha1.OrderSpec{Customer: "somebody", Items: []v1alpha1.OrderItem{{SKU: "book", Quantity: 1}}},
	}
}

// A controller's way: from the lister a copy, which is changed and written, and comes back
// through the informer.
func TestWriteWhatInformersRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, client := t.Context(), connect(t)
		orders := clients.New(client).Shop().V1alpha1().Orders("team")
		factory := informers.NewSharedInformerFactory(client, 0)
		defer factory.Shutdown()
		lister := factory.Shop().V1alpha1().Orders().Lister().Orders("team")
		factory.StartWithContext(ctx)
		if err := factory.WaitForSyncOrStuck(ctx); err != nil {
			t.Fatal(err)
		}

		if _, err := orders.Create(ctx, newOrder(), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stored, err := lister.Get("first")
		if err != nil {
			t.Fatal(err)
		}
		order := stored.DeepCopy()
		order.Status.Phase, order.Spec.Customer = v1alpha1.OrderReserved, "nobody"
		written, err := orders.UpdateStatus(ctx, order, metav1.UpdateOptions{})
		if err != nil || written.Status.Phase != v1alpha1.OrderReserved || written.Spec.Customer != "somebody" {
			t.Fatalf("wrote %+v: %v", written, err)
		}
		if _, err := orders.UpdateStatus(ctx, order, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("wrote an object that is older than the server's: %v", err)
		}
		synctest.Wait()
		stored, err = lister.Get("first")
		if diff := cmp.Diff(written.Status, stored.Status); err != nil || diff != "" || stored.ResourceVersion != written.ResourceVersion {
			t.Errorf("read %s: %v %s", stored.ResourceVersion, err, diff)
		}
	})
}

// An object with a finalizer stays until that is removed.
func TestFinalizers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	orders := clients.New(connect(t)).Shop().V1alpha1().Orders("team")
	order := newOrder()
	order.Finalizers = []string{"shop.example.com/cleanup"}
	if _, err := orders.Create(ctx, order, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := orders.Delete(ctx, order.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	deleted, err := orders.Get(ctx, order.Name, metav1.GetOptions{})
	if err != nil || deleted.DeletionTimestamp == nil {
		t.Fatalf("got %+v: %v", deleted, err)
	}
	deleted.Finalizers = nil
	if _, err := orders.Update(ctx, deleted, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := orders.Get(ctx, order.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got what was deleted: %v", err)
	}
}

// orderFields is an apply configuration as controller-gen writes it.
type orderFields struct {
	applymetav1.TypeMetaApplyConfiguration    `json:",inline"`
	*applymetav1.ObjectMetaApplyConfiguration `json:"metadata,omitempty"`

	Spec   *orderSpecFields   `json:"spec,omitempty"`
	Status *orderStatusFields `json:"status,omitempty"`
}

type orderSpecFields struct {
	Customer *string `json:"customer,omitempty"`
}

type orderStatusFields struct {
	Phase *v1alpha1.OrderPhase `json:"phase,omitempty"`
}

func (orderFields) IsApplyConfiguration() {}

func (f *orderFields) GetName() *string { return f.Name }

// fieldsOf returns the fields that identify an order.
func fieldsOf(name string) *orderFields {
	fields := &orderFields{ObjectMetaApplyConfiguration: applymetav1.ObjectMeta().WithName(name)}
	fields.WithAPIVersion("shop.example.com/v1alpha1").WithKind("Order")
	return fields
}

// Only the fields that are set are sent, and owned; without apply configurations, they are
// sent as JSON.
func TestApply(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	orders := clients.New(connect(t)).Shop().V1alpha1().Orders("team")
	fields, customer := fieldsOf("first"), "somebody"
	fields.Spec = &orderSpecFields{Customer: &customer}
	applied, err := orders.Apply(ctx, fields, metav1.ApplyOptions{FieldManager: "shop"})
	if err != nil || applied.Spec.Customer != customer {
		t.Fatalf("applied %+v: %v", applied, err)
	}
	status, phase := fieldsOf("first"), v1alpha1.OrderShipped
	status.Status = &orderStatusFields{Phase: &phase}
	if applied, err = orders.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "shop"}); err != nil || applied.Status.Phase != phase || applied.Spec.Customer != customer {
		t.Fatalf("applied %+v: %v", applied, err)
	}

	other := []byte(`{"apiVersion":"shop.example.com/v1alpha1","kind":"Order","spec":{"customer":"other"}}`)
	if _, err := orders.Patch(ctx, "first", types.ApplyPatchType, other, metav1.PatchOptions{FieldManager: "rival"}); !apierrors.IsConflict(err) {
		t.Errorf("applied a field of another manager: %v", err)
	}
	if _, err := orders.Apply(ctx, &orderFields{ObjectMetaApplyConfiguration: applymetav1.ObjectMeta()}, metav1.ApplyOptions{}); err == nil {
		t.Error("applied without a name: no error")
	}
	patched, err := orders.Patch(ctx, "first", types.MergePatchType, []byte(`{"status":{"phase":"Cancelled"}}`), metav1.PatchOptions{}, "status")
	if err != nil || patched.Status.Phase != v1alpha1.OrderCancelled {
		t.Errorf("patched %+v: %v", patched, err)
	}
}

// What has no namespace is read and written without one, and watched with its type.
func TestClusterScope(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	warehouses := clients.New(connect(t)).Shop().V1alpha1().Warehouses()
	events, err := warehouses.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	north := &v1alpha1.Warehouse{ObjectMeta: metav1.ObjectMeta{Name: "north"}, Spec: v1alpha1.WarehouseSpec{Location: "north"}}
	created, err := warehouses.Create(ctx, north, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	event := <-events.ResultChan()
	if got, ok := event.Object.(*v1alpha1.Warehouse); event.Type != watch.Added || !ok || got.UID != created.UID {
		t.Errorf("watched %v", event)
	}
	list, err := warehouses.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.ResourceVersion == "" {
		t.Fatalf("listed %+v: %v", list, err)
	}
	if err := warehouses.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := warehouses.Get(ctx, "north", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got what was deleted: %v", err)
	}
}
