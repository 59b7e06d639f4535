package main

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// object is any of the shop's.
type object interface {
	metav1.Object
	runtime.Object
}

// resource is where objects of that type are in the API.
func (c *customers) resource(obj object) (dynamic.ResourceInterface, string) {
	switch obj.(type) {
	case *shopv1alpha1.Order:
		return c.client.Resource(shopv1alpha1.GroupVersion.WithResource("orders")).Namespace(obj.GetNamespace()), "Order"
	case *shopv1alpha1.Shipment:
		return c.client.Resource(shopv1alpha1.GroupVersion.WithResource("shipments")).Namespace(obj.GetNamespace()), "Shipment"
	default:
		return c.client.Resource(shopv1alpha1.GroupVersion.WithResource("warehouses")), "Warehouse"
	}
}

func (c *customers) create(ctx context.Context, obj object) error {
	resource, kind := c.resource(obj)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(shopv1alpha1.GroupVersion.WithKind(kind))
	if _, err := resource.Create(ctx, u, metav1.CreateOptions{}); err != nil {
		return err
	}
	c.created.Add(1)
	return nil
}

// update writes the spec of an order, whatever its status.
func (c *customers) update(ctx context.Context, order *shopv1alpha1.Order) error {
	resource, _ := c.resource(order)
	return c.patch(ctx, resource, order.Name, map[string]any{"spec": order.Spec})
}

// enlarge gives a warehouse room for some more items.
func (c *customers) enlarge(ctx context.Context, name string) error {
	resource, _ := c.resource(&shopv1alpha1.Warehouse{})
	current, err := resource.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	capacity, _, err := unstructured.NestedInt64(current.Object, "spec", "capacity")
	if err != nil {
		return err
	}
	return c.patch(ctx, resource, name, map[string]any{"spec": map[string]any{"capacity": capacity + 50}})
}

func (c *customers) patch(ctx context.Context, resource dynamic.ResourceInterface, name string, patch any) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	if _, err := resource.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}); err != nil {
		return err
	}
	c.updated.Add(1)
	return nil
}

func (c *customers) delete(ctx context.Context, obj object) error {
	resource, _ := c.resource(obj)
	if err := resource.Delete(ctx, obj.GetName(), metav1.DeleteOptions{}); err != nil {
		return err
	}
	c.deleted.Add(1)
	return nil
}

// versions lists a resource and returns the resourceVersion of each object by
// its key: what the API has.
func versions(ctx context.Context, client dynamic.Interface, resource string) (map[string]string, error) {
	list, err := client.Resource(shopv1alpha1.GroupVersion.WithResource(resource)).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", resource, err)
	}
	found := make(map[string]string, len(list.Items))
	for _, item := range list.Items {
		found[item.GetNamespace()+"/"+item.GetName()] = item.GetResourceVersion()
	}
	return found, nil
}
