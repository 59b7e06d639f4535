package controller

import (
	"context"
	"encoding/json"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// StatusClient writes statuses. In a kubebuilder project this is
// controller-runtime's client.
type StatusClient struct {
	client dynamic.Interface
	writes atomic.Int64
}

// NewStatusClient returns a client of an API server.
func NewStatusClient(cfg *rest.Config) (*StatusClient, error) {
	client, err := dynamic.NewForConfig(cfg)
	return &StatusClient{client: client}, err
}

// Writes returns how many statuses have been written.
func (s *StatusClient) Writes() int64 { return s.writes.Load() }

// UpdateOrder writes the status of an order.
func (s *StatusClient) UpdateOrder(ctx context.Context, order *shopv1alpha1.Order, status shopv1alpha1.OrderStatus) error {
	orders := s.client.Resource(shopv1alpha1.GroupVersion.WithResource("orders")).Namespace(order.Namespace)
	return s.patch(ctx, orders, order, status)
}

// UpdateWarehouse writes the status of a warehouse.
func (s *StatusClient) UpdateWarehouse(ctx context.Context, warehouse *shopv1alpha1.Warehouse, status shopv1alpha1.WarehouseStatus) error {
	warehouses := s.client.Resource(shopv1alpha1.GroupVersion.WithResource("warehouses"))
	return s.patch(ctx, warehouses, warehouse, status)
}

// patch writes the status of an object. It does nothing if the object is gone, or has changed: the informer
// will tell of the change.
func (s *StatusClient) patch(ctx context.Context, resource dynamic.ResourceInterface, obj metav1.Object, status any) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": obj.GetUID(), "resourceVersion": obj.GetResourceVersion()},
		"status":   status,
	})
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, obj.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		s.writes.Add(1)
	}
	return err
}
