package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache"
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
	// requests counts those for lists and watches.
	requests int
	// over is whether the call has returned: what comes later is the client's.
	over  bool
	taken content
	// request is the one whose response was taken.
	request *request
	// refused is why a response was left to the client.
	refused error
}

// content is what a *response is to those who read it. Only the transport of a Streaming names
// that type, so that programs with a clientset and without Streaming need not have decoders.
type content interface {
	list(ctx context.Context, each func(any, error)) (metav1.ListMeta, error)
	watcher(ctx context.Context, cancel context.CancelCauseFunc) cache.Watcher[any]
	close()
}

type takeoverKey struct{}

// context is what to send the request with.
func (t *takeover) context() context.Context {
	return context.WithValue(t.caller, takeoverKey{}, t)
}

// response returns what was taken, or nil. What comes later is not.
func (t *takeover) response() content {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	return t.taken
}

// several reports whether there was more than one request, of which one was taken.
func (t *takeover) several() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken != nil && t.requests > 1
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

var errNoHandover = errors.New("its client has not the configuration of Streaming, or not the context")

// end closes a response that was taken.
func (t *takeover) end() {
	if r := t.response(); r != nil {
		t.request.cancel(nil)
		r.close()
	}
}

// handover is the transport of a client, which hands responses over.
type handover struct {
	streaming *Streaming
	next      http.RoundTripper
}

// WrappedRoundTripper makes the transport below visible to
// k8s.io/apimachinery/pkg/util/net.
func (h *handover) WrappedRoundTripper() http.RoundTripper { return h.next }

func (h *handover) RoundTrip(req *http.Request) (*http.Response, error) {
	t, ok := req.Context().Value(takeoverKey{}).(*takeover)
	if !ok || t.streaming != nil && t.streaming != h.streaming {
		return h.next.RoundTrip(req)
	}
	gv, ok := collectionIn(req.URL.Path)
	if watch := isWatch(req.URL.Query().Get("watch")); !ok || req.Method != http.MethodGet || watch != t.watch {
		return h.next.RoundTrip(req)
	}
	request := newRequest(req.Context())
	inner := req.Clone(request.ctx)
	if t.watch && inner.Header.Get("Accept-Encoding") == "" {
		inner.Header.Set("Accept-Encoding", "identity") // as restSource does
	}
	resp, err := h.next.RoundTrip(inner)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	if taken := h.take(t, request, resp, gv); taken != nil {
		return taken.emptied(resp, t.watch), nil
	}
	return resp, nil
}

// take makes resp the response that was taken, if it can be decoded here; nil if not.
func (h *handover) take(t *takeover, request *request, resp *http.Response, gv schema.GroupVersion) *response {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	if t.over || t.taken != nil {
		return nil
	}
	about := answer{resp.Header.Get("Content-Type"), resp.Header.Get("Content-Encoding"), resp.StatusCode}
	codec := h.streaming.codec(t.caller, t.objects)
	if _, t.refused = about.protobuf(codec); t.refused != nil {
		return nil
	}
	taken, err := newResponse(resp.Body, about, codec, gv, h.streaming.maxObject)
	if err != nil {
		t.refused = err
		return nil
	}
	request.endWith(t.caller)
	t.taken, t.request = taken, request
	return taken
}

// isWatch reads the parameter of a URL as API servers do.
func isWatch(parameter string) bool {
	return parameter != "" && parameter != "0" && parameter != "false"
}

// request is the context of a request, with the values of the client's. It ends with another
// context, at first with the client's, which may end when the client has read the
// empty response.
type request struct {
	ctx    context.Context
	end    context.CancelCauseFunc
	unbind func() bool
}

func newRequest(client context.Context) *request {
	r := &request{unbind: func() bool { return true }}
	r.ctx, r.end = context.WithCancelCause(context.WithoutCancel(client))
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

// emptied is the response resp without objects: what its client gets.
func (r *response) emptied(resp *http.Response, watch bool) *http.Response {
	var body []byte
	if !watch {
		body = r.emptyList()
	}
	empty := *resp
	empty.Body, empty.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	empty.Header = resp.Header.Clone()
	empty.Header.Del("Content-Length")
	empty.Header.Del("Content-Encoding")
	return &empty
}

// emptyList returns a list without items, for a client to decode: a function that puts
// lists together goes on after it, which shows that it does. A Go type may have another name
// than the kind; then the client has an error, which nobody sees.
func (r *response) emptyList() []byte {
	kind := runtime.TypeMeta{APIVersion: r.gv.String(), Kind: r.codec.object.Name() + "List"}
	if !r.protobuf {
		return fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{},"items":[]}`, kind.Kind, kind.APIVersion)
	}
	envelope := runtime.Unknown{TypeMeta: kind}
	message, err := envelope.Marshal()
	if err != nil {
		return nil
	}
	return append([]byte(magic), message...)
}

// collectionIn returns the group and version of the collection of objects that a path of the
// API is, if it is one: "/api/v1/pods", or "/apis/GROUP/VERSION/namespaces/NAME/RESOURCE". There
// may be the path of a proxy before.
func collectionIn(path string) (gv schema.GroupVersion, ok bool) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, segment := range segments {
		rest := segments[i+1:]
		switch {
		case segment == "api" && len(rest) > 1:
			gv, rest = schema.GroupVersion{Version: rest[0]}, rest[1:]
		case segment == "apis" && len(rest) > 2:
			gv, rest = schema.GroupVersion{Group: rest[0], Version: rest[1]}, rest[2:]
		default:
			continue
		}
		if rest[0] == "namespaces" && len(rest) > 2 {
			rest = rest[2:]
		}
		if len(rest) == 1 {
			return gv, true
		}
	}
	return schema.GroupVersion{}, false
}
