package clients

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/internal/written"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// notes makes the notes of one client's writes, for a resource.
type notes struct {
	client   *source.Client
	resource schema.GroupResource
}

// note is the note of one write. It is nil for a write without a context that notes it, and for a dry run.
type note struct {
	*notes
	to written.Notes
	// sent counts how often the request was sent: client-go repeats a request after a 429, or
	// after a 5xx with a Retry-After.
	sent atomic.Int32
}

// begin returns the note of a write, and the context for its request, which counts how often the request is
// sent.
func (n *notes) begin(ctx context.Context, dryRun []string) (context.Context, *note) {
	to := written.To(ctx)
	if to == nil || len(dryRun) > 0 {
		return ctx, nil
	}
	note := &note{notes: n, to: to}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { note.sent.Add(1) },
	}), note
}

// wrote takes the response to a create, an update or a patch, and notes the write. n may be nil.
func (n *note) wrote(obj metav1.Object, err error) {
	switch {
	case n == nil:
	case err == nil:
		n.to.Wrote(n.client, n.resource, obj)
	case !n.refused(err):
		n.to.Unanswered(n.client, n.resource)
	}
}

// refused reports whether the server has certainly not made a write. A server error, such as a timeout, may
// come after the write. So may any error of a request that was sent again: a conflict may be with the write
// itself.
func (n *note) refused(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code < http.StatusInternalServerError && n.sent.Load() <= 1
	}
	return utilnet.IsConnectionRefused(err) && n.sent.Load() == 0
}

// delete sends the request that client-go's client sends, and notes the deleted object from the response.
// ctx must note writes.
func (n *notes) delete(ctx context.Context, requests rest.Interface, key types.NamespacedName, options metav1.DeleteOptions) error {
	ctx, note := n.begin(ctx, nil)
	result := requests.Delete().NamespaceIfScoped(key.Namespace, key.Namespace != "").Resource(n.resource.Resource).Name(key.Name).Body(&options).Do(ctx)
	err := result.Error()
	switch {
	case err == nil:
		note.to.Deleted(n.client, n.resource, deleted(result, key))
	case !note.refused(err):
		note.to.Unanswered(n.client, n.resource)
	}
	return err
}

// deleted returns the name of the object of a delete request, with the UID of the response. If a finalizer
// keeps the object, the response is the object. If the object is gone, the response is a status with its
// UID.
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
