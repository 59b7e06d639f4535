package cachetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// Server serves APIs over HTTP, under the paths of a Kubernetes API server: /api/v1/... for the core group
// and /apis/<group>/<version>/... for other groups, with or without namespaces/<namespace>/ before the
// resource.
//
// It supports every verb: list, watch, get, create, update, patch, delete and deletecollection. Patches are
// JSON, merge, server-side apply and, for the types of k8s.io/api, strategic merge. It also supports the
// subresource status, and discovery. Discovery lists a resource while it is installed, and a group version
// while one of its resources is. Bodies are JSON. Bodies of single objects may be protobuf if their type
// supports it.
//
// A Server is also an http.RoundTripper, which connects a client to it without a network.
type Server struct {
	mu        sync.RWMutex
	resources map[schema.GroupVersionResource]endpoint
}

// NewServer returns a server without resources.
func NewServer() *Server {
	return &Server{resources: map[schema.GroupVersionResource]endpoint{}}
}

// Serve makes the server serve a resource from an API. kind is the kind of its objects; the kind of their
// list is the same with "List". T is a pointer to a struct, which is decoded from and encoded to JSON.
//
// An API can be served at several places, also by several servers. At most one ServeOptions is used.
func Serve[T runtime.Object](server *Server, resource schema.GroupVersionResource, kind string, api *API[T], options ...ServeOptions) {
	api.mu.Lock()
	api.resource = resource.GroupResource()
	api.mu.Unlock()
	var used ServeOptions
	if len(options) > 0 {
		used = options[0]
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	server.resources[resource] = newEndpoint(&api.engine, resource, kind, used)
}

// ServeObjects is Serve with a new API, which holds the objects and is returned. The kind is the name of
// the Go type.
func ServeObjects[T runtime.Object](server *Server, resource schema.GroupVersionResource, objects ...T) *API[T] {
	api := NewAPI(objects...)
	Serve(server, resource, elem(api.goType).Name(), api)
	return api
}

// target is the resource or object that the path of a request names.
type target struct {
	resource    schema.GroupVersionResource
	key         types.NamespacedName
	subresource string
}

// parsePath splits a path. It returns false if the path names no resource.
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
	// The status of a namespace is not a resource in the namespace.
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

// request returns the log entry of a request for the target.
func (t target) request(method string) Request {
	return Request{Verb: verbs[method], Namespace: t.key.Namespace, Name: t.key.Name, Subresource: t.subresource}
}

// notSupported returns the error for a method that the target does not have.
func (t target) notSupported(method string) error {
	return apierrors.NewMethodNotSupported(t.resource.GroupResource(), cmp.Or(string(verbs[method]), strings.ToLower(method)))
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.serve(w, r); err != nil {
		writeError(w, err)
	}
}

// serve responds to a request, unless it returns an error.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) error {
	t, ok := parsePath(r.URL.Path)
	if !ok {
		return s.serveDiscovery(w, r)
	}
	s.mu.RLock()
	e, found := s.resources[t.resource]
	s.mu.RUnlock()
	switch {
	case !found || t.key.Name != "" && !e.installed():
		http.NotFound(w, r)
		return nil
	case t.subresource != "" && (t.subresource != statusSubresource || !e.status):
		return apierrors.NewNotFound(t.resource.GroupResource(), t.key.Name)
	case t.key.Name == "" && r.Method != http.MethodPost:
		return e.serveCollection(w, r, t)
	default:
		return e.serveObject(w, r, t)
	}
}

// serveCollection responds to a request for all objects of a resource, or of a namespace.
func (e endpoint) serveCollection(w http.ResponseWriter, r *http.Request, t target) error {
	f, err := negotiate(r, false, false)
	if err != nil {
		return err
	}
	var options metav1.ListOptions
	query := r.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	switch {
	case r.Method == http.MethodGet && options.Watch:
		return e.serveWatch(w, r, t, options, f)
	case r.Method == http.MethodGet:
		return e.serveList(w, r, t, options, f)
	case r.Method == http.MethodDelete:
		return e.serveDeleteCollection(w, r, t, options, f)
	default:
		return t.notSupported(r.Method)
	}
}

func (e endpoint) serveList(w http.ResponseWriter, r *http.Request, t target, options metav1.ListOptions, f format) error {
	var items [][]byte
	var broken error
	list, err := e.list(r.Context(), t.key.Namespace, options, func(obj runtime.Object, padding int, err error) {
		item, err := e.encode(obj, f, err)
		broken = cmp.Or(broken, err)
		items = append(items, pad(item, padding))
	})
	err = cmp.Or(broken, err)
	if err != nil && !inBody(err) && (isStatus(err) || len(items) == 0) {
		return err
	}
	switch {
	case errors.Is(err, ErrTruncated):
		items = append(items, []byte(truncated))
	case errors.Is(err, ErrGarbled):
		items = append(items, []byte(garbled))
	}
	text, encodeErr := e.encodeList(list, items, f)
	if encodeErr != nil {
		return encodeErr
	}
	if err != nil && !errors.Is(err, ErrGarbled) {
		text = bytes.TrimSuffix(text, []byte(listEnd))
	}
	writeBody(w, http.StatusOK, jsonType, text)
	if err != nil && !inBody(err) {
		// The connection breaks in the middle of the list.
		flush(w)
		abort(w, err)
	}
	return nil
}

func (e endpoint) serveWatch(w http.ResponseWriter, r *http.Request, t target, options metav1.ListOptions, f format) error {
	watcher, err := e.watch(r.Context(), t.key.Namespace, options)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(http.StatusOK)
	flush(w)
	for connected := true; connected; {
		event, object, err := e.next(watcher, f)
		switch {
		case err == nil:
			connected = writeEvent(w, event, object)
		case isStatus(err):
			writeEvent(w, watch.Error, encodeStatus(err))
			return nil
		case errors.Is(err, ErrGarbled):
			connected = writeEvent(w, watch.Modified, []byte(garbled))
		case errors.Is(err, ErrTruncated):
			_, _ = io.WriteString(w, `{"type":"MODIFIED","object":`+truncated)
			return nil
		case errors.Is(err, io.EOF):
			return nil
		default:
			abort(w, err)
			return nil
		}
	}
	return nil
}

// writeEvent writes one event of a watch on a line, and reports whether the client is still connected.
func writeEvent(w http.ResponseWriter, event watch.EventType, object []byte) bool {
	_, err := fmt.Fprintf(w, "{\"type\":%q,\"object\":%s}\n", event, object)
	flush(w)
	return err == nil
}

// These replace an object of a body with ErrTruncated or ErrGarbled.
const (
	truncated = `{"metadata":{"na`
	garbled   = "{\"metadata\":\x00\xff}"
)

func inBody(err error) bool { return errors.Is(err, ErrTruncated) || errors.Is(err, ErrGarbled) }

// statusOf returns the status of a status error, or nil for another error.
func statusOf(err error) *metav1.Status {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	s := status.Status()
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return &s
}

func isStatus(err error) bool { return statusOf(err) != nil }

func encodeStatus(err error) []byte {
	// A status has only strings and numbers, which always encode.
	text, _ := json.Marshal(statusOf(err))
	return text
}

// writeError responds with the status of an error. For ErrTruncated and ErrGarbled it writes a body that
// does not decode. For any other error it breaks the connection.
func writeError(w http.ResponseWriter, err error) {
	status := statusOf(err)
	cause, isText := apierrors.StatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
	switch {
	case errors.Is(err, ErrTruncated):
		writeBody(w, http.StatusOK, jsonType, []byte(truncated))
	case errors.Is(err, ErrGarbled):
		writeBody(w, http.StatusOK, jsonType, []byte(garbled))
	case status == nil:
		abort(w, err)
	case isText:
		http.Error(w, cause.Message, int(status.Code))
	default:
		if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
		}
		writeBody(w, int(status.Code), jsonType, encodeStatus(err))
	}
}

func writeBody(w http.ResponseWriter, code int, mediaType string, text []byte) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(code)
	// A client that has disconnected needs no response.
	_, _ = w.Write(text)
}

// flush sends what was written, as far as w can.
func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
