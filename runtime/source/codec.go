package source

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// codec decodes objects of one Go type.
type codec struct {
	// pointer is the type of the objects, and object what it points to; nil if it is no
	// pointer.
	pointer, object reflect.Type
	// encodings are those that the type can be decoded from.
	encodings encodings
	// unstructured says that the type is a map and decodes itself.
	unstructured bool
	// metadataOnly says that the type is PartialObjectMetadata: the server is asked to
	// send no more of an object.
	metadataOnly bool
	// fast finds what was decoded before. It has map[string]any for an unstructured type.
	fast *decode.Decoder
	// named says that the Go type has the name of the kind, as an object has shown.
	named atomic.Bool
	// kinds remembers which kind objects and lists have.
	kinds kinds
}

// newCodec returns the codec of a type. What is equal in objects is held once, by shared.
func newCodec(pointer reflect.Type, shared *decode.Shared) *codec {
	if pointer.Kind() != reflect.Pointer {
		return &codec{pointer: pointer}
	}
	c := &codec{
		pointer:      pointer,
		object:       pointer.Elem(),
		encodings:    encodingsOf(pointer),
		unstructured: pointer.Implements(reflect.TypeFor[runtime.Unstructured]()),
		metadataOnly: pointer == reflect.TypeFor[*metav1.PartialObjectMetadata](),
	}
	content := c.object
	if c.unstructured {
		content = reflect.TypeFor[map[string]any]()
	}
	c.fast = decode.NewDecoder(content, shared)
	return c
}

// newObject returns an empty object.
func (c *codec) newObject() runtime.Object { return reflect.New(c.object).Interface().(runtime.Object) }

// accept adds to the content types of a request which parts of objects to send. A server
// that can't do that sends all of them.
func (c *codec) accept(contentTypes string, watch bool, how decoding.Options) string {
	each := strings.Split(contentTypes, ",")
	if c.metadataOnly {
		as := "PartialObjectMetadataList"
		if watch {
			as = "PartialObjectMetadata"
		}
		for i := range each {
			each[i] += ";as=" + as + ";g=meta.k8s.io;v=v1"
		}
		each = append(each, strings.Split(contentTypes, ",")...)
	}
	if how.DropManagedFields {
		for i := range each {
			each[i] += ";drop=metadata.managedFields"
		}
	}
	return strings.Join(each, ",")
}

// fromJSON decodes one object, which must be valid JSON, with its index. Its error is a
// *failure.ObjectError.
//
// There are two decoders: a fast one, which finds what it has decoded before, and client-go's
// for what that refuses, which decides what is an error.
func (c *codec) fromJSON(data []byte, x decode.Index, how decoding.Options) (runtime.Object, error) {
	if c.unstructured {
		return c.fromMap(data, x, how)
	}
	fast := reflect.New(c.object)
	if c.fast.JSON(data, x, how, fast.UnsafePointer()) {
		return fast.Interface().(runtime.Object), nil
	}
	obj := c.newObject() // the other one may have been filled in part
	if err := utiljson.Unmarshal(data, obj); err != nil {
		return nil, &failure.ObjectError{Object: nameInJSON(data), Err: err}
	}
	return obj, nil
}

// fromMap decodes an unstructured object. Its own UnmarshalJSON insists on a
// kind, which items of a list may lack.
func (c *codec) fromMap(data []byte, x decode.Index, how decoding.Options) (runtime.Object, error) {
	var content map[string]any
	if !c.fast.JSON(data, x, how, unsafe.Pointer(&content)) {
		content = nil
		if err := utiljson.Unmarshal(data, &content); err != nil {
			return nil, &failure.ObjectError{Object: nameInJSON(data), Err: err}
		}
	}
	if content == nil {
		return nil, &failure.ObjectError{Err: errNoObject}
	}
	obj := c.newObject()
	obj.(runtime.Unstructured).SetUnstructuredContent(content)
	return obj, nil
}

// fromProto decodes one object from its message, without an envelope. Its
// error is a *failure.ObjectError. Nothing of data is kept.
func (c *codec) fromProto(data []byte, how decoding.Options) (runtime.Object, error) {
	if c.fast.HasProto() {
		fast := reflect.New(c.object)
		if c.fast.Proto(data, how, fast.UnsafePointer()) {
			return fast.Interface().(runtime.Object), nil
		}
	}
	obj := c.newObject()
	if err := obj.(protoMessage).Unmarshal(data); err != nil {
		// The part before the damage has been decoded, in general with the name.
		return nil, &failure.ObjectError{Object: nameOf(obj), Err: err}
	}
	return obj, nil
}

var errNoObject = errors.New("is missing")

// seal checks that an object of a watch is of the group and version that is
// watched, as far as it says, and clears its kind as a typed client does.
func (c *codec) seal(obj runtime.Object, gvk schema.GroupVersionKind, gv schema.GroupVersion) error {
	if err := checkKind(gvk); err != nil {
		return &failure.ObjectError{Object: nameOf(obj), Err: err}
	}
	if c.metadataOnly && gvk.GroupKind() == metadataKind {
		gvk = schema.GroupVersionKind{} // which is of no kind of its own
	}
	if found := gvk.GroupVersion(); !found.Empty() && found != gv {
		return &failure.ObjectError{Object: nameOf(obj), Err: fmt.Errorf("is a %s of %s, not of %s", gvk.Kind, found, gv)}
	}
	if err := c.checkName(gvk.Kind); err != nil {
		return &failure.ObjectError{Object: nameOf(obj), Err: err}
	}
	if !c.unstructured {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return nil
}

// metadataKind is the kind of an object if the server sends its metadata only.
var metadataKind = schema.GroupKind{Group: metav1.GroupName, Kind: "PartialObjectMetadata"}

// checkName refuses an object of another kind than the Go type's, once that is known to have
// the name of the kind. Objects without a kind pass. The kind of a list is not checked: a
// CustomResourceDefinition chooses it.
func (c *codec) checkName(kind string) error {
	switch own := c.object.Name(); {
	case kind == "" || c.metadataOnly || c.unstructured:
	case kind == own:
		if !c.named.Load() {
			c.named.Store(true)
		}
	case c.named.Load():
		return fmt.Errorf("is a %s, not a %s", kind, own)
	}
	return nil
}

// checkKind refuses the kinds that an API server may send in place of any
// object.
func checkKind(gvk schema.GroupVersionKind) error {
	switch {
	case gvk.Kind == "Table" && gvk.Group == "meta.k8s.io":
		return errTable
	case gvk.Kind == "Status" && gvk.Group == "" && gvk.Version == "v1":
		return errors.New("is a Status, not an object")
	}
	return nil
}

// nameOf returns "namespace/name" of an object, or as much as there is.
func nameOf(obj runtime.Object) string {
	if nothing.Is(obj) {
		return ""
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return toolscache.MetaObjectToName(accessor).String()
}

// nameInJSON finds the name of an object that could not be decoded.
func nameInJSON(data []byte) string {
	name, _ := newValues(bytes.NewReader(data), int64(len(data)), len(data)).skipNamed("metadata")
	return name
}
