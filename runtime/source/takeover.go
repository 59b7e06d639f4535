package source

import (
	"context"
	"errors"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// takeover takes the response of a list or watch from the client that has requested it. The
// client gets one without objects.
type takeover struct {
	caller context.Context // of the call that sends the request
	// streaming is the one that takes it; nil is the one that the client has.
	streaming *Streaming
	objects   reflect.Type
	watch     bool

	mu sync.Mutex
	// over reports whether the call has returned: what comes later is the client's.
	over  bool
	taken content
	// request is the one whose response was taken.
	request *request
	// refused is why a response was left to the client.
	refused error
}

// content is the view of a *response for those who read it. Only the transport of a Streaming names
// that type, so that programs with a clientset and without Streaming need not have decoders.
type content interface {
	list(ctx context.Context, each func(any, error)) (metav1.ListMeta, error)
	watcher(ctx context.Context, cancel context.CancelCauseFunc) cache.Watcher
	close()
}

// context is the one to send the request with.
func (t *takeover) context() context.Context { return decoding.WithSender(t.caller, t) }

// response returns what was taken, or nil. What comes later is not.
func (t *takeover) response() content {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	return t.taken
}

// refuse notes why a response is left to the client.
func (t *takeover) refuse(reason error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused = reason
}

// reason says why no response was taken; nil if the client need not have a Streaming.
func (t *takeover) reason() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refused == nil && t.streaming != nil {
		return errNoHandover
	}
	return t.refused
}

var errNoHandover = errors.New("its client was not made with the Config of Streaming, or its list function does not pass on the context")

// end closes a response that was taken.
func (t *takeover) end() {
	if r := t.response(); r != nil {
		t.request.cancel(nil)
		r.close()
	}
}

// request is the context of a request, with the values and the deadline of the client's. It
// ends with another context, at first with the client's, which may end when the client has
// read the empty response.
type request struct {
	ctx    context.Context
	end    context.CancelCauseFunc
	unbind func() bool
}

func newRequest(client context.Context) *request {
	r := &request{unbind: func() bool { return true }}
	ctx, stop := context.WithoutCancel(client), func() {}
	if deadline, ok := client.Deadline(); ok {
		ctx, stop = context.WithDeadline(ctx, deadline)
	}
	ctx, end := context.WithCancelCause(ctx)
	r.ctx, r.end = ctx, func(cause error) {
		end(cause)
		stop()
	}
	r.endWith(client)
	return r
}

func (r *request) endWith(other context.Context) {
	r.unbind()
	r.unbind = context.AfterFunc(other, func() { r.end(context.Cause(other)) })
}

// cancel ends the request.
func (r *request) cancel(cause error) {
	r.unbind()
	r.end(cause)
}
