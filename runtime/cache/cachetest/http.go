package cachetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Server serves APIs over HTTP, under the paths of a Kubernetes API server:
// /api/v1/... for the core group and /apis/<group>/<version>/... for others,
// with namespaces/<namespace>/ before the resource or without.
//
// It supports every verb: list, watch, get, create, update, patch (JSON, merge, for
// the types of k8s.io/api strategic merge, and server-side apply), delete and
// deletecollection; the subresource status; and discovery. A resource is listed
// there while it is installed, and a group version while one of its resources
// is. Bodies are JSON, and of single objects protobuf if their type has it.
//
// RoundTripper connects a client to it without a network.
type Server struct {
	mu        sync.RWMutex
	resources map[schema.GroupVersionResource]endpoint
}

// NewServer returns a server without resources.
func NewServer() *Server {
	return &Server{resources: map[schema.GroupVersionResource]endpoint{}}
}

// Serve makes the server answer for a resource from an API. Kind is that of
// its objects; their list's is the same with "List". T is a pointer to a
// struct, which is decoded from and encoded to JSON.
//
// An API can be served at several places, also with several servers. At most
// one ServeOptions is used.
func Serve[T runtime.Object](server *Server, resource schema.GroupVersionResource, kind string, api *API[T], options ...ServeOptions) {
	api.SetResource(resource.GroupResource())
	e := typedEndpoint[T]{api: api, kind: resource.GroupVersion().WithKind(kind)}
	if len(options) > 0 {
		e.options = options[0]
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	server.resources[resource] = e
}

// ServeObjects is Serve with a new API, which holds the objects and is returned. The kind
// is the name of the Go type.
func ServeObjects[T runtime.Object](server *Server, resource schema.GroupVersionResource, objects ...T) *API[T] {
	api := NewAPI(objects...)
	of := reflect.TypeFor[T]()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	Serve(server, resource, of.Name(), api)
	return api
}

// target is named by the path of a request.
type target struct {
	resource    schema.GroupVersionResource
	key         types.NamespacedName
	subresource string
}

// parsePath splits a path, or returns false if it names no resource.
func parsePath(path string) (target, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var t target
	switch {
	case len(parts) > 2 && parts[0] == "api":
		t.resource.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		t.resource.Group, t.resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return target{}, false
	}
	// The status of a namespace is no resource in it.
	if len(parts) > 2 && parts[0] == "namespaces" && (len(parts) != 3 || parts[2] != statusSubresource) {
		t.key.Namespace, parts = parts[1], parts[2:]
	}
	t.resource.Resource = parts[0]
	if len(parts) > 1 {
		t.key.Name = parts[1]
	}
	if len(parts) > 2 {
		t.subresource = parts[2]
	}
	return t, len(parts) <= 3
}

// request returns what is logged of a request for the target.
func (t target) request(method string) Request {
	return Request{Verb: verbs[method], Namespace: t.key.Namespace, Name: t.key.Name, Subresource: t.subresource}
}

// notSupported is the error of a method that the target does not know.
func (t target) notSupported(method string) error {
	verb := strings.ToLower(method)
	switch method {
	case http.MethodPost:
		verb = "create"
	case http.MethodPut:
		verb = "update"
	}
	return apierrors.NewMethodNotSupported(t.resource.GroupResource(), verb)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := parsePath(r.URL.Path)
	if !ok {
		serveDiscovery(w, r, s.discovery())
		return
	}
	s.mu.RLock()
	e, found := s.resources[t.resource]
	s.mu.RUnlock()
	switch {
	case !found || t.key.Name != "" && !e.installed():
		http.NotFound(w, r)
	case t.subresource != "" && (t.subresource != statusSubresource || !e.hasStatus()):
		writeError(w, apierrors.NewNotFound(t.resource.GroupResource(), t.key.Name))
	case t.key.Name == "":
		serveCollection(w, r, e, t)
	default:
		serveObject(w, r, e, t)
	}
}

// serveCollection answers a request for all objects of a resource, or of a
// namespace.
func serveCollection(w http.ResponseWriter, r *http.Request, e endpoint, t target) {
	if r.Method == http.MethodPost {
		serveObject(w, r, e, t)
		return
	}
	f, err := negotiate(r, false, false)
	if err != nil {
		writeError(w, err)
		return
	}
	var options metav1.ListOptions
	query := r.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil); err != nil {
		writeError(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	switch {
	case r.Method == http.MethodGet && options.Watch:
		serveWatch(w, r, e, t.key.Namespace, options, f)
	case r.Method == http.MethodGet:
		serveList(w, r, e, t.key.Namespace, options, f)
	case r.Method == http.MethodDelete:
		serveDeleteCollection(w, r, e, t, options, f)
	default:
		writeError(w, t.notSupported(r.Method))
	}
}

func serveList(w http.ResponseWriter, r *http.Request, e endpoint, namespace string, options metav1.ListOptions, f format) {
	items := [][]byte{}
	list, err := e.list(r.Context(), namespace, options, f, func(item []byte) { items = append(items, item) })
	if err != nil && !inBody(err) && (isStatus(err) || len(items) == 0) {
		writeError(w, err)
		return
	}
	head, encodeErr := e.listHead(list, f)
	if encodeErr != nil {
		writeError(w, encodeErr)
		return
	}
	switch {
	case errors.Is(err, ErrTruncated):
		items = append(items, []byte(truncated))
	case errors.Is(err, ErrGarbled):
		items = append(items, []byte(garbled))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	out := &writer{to: w}
	out.write(head)
	out.write(bytes.Join(items, []byte(",")))
	switch {
	case errors.Is(err, ErrTruncated):
	case err != nil && !errors.Is(err, ErrGarbled):
		// The connection breaks in the middle of the list.
		flush(w)
		abort(w, err)
	default:
		out.write([]byte("]}\n"))
	}
}

func serveWatch(w http.ResponseWriter, r *http.Request, e endpoint, namespace string, options metav1.ListOptions, f format) {
	stream, err := e.watch(r.Context(), namespace, options, f)
	if err != nil {
		writeError(w, err)
		return
	}
	defer stream.stop()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flush(w)
	out := &writer{to: w}
	for out.err == nil {
		event, object, err := stream.next()
		switch {
		case err == nil:
			out.event(event, object)
		case isStatus(err):
			out.event(watch.Error, encodeStatus(err))
			return
		case errors.Is(err, ErrGarbled):
			out.event(watch.Modified, []byte(garbled))
		case errors.Is(err, ErrTruncated):
			out.write([]byte(`{"type":"MODIFIED","object":` + truncated))
			return
		case errors.Is(err, io.EOF):
			return
		default:
			abort(w, err)
			return
		}
		flush(w)
	}
}

// These stand for an object of a body with ErrTruncated or ErrGarbled.
const (
	truncated = `{"metadata":{"na`
	garbled   = "{\"metadata\":\x00\xff}"
)

func inBody(err error) bool { return errors.Is(err, ErrTruncated) || errors.Is(err, ErrGarbled) }

// writer writes until the first error.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) write(p []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(p)
	}
}

// event writes one event of a watch on a line.
func (w *writer) event(event watch.EventType, object []byte) {
	line := append(strconv.AppendQuote([]byte(`{"type":`), string(event)), `,"object":`...)
	w.write(append(append(line, object...), "}\n"...))
}

func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

func encodeStatus(err error) []byte {
	status := statusOf(err)
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	// A status is strings and numbers, which always encode.
	text, _ := json.Marshal(status)
	return text
}

func statusOf(err error) metav1.Status {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status()
	}
	return apierrors.NewInternalError(err).Status()
}

// writeError answers with a status, with a body that does not decode for ErrTruncated and
// ErrGarbled, or breaks the connection if the error is another one.
func writeError(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, ErrTruncated):
		writeJSON(w, http.StatusOK, []byte(truncated))
		return
	case errors.Is(err, ErrGarbled):
		writeJSON(w, http.StatusOK, []byte(garbled))
		return
	}
	if !isStatus(err) {
		abort(w, err)
		return
	}
	if cause, ok := apierrors.StatusCause(err, metav1.CauseTypeUnexpectedServerResponse); ok {
		http.Error(w, cause.Message, int(statusOf(err).Code))
		return
	}
	status := statusOf(err)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	writeJSON(w, int(status.Code), encodeStatus(err))
}

func writeJSON(w http.ResponseWriter, code int, text []byte) {
	writeBody(w, code, jsonType, text)
}

func writeBody(w http.ResponseWriter, code int, mediaType string, text []byte) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(code)
	// A client that has gone needs no answer.
	_, _ = w.Write(text)
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
