package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
	shopinformers "github.com/informer-gen/informer-gen/testdata/minimal/generated/informers/shop/v1alpha1"
)

// warehouseFields is an apply configuration as controller-gen writes it.
type warehouseFields struct {
	applymetav1.TypeMetaApplyConfiguration    `json:",inline"`
	*applymetav1.ObjectMetaApplyConfiguration `json:"metadata,omitempty"`

	Spec *struct {
		Location *string `json:"location,omitempty"`
	} `json:"spec,omitempty"`
}

func (*warehouseFields) IsApplyConfiguration() {}

func (f *warehouseFields) GetName() *string { return f.Name }

// A project without a clientset writes with generated clients, over the connection of its
// informers, which bring what was written.
func TestClients(t *testing.T) {
	cfg, _ := playground(t, orders)
	ctx, client := t.Context(), newClient(t, cfg)
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	phases := make(chan shopv1alpha1.OrderPhase, 100)
	orderInformer := factory.Shop().V1alpha1().Orders()
	if _, err := orderInformer.TypedInformer().AddTypedEventHandler(shopinformers.OrderHandlerFuncs{
		UpdateFunc: func(_, order *shopv1alpha1.Order) {
			phases <- order.Status.Phase
		},
	}); err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}

	orders := clients.New(client).Shop().V1alpha1().Orders("clients")
	order := &shopv1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Name: "first", Finalizers: []string{"shop.example.com/cleanup"}}}
	if _, err := orders.Create(ctx, order, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("created an order that its CRD refuses: %v", err)
	}
	order.Spec = shopv1alpha1.OrderSpec{Customer: "somebody", Items: []shopv1alpha1.OrderItem{{SKU: "book", Quantity: 1}}}
	created, err := orders.Create(ctx, order, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	reserved := created.DeepCopy()
	reserved.Status.Phase = shopv1alpha1.OrderReserved
	if _, err := orders.UpdateStatus(ctx, reserved, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if phase := <-phases; phase != shopv1alpha1.OrderReserved {
		t.Errorf("informer: phase %q", phase)
	}
	if _, err := orders.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("updated an old order: %v", err)
	}
	if err := orders.Delete(ctx, "first", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if patched, err := orders.Patch(ctx, "first", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil || patched.DeletionTimestamp == nil {
		t.Errorf("patched %v: %v", patched, err)
	}
	if _, err := orders.Get(ctx, "first", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got a deleted order: %v", err)
	}
}

// What is applied, deleted and watched has the type of the API.
func TestClientsOfTheCluster(t *testing.T) {
	cfg, _ := playground(t, warehouses)
	ctx, warehouses := t.Context(), clients.New(newClient(t, cfg)).Shop().V1alpha1().Warehouses()
	location := "clients"
	fields := &warehouseFields{ObjectMetaApplyConfiguration: applymetav1.ObjectMeta().WithName("clients")}
	fields.WithAPIVersion("shop.example.com/v1alpha1").WithKind("Warehouse")
	fields.Spec = &struct {
		Location *string `json:"location,omitempty"`
	}{&location}
	applied, err := warehouses.Apply(ctx, fields, metav1.ApplyOptions{FieldManager: "test"})
	if err != nil || applied.Spec.Location != location {
		t.Errorf("applied %v: %v", applied, err)
	}
	list, err := warehouses.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("listed %v: %v", list, err)
	}
	events, err := warehouses.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	if err := warehouses.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	event := <-events.ResultChan()
	if gone, ok := event.Object.(*shopv1alpha1.Warehouse); !ok || gone.Spec.Location != location {
		t.Errorf("watched %v", event)
	}
}
