package source

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// handover is the transport of a client, which hands responses over.
type handover struct {
	streaming *Streaming
	next      http.RoundTripper
}

// WrappedRoundTripper makes the transport below visible to
// k8s.io/apimachinery/pkg/util/net.
func (h *handover) WrappedRoundTripper() http.RoundTripper { return h.next }

func (h *handover) RoundTrip(req *http.Request) (*http.Response, error) {
	wants := decoding.From(req.Context())
	collection, ok := collectionIn(req.URL.Path)
	if ok && wants.Requested != nil {
		wants.Requested(collection)
	}
	t, sent := wants.Sender.(*takeover)
	if !sent || !ok || t.streaming != nil && t.streaming != h.streaming {
		return h.next.RoundTrip(req)
	}
	query := req.URL.Query()
	if watch := isTrue(query.Get("watch")); req.Method != http.MethodGet || watch != t.watch {
		return h.next.RoundTrip(req)
	}
	if err := checkPassthrough(); err != nil {
		t.refuse(err)
		return h.next.RoundTrip(req)
	}
	request := newRequest(req.Context())
	inner := req.Clone(request.ctx)
	if t.watch && !isTrue(query.Get("sendInitialEvents")) && inner.Header.Get("Accept-Encoding") == "" {
		inner.Header.Set("Accept-Encoding", "identity") // as restSource does
	}
	if accept := decodable(inner.Header.Get("Accept")); accept != "" {
		inner.Header.Set("Accept", accept)
	}
	resp, err := h.next.RoundTrip(inner)
	if err != nil {
		request.cancel(nil)
		return resp, err
	}
	if resp.StatusCode == http.StatusOK {
		if taken := h.take(t, request, resp, collection); taken != nil {
			return taken.emptied(resp, t.watch), nil
		}
	}
	resp.Body = &clientsBody{resp.Body, request}
	return resp, nil
}

// decodable returns those media types of an Accept header that are decoded here: a client may
// prefer another one, such as CBOR.
func decodable(accept string) string {
	var kept []string
	for clause := range strings.SplitSeq(accept, ",") {
		switch mediaType, _, _ := strings.Cut(clause, ";"); strings.TrimSpace(mediaType) {
		case jsonType, protoType:
			kept = append(kept, clause)
		}
	}
	return strings.Join(kept, ",")
}

// clientsBody is the body of a response that is left to the client: its request ends with it.
type clientsBody struct {
	io.ReadCloser
	request *request
}

func (b *clientsBody) Close() error {
	defer b.request.cancel(nil)
	return b.ReadCloser.Close()
}

// take makes resp the response that was taken, if it can be decoded here; nil if not.
func (h *handover) take(t *takeover, request *request, resp *http.Response, c decoding.Collection) *response {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.taken != nil {
		return nil
	}
	gv := schema.GroupVersion{Group: c.Group, Version: c.Version}
	codec := h.streaming.codec(t.objects, gv.WithResource(c.Resource))
	taken, err := newResponse(resp.Body, answerOf(resp), decoder{codec, gv, h.streaming.maxObject, decoding.From(t.caller)})
	if err != nil {
		t.refused = err
		return nil
	}
	request.endWith(t.caller)
	t.taken, t.request = taken, request
	return taken
}

// emptied is the response resp without objects: what its client gets. If it cannot decode that, as
// of a Go type that has another name than the kind, it gets its responses back.
func (r *response) emptied(resp *http.Response, watch bool) *http.Response {
	empty := *resp
	empty.Header = resp.Header.Clone()
	empty.Header.Del("Content-Length")
	empty.Header.Del("Content-Encoding")
	var body string
	if !watch {
		body = fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{},"items":[]}`, r.codec.object.Name()+"List", r.gv)
		empty.Header.Set("Content-Type", jsonType)
	}
	empty.Body, empty.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	return &empty
}
