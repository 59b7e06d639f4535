package clients

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/gentype"

	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
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
type Client[T Object, L runtime.Object] struct {
	*requests[T, L]
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
	return c.requests.Apply(ctx, fields, options)
}

// ApplyStatus is Apply for the status.
func (c *Client[T, L]) ApplyStatus(ctx context.Context, fields ApplyConfiguration, options metav1.ApplyOptions) (T, error) {
	if nothing.Is(fields) {
		return *new(T), errNoFields
	}
	return c.requests.ApplyStatus(ctx, fields, options)
}
