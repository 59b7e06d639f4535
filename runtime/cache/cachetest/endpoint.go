package cachetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// ServeOptions configures how a resource is served. The zero value means a namespaced resource, with a
// status subresource if its objects can have a status.
type ServeOptions struct {
	// ClusterScoped makes discovery say that the objects have no namespace.
	ClusterScoped bool
	// NoStatus makes status a normal field. By default it is a subresource: an object that a client creates
	// or updates keeps the stored status, and only a write to .../status changes it. A Go type without a
	// field "status" never has the subresource.
	NoStatus bool
	// TypeConverter knows the fields of the type, for server-side apply. By default they are read from the
	// Go type. A list is a set, or a map by a key, if its tags for strategic merges say so (patchStrategy,
	// patchMergeKey). Otherwise it is owned as a whole. Lists of k8s.io/api types may have more keys than
	// that. For these types, client-go has an exact one: applyconfigurations.NewTypeConverter.
	TypeConverter managedfields.TypeConverter
}

// endpoint is an API that a server serves.
type endpoint struct {
	*engine
	path    schema.GroupVersionResource
	kind    schema.GroupVersionKind
	options ServeOptions
	// status reports whether status is written through its subresource only.
	status bool
	// builtIn reports whether the type is built into every Kubernetes.
	builtIn bool
	// protobuf reports whether objects have a form in protobuf.
	protobuf bool
	// fieldManagers returns the managers of newFieldManagers.
	fieldManagers func() (map[string]fieldManager, error)
}

func newEndpoint(engine *engine, path schema.GroupVersionResource, kind string, options ServeOptions) endpoint {
	e := endpoint{
		engine:   engine,
		path:     path,
		kind:     path.GroupVersion().WithKind(kind),
		options:  options,
		status:   !options.NoStatus && hasField(engine.goType, statusSubresource),
		builtIn:  strings.HasPrefix(elem(engine.goType).PkgPath(), "k8s.io/api/"),
		protobuf: engine.goType.Implements(reflect.TypeFor[interface{ Unmarshal([]byte) error }]()),
	}
	e.fieldManagers = sync.OnceValues(func() (map[string]fieldManager, error) {
		return newFieldManagers(engine.goType, e.kind, options.TypeConverter)
	})
	return e
}

// hasField reports whether objects of a type can have a field with a JSON name.
func hasField(goType reflect.Type, name string) bool {
	if goType.Implements(reflect.TypeFor[runtime.Unstructured]()) || elem(goType).Kind() != reflect.Struct {
		return true
	}
	for i := range elem(goType).NumField() {
		field := elem(goType).Field(i)
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name {
			return true
		}
	}
	return false
}

// newObject returns an empty object.
func (e endpoint) newObject() (runtime.Object, error) {
	if e.goType.Kind() != reflect.Pointer {
		return nil, apierrors.NewInternalError(fmt.Errorf("%v: not a pointer to a struct", e.goType))
	}
	obj, _ := reflect.New(e.goType.Elem()).Interface().(runtime.Object)
	return obj, nil
}

// decode decodes an object as Kubernetes does, and checks its kind.
func (e endpoint) decode(b body, strict bool) (*version, error) {
	obj, err := e.newObject()
	if err != nil {
		return nil, err
	}
	_, got, err := decoder(b.kind, strict).Decode(b.text, nil, obj)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%[1]s in version %[2]q cannot be handled as a %[1]s: %[3]v", e.kind.Kind, e.kind.Version, err))
	}
	if !got.Empty() && *got != e.kind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object is a %s; expected a %s", got, e.kind))
	}
	setKind(obj, schema.GroupVersionKind{})
	return ingest(obj)
}

// response returns a copy of an object in the form that clients get.
func (e endpoint) response(v *version) runtime.Object {
	obj := v.copy()
	setKind(obj, e.kind)
	return obj
}

// setKind sets the kind of an object, unless it is an Unstructured, which always has one.
func setKind(obj runtime.Object, kind schema.GroupVersionKind) {
	if _, ok := obj.(runtime.Unstructured); !ok {
		obj.GetObjectKind().SetGroupVersionKind(kind)
	}
}

// encode encodes an object of a list or watch. For a *failure.ObjectError it returns an object that does
// not decode.
func (e endpoint) encode(obj runtime.Object, f format, err error) ([]byte, error) {
	var object *failure.ObjectError
	if errors.As(err, &object) {
		namespace, name, ok := strings.Cut(object.Object, "/")
		if !ok {
			namespace, name = "", object.Object
		}
		return e.encodeMeta(map[string]any{"namespace": namespace, "name": name, "labels": object.Error()}, f)
	}
	if err != nil {
		return nil, err
	}
	setKind(obj, e.kind)
	return f.encode(obj)
}

// encodeMeta encodes an object that has only metadata.
func (e endpoint) encodeMeta(m map[string]any, f format) ([]byte, error) {
	kind := e.kindIn(f)
	return json.Marshal(map[string]any{"kind": kind.Kind, "apiVersion": kind.GroupVersion().String(), "metadata": m})
}

// kindIn returns the kind of the objects in a format.
func (e endpoint) kindIn(f format) schema.GroupVersionKind {
	if f.metadata {
		return partialKind
	}
	return e.kind
}

// listEnd ends a list.
const listEnd = "]}\n"

// encodeList encodes a list of encoded items.
func (e endpoint) encodeList(list metav1.ListMeta, items [][]byte, f format) ([]byte, error) {
	kind := e.kindIn(f)
	text, err := json.Marshal(struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`
	}{metav1.TypeMeta{Kind: kind.Kind + "List", APIVersion: kind.GroupVersion().String()}, list})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return slices.Concat(text[:len(text)-1], []byte(`,"items":[`), bytes.Join(items, []byte(",")), []byte(listEnd)), nil
}

// next returns the next event of a watch, encoded.
func (e endpoint) next(w *watcher, f format) (watch.EventType, []byte, error) {
	event, err := w.Next()
	var text []byte
	if event.Type == watch.Bookmark {
		m := map[string]any{"resourceVersion": event.ResourceVersion}
		if event.InitialEventsEnd {
			m["annotations"] = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		}
		text, err = e.encodeMeta(m, f)
	} else {
		obj, _ := event.Object.(runtime.Object) // none with an error
		text, err = e.encode(obj, f, err)
	}
	if event.Type == "" {
		// An object that can't be decoded does not say what happened to it.
		event.Type = watch.Modified
	}
	return event.Type, pad(text, w.padding), err
}

// pad makes an object longer, with an additional field.
func pad(object []byte, by int) []byte {
	if by <= 0 || len(object) == 0 {
		return object
	}
	const before, after = `{"padding":"`, `",`
	padding := bytes.Repeat([]byte("x"), max(by-len(before)-len(after)+1, 0))
	return slices.Concat([]byte(before), padding, []byte(after), object[1:])
}
