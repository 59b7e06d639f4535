package cachetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// endpoint is an API in JSON.
type endpoint interface {
	// installed is false after Uninstall.
	installed() bool
	// describe returns what discovery says of the resource of that name.
	describe(name string) []metav1.APIResource
	get(key types.NamespacedName) ([]byte, error)
	create(namespace string, body []byte) ([]byte, error)
	update(key types.NamespacedName, body []byte) ([]byte, error)
	delete(key types.NamespacedName, body []byte) ([]byte, error)
	list(ctx context.Context, namespace string, options metav1.ListOptions, each func([]byte)) (metav1.ListMeta, error)
	// listHead is a list as far as the bracket that opens its items.
	listHead(metav1.ListMeta) ([]byte, error)
	watch(ctx context.Context, namespace string, options metav1.ListOptions) (stream, error)
}

// stream is an open watch in JSON.
type stream interface {
	next() (watch.EventType, []byte, error)
	stop()
}

// typedEndpoint is the endpoint of an API[T].
type typedEndpoint[T runtime.Object] struct {
	api     *API[T]
	kind    schema.GroupVersionKind
	options ServeOptions
}

func (e typedEndpoint[T]) installed() bool {
	e.api.mu.Lock()
	defer e.api.mu.Unlock()
	return !e.api.uninstalled
}

func (e typedEndpoint[T]) describe(name string) []metav1.APIResource {
	return []metav1.APIResource{{
		Name:         name,
		SingularName: strings.ToLower(e.kind.Kind),
		Namespaced:   !e.options.ClusterScoped,
		Kind:         e.kind.Kind,
		Verbs:        metav1.Verbs{"create", "delete", "get", "list", "update", "watch"},
	}}
}

func (e typedEndpoint[T]) get(key types.NamespacedName) ([]byte, error) {
	return e.encoded(e.api.Get(key))
}

func (e typedEndpoint[T]) create(namespace string, body []byte) ([]byte, error) {
	v, err := e.decode(body)
	if err != nil {
		return nil, err
	}
	if v.meta.GetNamespace() == "" {
		v.meta.SetNamespace(namespace)
	}
	if v.meta.GetNamespace() != namespace {
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return e.encoded(e.api.Create(v.object))
}

func (e typedEndpoint[T]) update(key types.NamespacedName, body []byte) ([]byte, error) {
	v, err := e.decode(body)
	if err != nil {
		return nil, err
	}
	if v.meta.GetNamespace() == "" {
		v.meta.SetNamespace(key.Namespace)
	}
	if v.key() != key {
		return nil, apierrors.NewBadRequest("the namespace and name of the object do not match those on the URL")
	}
	return e.encoded(e.api.Update(v.object))
}

func (e typedEndpoint[T]) delete(key types.NamespacedName, body []byte) ([]byte, error) {
	var options metav1.DeleteOptions
	if len(body) > 0 {
		if err := json.Unmarshal(body, &options); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	var preconditions metav1.Preconditions
	if options.Preconditions != nil {
		preconditions = *options.Preconditions
	}
	if _, err := e.api.Delete(key, preconditions); err != nil {
		return nil, err
	}
	return json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details:  &metav1.StatusDetails{Group: e.kind.Group, Kind: e.kind.Kind, Name: key.Name},
	})
}

func (e typedEndpoint[T]) list(ctx context.Context, namespace string, options metav1.ListOptions, each func([]byte)) (metav1.ListMeta, error) {
	var broken error
	list, err := e.api.list(ctx, namespace, options, func(obj T, padding int, err error) {
		item, err := e.encodeOr(obj, err)
		if err != nil {
			broken = err
			return
		}
		each(pad(item, padding))
	})
	if broken != nil {
		return metav1.ListMeta{}, broken
	}
	return list, err
}

func (e typedEndpoint[T]) listHead(list metav1.ListMeta) ([]byte, error) {
	text, err := json.Marshal(struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`
	}{metav1.TypeMeta{Kind: e.kind.Kind + "List", APIVersion: e.kind.GroupVersion().String()}, list})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return append(text[:len(text)-1], `,"items":[`...), nil
}

func (e typedEndpoint[T]) watch(ctx context.Context, namespace string, options metav1.ListOptions) (stream, error) {
	w, err := e.api.watch(ctx, namespace, options)
	if err != nil {
		return nil, err
	}
	return typedStream[T]{endpoint: e, watcher: w}, nil
}

// typedStream is the stream of a typedEndpoint.
type typedStream[T runtime.Object] struct {
	endpoint typedEndpoint[T]
	watcher  *watcher[T]
}

func (s typedStream[T]) stop() { s.watcher.Stop() }

func (s typedStream[T]) next() (watch.EventType, []byte, error) {
	frame, err := s.watcher.Next()
	if frame.Type == watch.Bookmark {
		text, err := s.endpoint.encodeBookmark(frame.ResourceVersion, frame.InitialEventsEnd)
		return frame.Type, pad(text, s.watcher.padding), err
	}
	text, err := s.endpoint.encodeOr(frame.Object, err)
	if frame.Type == "" {
		// What can't be decoded does not say either what happened to it.
		frame.Type = watch.Modified
	}
	return frame.Type, pad(text, s.watcher.padding), err
}

// pad makes an object longer, by a field of its own.
func pad(object []byte, by int) []byte {
	if by <= 0 || len(object) == 0 {
		return object
	}
	const before, after = `{"padding":"`, `",`
	padding := bytes.Repeat([]byte("x"), max(by-len(before)-len(after)+1, 0))
	return slices.Concat([]byte(before), padding, []byte(after), object[1:])
}

// decode reads an object as Kubernetes does: names are case-sensitive.
func (e typedEndpoint[T]) decode(body []byte) (*version[T], error) {
	kind := reflect.TypeFor[T]()
	if kind.Kind() != reflect.Pointer {
		return nil, apierrors.NewInternalError(fmt.Errorf("%v: not a pointer to a struct", kind))
	}
	obj, _ := reflect.New(kind.Elem()).Interface().(T)
	if err := utiljson.Unmarshal(body, obj); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if got := obj.GetObjectKind().GroupVersionKind(); !got.Empty() && got != e.kind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object is a %s; expected a %s", got, e.kind))
	}
	e.setKind(obj, schema.GroupVersionKind{})
	return ingest(obj)
}

// setKind sets the kind of an object that is no Unstructured, which always
// has one.
func (e typedEndpoint[T]) setKind(obj T, kind schema.GroupVersionKind) {
	if _, ok := any(obj).(runtime.Unstructured); !ok {
		obj.GetObjectKind().SetGroupVersionKind(kind)
	}
}

// encoded encodes the answer of the API.
func (e typedEndpoint[T]) encoded(obj T, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	e.setKind(obj, e.kind)
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return text, nil
}

// encodeOr encodes an object, or one that does not decode in place of a
// *cache.ObjectError.
func (e typedEndpoint[T]) encodeOr(obj T, err error) ([]byte, error) {
	var object *cache.ObjectError
	if !errors.As(err, &object) {
		return e.encoded(obj, err)
	}
	namespace, name, ok := strings.Cut(object.Object, "/")
	if !ok {
		namespace, name = "", object.Object
	}
	return e.encodeMeta(map[string]any{"namespace": namespace, "name": name, "labels": object.Error()})
}

func (e typedEndpoint[T]) encodeBookmark(resourceVersion string, initialEventsEnd bool) ([]byte, error) {
	m := map[string]any{"resourceVersion": resourceVersion}
	if initialEventsEnd {
		m["annotations"] = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return e.encodeMeta(m)
}

// encodeMeta encodes an object that has nothing but metadata.
func (e typedEndpoint[T]) encodeMeta(m map[string]any) ([]byte, error) {
	return json.Marshal(map[string]any{"kind": e.kind.Kind, "apiVersion": e.kind.GroupVersion().String(), "metadata": m})
}
