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
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/watch"
	kjson "sigs.k8s.io/json"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// endpoint is an API, whatever the type of its objects.
type endpoint interface {
	// installed is false after Uninstall.
	installed() bool
	// describe returns what discovery says of the resource of that name.
	describe(name string) []metav1.APIResource
	// hasStatus says whether there is a status subresource, and hasProtobuf
	// whether objects have a form in protobuf.
	hasStatus() bool
	hasProtobuf() bool
	// bodyTypes and patchTypes are the media types of bodies that are accepted.
	bodyTypes() []string
	patchTypes() []string

	// meet logs a request for an object, and lets it meet its fault.
	meet(ctx context.Context, r Request, carryOut func() error) error

	get(key types.NamespacedName) (runtime.Object, error)
	create(w write, b body) (runtime.Object, error)
	update(w write, b body) (runtime.Object, error)
	// patch says whether the object is new.
	patch(w write, p patch) (runtime.Object, bool, error)
	// delete says whether the object is gone.
	delete(w write, options metav1.DeleteOptions) (runtime.Object, bool, error)
	deleteCollection(w write, selected metav1.ListOptions, options metav1.DeleteOptions) ([]runtime.Object, metav1.ListMeta, error)

	list(ctx context.Context, namespace string, options metav1.ListOptions, f format, each func([]byte)) (metav1.ListMeta, error)
	// listHead is a list as far as the bracket that opens its items.
	listHead(list metav1.ListMeta, f format) ([]byte, error)
	watch(ctx context.Context, namespace string, options metav1.ListOptions, f format) (stream, error)
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
	resources := []metav1.APIResource{{
		Name:         name,
		SingularName: strings.ToLower(e.kind.Kind),
		Namespaced:   !e.options.ClusterScoped,
		Kind:         e.kind.Kind,
		Verbs:        metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
	}}
	if e.hasStatus() {
		resources = append(resources, metav1.APIResource{
			Name:       name + "/" + statusSubresource,
			Namespaced: !e.options.ClusterScoped,
			Kind:       e.kind.Kind,
			Verbs:      metav1.Verbs{"get", "patch", "update"},
		})
	}
	return resources
}

func (e typedEndpoint[T]) hasProtobuf() bool {
	return reflect.TypeFor[T]().Implements(reflect.TypeFor[protobufObject]())
}

func (e typedEndpoint[T]) bodyTypes() []string {
	if e.hasProtobuf() {
		return []string{jsonType, yamlType, protoType}
	}
	return []string{jsonType, yamlType}
}

func (e typedEndpoint[T]) meet(ctx context.Context, r Request, carryOut func() error) error {
	request, fault := e.api.arrive(r)
	err := fault.around(ctx, carryOut)
	e.api.answer(request, err)
	return err
}

func (e typedEndpoint[T]) get(key types.NamespacedName) (runtime.Object, error) {
	obj, err := e.api.Get(key)
	if err != nil {
		return nil, err
	}
	e.setKind(obj, e.kind)
	return obj, nil
}

func (e typedEndpoint[T]) list(ctx context.Context, namespace string, options metav1.ListOptions, f format, each func([]byte)) (metav1.ListMeta, error) {
	var broken error
	list, err := e.api.list(ctx, namespace, options, func(obj T, padding int, err error) {
		item, err := e.encodeOr(obj, f, err)
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

func (e typedEndpoint[T]) listHead(list metav1.ListMeta, f format) ([]byte, error) {
	kind := e.kind
	if f.metadata {
		kind = metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	}
	text, err := json.Marshal(struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`
	}{metav1.TypeMeta{Kind: kind.Kind + "List", APIVersion: kind.GroupVersion().String()}, list})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return append(text[:len(text)-1], `,"items":[`...), nil
}

func (e typedEndpoint[T]) watch(ctx context.Context, namespace string, options metav1.ListOptions, f format) (stream, error) {
	w, err := e.api.watch(ctx, namespace, options)
	if err != nil {
		return nil, err
	}
	return typedStream[T]{endpoint: e, watcher: w, format: f}, nil
}

// typedStream is the stream of a typedEndpoint.
type typedStream[T runtime.Object] struct {
	endpoint typedEndpoint[T]
	watcher  *watcher[T]
	format   format
}

func (s typedStream[T]) stop() { s.watcher.Stop() }

func (s typedStream[T]) next() (watch.EventType, []byte, error) {
	event, err := s.watcher.Next()
	if event.Type == watch.Bookmark {
		text, err := s.endpoint.encodeBookmark(event.ResourceVersion, event.InitialEventsEnd, s.format)
		return event.Type, pad(text, s.watcher.padding), err
	}
	obj, _ := event.Object.(T) // none with an error
	text, err := s.endpoint.encodeOr(obj, s.format, err)
	if event.Type == "" {
		// What can't be decoded does not say either what happened to it.
		event.Type = watch.Modified
	}
	return event.Type, pad(text, s.watcher.padding), err
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

// newObject returns an empty object.
func (e typedEndpoint[T]) newObject() (T, error) {
	kind := reflect.TypeFor[T]()
	if kind.Kind() != reflect.Pointer {
		var none T
		return none, apierrors.NewInternalError(fmt.Errorf("%v: not a pointer to a struct", kind))
	}
	obj, _ := reflect.New(kind.Elem()).Interface().(T)
	return obj, nil
}

// decodeBody reads the object of a request.
func (e typedEndpoint[T]) decodeBody(b body, strict bool) (*version[T], error) {
	switch b.kind {
	case protoType:
		return e.decodeProtobuf(b.text)
	case yamlType:
		text, err := yaml.ToJSON(b.text)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return e.decode(text, strict)
	default:
		return e.decode(b.text, strict)
	}
}

func (e typedEndpoint[T]) decodeProtobuf(text []byte) (*version[T], error) {
	obj, err := e.newObject()
	if err != nil {
		return nil, err
	}
	kind, err := unmarshalProtobuf(text, obj)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return e.decoded(obj, kind)
}

// decode reads an object as Kubernetes does: names are case-sensitive.
func (e typedEndpoint[T]) decode(text []byte, strict bool) (*version[T], error) {
	obj, err := e.newObject()
	if err != nil {
		return nil, err
	}
	if _, ok := any(obj).(runtime.Unstructured); ok {
		err = utiljson.Unmarshal(text, obj)
	} else if strict {
		var unknown []error
		if unknown, err = kjson.UnmarshalStrict(text, obj); err == nil && len(unknown) > 0 {
			err = runtime.NewStrictDecodingError(unknown)
		}
	} else {
		err = kjson.UnmarshalCaseSensitivePreserveInts(text, obj)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%[1]s in version %[2]q cannot be handled as a %[1]s: %[3]v", e.kind.Kind, e.kind.Version, err))
	}
	return e.decoded(obj, obj.GetObjectKind().GroupVersionKind())
}

// decoded checks the kind of an object that came from a client.
func (e typedEndpoint[T]) decoded(obj T, got schema.GroupVersionKind) (*version[T], error) {
	if !got.Empty() && got != e.kind {
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
func (e typedEndpoint[T]) encoded(obj T, f format, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	e.setKind(obj, e.kind)
	return f.encode(obj)
}

// encodeOr encodes an object, or one that does not decode in place of a
// *failure.ObjectError.
func (e typedEndpoint[T]) encodeOr(obj T, f format, err error) ([]byte, error) {
	var object *failure.ObjectError
	if !errors.As(err, &object) {
		return e.encoded(obj, f, err)
	}
	namespace, name, ok := strings.Cut(object.Object, "/")
	if !ok {
		namespace, name = "", object.Object
	}
	return e.encodeMeta(map[string]any{"namespace": namespace, "name": name, "labels": object.Error()}, f)
}

func (e typedEndpoint[T]) encodeBookmark(resourceVersion string, initialEventsEnd bool, f format) ([]byte, error) {
	m := map[string]any{"resourceVersion": resourceVersion}
	if initialEventsEnd {
		m["annotations"] = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return e.encodeMeta(m, f)
}

// encodeMeta encodes an object that has nothing but metadata.
func (e typedEndpoint[T]) encodeMeta(m map[string]any, f format) ([]byte, error) {
	kind := e.kind
	if f.metadata {
		kind = metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	}
	return json.Marshal(map[string]any{"kind": kind.Kind, "apiVersion": kind.GroupVersion().String(), "metadata": m})
}
