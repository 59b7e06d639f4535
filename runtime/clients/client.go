package clients

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/gentype"

	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
	"github.com/informer-gen/informer-gen/runtime/internal/written"
)

// ApplyConfiguration is the argument of Apply: a type that controller-gen or applyconfiguration-gen
// generates for an API type. It must have a name. Without such a type, use Patch with the fields as JSON,
// types.ApplyPatchType and a field manager.
type ApplyConfiguration interface {
	runtime.ApplyConfiguration
	// GetName returns the name of the object. Apply fails if it is nil.
	GetName() *string
}

// Client reads and writes the objects of one resource. It has the methods of a clientset's client. The
// generated interfaces have the methods that the verbs of the type allow.
//
// Writes with the context of a runtime/controller reconcile are noted there. Dry runs and DeleteCollection
// are not noted.
type Client[T Object, L runtime.Object] struct {
	*requests[T, L]
	notes notes
}

// Create sends a new object, and returns it as the server stored it.
func (c *Client[T, L]) Create(ctx context.Context, obj T, options metav1.CreateOptions) (T, error) {
	ctx, note := c.notes.begin(ctx, options.DryRun)
	created, err := c.requests.Create(ctx, obj, options)
	note.wrote(created, err)
	return created, err
}

// Update replaces the object of the same name and resourceVersion, and returns it as the server stored it.
func (c *Client[T, L]) Update(ctx context.Context, obj T, options metav1.UpdateOptions) (T, error) {
	ctx, note := c.notes.begin(ctx, options.DryRun)
	updated, err := c.requests.Update(ctx, obj, options)
	note.wrote(updated, err)
	return updated, err
}

// UpdateStatus is Update for the status.
func (c *Client[T, L]) UpdateStatus(ctx context.Context, obj T, options metav1.UpdateOptions) (T, error) {
	ctx, note := c.notes.begin(ctx, options.DryRun)
	updated, err := c.requests.UpdateStatus(ctx, obj, options)
	note.wrote(updated, err)
	return updated, err
}

// Patch sends a change to an object or to a subresource, and returns the changed object.
func (c *Client[T, L]) Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (T, error) {
	ctx, note := c.notes.begin(ctx, options.DryRun)
	patched, err := c.requests.Patch(ctx, name, kind, data, options, subresources...)
	note.wrote(patched, err)
	return patched, err
}

// Delete deletes the object with a name.
func (c *Client[T, L]) Delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	if written.To(ctx) == nil || len(options.DryRun) > 0 {
		return c.requests.Delete(ctx, name, options)
	}
	return c.notes.delete(ctx, c.GetClient(), types.NamespacedName{Namespace: c.GetNamespace(), Name: name}, options)
}

// requests are client-go's methods. Since the type is an alias of another name, the embedded field is
// unexported.
type requests[T Object, L runtime.Object] = gentype.ClientWithListAndApply[T, L, ApplyConfiguration]

var errNoFields = errors.New("apply configuration: is nil")

// Apply sends the fields that are set, and returns the object with them. The field manager in options owns
// them from then on.
func (c *Client[T, L]) Apply(ctx context.Context, fields ApplyConfiguration, options metav1.ApplyOptions) (T, error) {
	if nothing.Is(fields) {
		return *new(T), errNoFields
	}
	ctx, note := c.notes.begin(ctx, options.DryRun)
	applied, err := c.requests.Apply(ctx, fields, options)
	note.wrote(applied, err)
	return applied, err
}

// ApplyStatus is Apply for the status.
func (c *Client[T, L]) ApplyStatus(ctx context.Context, fields ApplyConfiguration, options metav1.ApplyOptions) (T, error) {
	if nothing.Is(fields) {
		return *new(T), errNoFields
	}
	ctx, note := c.notes.begin(ctx, options.DryRun)
	applied, err := c.requests.ApplyStatus(ctx, fields, options)
	note.wrote(applied, err)
	return applied, err
}
