package clients

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
	"github.com/informer-gen/informer-gen/runtime/internal/written"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// ApplyConfiguration is the argument of Apply: a type that controller-gen or
// applyconfiguration-gen generates for an API type. It must have a name. Without one, Patch
// sends the fields as JSON, with types.ApplyPatchType and a field manager.
type ApplyConfiguration interface {
	runtime.ApplyConfiguration
	// GetName returns the name of the object; nil is an error of Apply.
	GetName() *string
}

// Client reads and writes the objects of one resource. Its methods are those of a
// clientset; the generated interfaces have those that the verbs of the type allow.
//
// What they write with the context of a reconcile of runtime/controller is noted there. Dry runs and
// DeleteCollection are not.
type Client[T Object, L runtime.Object] struct {
	*requests[T, L]
	notes notes
}

// notes says of which resource a write is.
type notes struct {
	client   *source.Client
	resource schema.GroupResource
}

// wrote notes a write, unless the server has refused it.
func (n *notes) wrote(ctx context.Context, obj metav1.Object, err error, dryRun []string) {
	switch to := written.To(ctx); {
	case to == nil || len(dryRun) > 0:
	case err == nil:
		to.Wrote(n.client, n.resource, obj)
	case !refused(err):
		to.Unanswered(n.client, n.resource)
	}
}

// refused reports whether a write has certainly not been made. A server error, such as a timeout, may
// come after it.
func refused(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code < http.StatusInternalServerError
	}
	return utilnet.IsConnectionRefused(err)
}

// Create sends a new object, and returns it as the server has it.
func (c *Client[T, L]) Create(ctx context.Context, obj T, options metav1.CreateOptions) (T, error) {
	created, err := c.requests.Create(ctx, obj, options)
	c.notes.wrote(ctx, created, err, options.DryRun)
	return created, err
}

// Update sends an object in place of that of its name and resourceVersion, and returns it as the
// server has it.
func (c *Client[T, L]) Update(ctx context.Context, obj T, options metav1.UpdateOptions) (T, error) {
	updated, err := c.requests.Update(ctx, obj, options)
	c.notes.wrote(ctx, updated, err, options.DryRun)
	return updated, err
}

// UpdateStatus is Update for the status.
func (c *Client[T, L]) UpdateStatus(ctx context.Context, obj T, options metav1.UpdateOptions) (T, error) {
	updated, err := c.requests.UpdateStatus(ctx, obj, options)
	c.notes.wrote(ctx, updated, err, options.DryRun)
	return updated, err
}

// Patch sends a change of an object or of a subresource, and returns the object with it.
func (c *Client[T, L]) Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (T, error) {
	patched, err := c.requests.Patch(ctx, name, kind, data, options, subresources...)
	c.notes.wrote(ctx, patched, err, options.DryRun)
	return patched, err
}

// Delete deletes the object of a name.
func (c *Client[T, L]) Delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	if written.To(ctx) == nil || len(options.DryRun) > 0 {
		return c.requests.Delete(ctx, name, options)
	}
	return c.notes.delete(ctx, c.GetClient(), types.NamespacedName{Namespace: c.GetNamespace(), Name: name}, options)
}

// delete sends the request that client-go's client sends, and notes what the response says was deleted.
func (n *notes) delete(ctx context.Context, requests rest.Interface, key types.NamespacedName, options metav1.DeleteOptions) error {
	result := requests.Delete().NamespaceIfScoped(key.Namespace, key.Namespace != "").Resource(n.resource.Resource).Name(key.Name).Body(&options).Do(ctx)
	err := result.Error()
	switch {
	case err == nil:
		written.To(ctx).Deleted(n.client, n.resource, deleted(result, key))
	case !refused(err):
		written.To(ctx).Unanswered(n.client, n.resource)
	}
	return err
}

// deleted returns the object that a response is about: a finalizer may keep it, and it is the response,
// or it is gone, and the response is a status with its UID.
func deleted(response rest.Result, key types.NamespacedName) metav1.Object {
	gone := &metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}
	switch obj, _ := response.Get(); obj := obj.(type) {
	case *metav1.Status:
		if obj.Details != nil {
			gone.UID = obj.Details.UID
		}
	case metav1.Object:
		gone.UID = obj.GetUID()
	}
	return gone
}

// requests are client-go's. That it is an alias hides the field.
type requests[T Object, L runtime.Object] = gentype.ClientWithListAndApply[T, L, ApplyConfiguration]

var errNoFields = errors.New("apply configuration: is nil")

// Apply sends the fields that are set, and returns the object with them. The field manager
// of the options owns them from then on.
func (c *Client[T, L]) Apply(ctx context.Context, fields ApplyConfiguration, options metav1.ApplyOptions) (T, error) {
	if nothing.Is(fields) {
		return *new(T), errNoFields
	}
	applied, err := c.requests.Apply(ctx, fields, options)
	c.notes.wrote(ctx, applied, err, options.DryRun)
	return applied, err
}

// ApplyStatus is Apply for the status.
func (c *Client[T, L]) ApplyStatus(ctx context.Context, fields ApplyConfiguration, options metav1.ApplyOptions) (T, error) {
	if nothing.Is(fields) {
		return *new(T), errNoFields
	}
	applied, err := c.requests.ApplyStatus(ctx, fields, options)
	c.notes.wrote(ctx, applied, err, options.DryRun)
	return applied, err
}
