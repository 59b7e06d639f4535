package clients

import (
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// newCodecs returns the codecs of a kind and its list. They have their own scheme. Statuses and options are
// registered as kinds of the core group, so that kinds of the API may have the same names.
func newCodecs(kind schema.GroupVersionKind, object, list runtime.Object) *source.Codecs {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(kind, object)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	codecs := serializer.NewCodecFactory(scheme).WithoutConversion()
	return &source.Codecs{Serializer: listSerializer{codecs, kind, reflect.TypeOf(list)}, Object: object}
}

// listSerializer decodes lists of objects of a kind. The scheme has no kind for the list, since a
// CustomResourceDefinition chooses it. Instead the kinds of the list's objects are checked.
type listSerializer struct {
	runtime.NegotiatedSerializer
	kind schema.GroupVersionKind
	list reflect.Type
}

func (s listSerializer) DecoderToVersion(serializer runtime.Decoder, version runtime.GroupVersioner) runtime.Decoder {
	return listDecoder{s.NegotiatedSerializer.DecoderToVersion(serializer, version), s}
}

type listDecoder struct {
	runtime.Decoder
	of listSerializer
}

func (d listDecoder) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, kind, err := d.Decoder.Decode(data, defaults, into)
	switch {
	case into == nil:
		return obj, kind, err
	case kind != nil && *kind == statusKind: // in protobuf, the Status was decoded as a list
		return d.of.decodeStatus(d.Decoder, data)
	case err != nil || reflect.TypeOf(into) != d.of.list:
		return obj, kind, err
	}
	return obj, kind, d.of.check(obj, *kind)
}

// statusKind is the kind of a response that reports the outcome of a request.
var statusKind = schema.GroupVersionKind{Version: "v1", Kind: "Status"}

// decodeStatus decodes a Status that came in place of an object or a list, and returns it as an error. A
// successful Status is an error too, but not an APIStatus: client-go's clients would return an empty object
// or list for it.
func (s listSerializer) decodeStatus(decoder runtime.Decoder, data []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, kind, err := decoder.Decode(data, nil, nil)
	status, ok := obj.(*metav1.Status)
	switch {
	case err != nil || !ok:
		return obj, kind, err
	case status.Status == metav1.StatusSuccess:
		return obj, kind, fmt.Errorf("response: is a Status (%s), message %q, not what was requested of %s", status.Status, status.Message, s.kind)
	case status.Message == "":
		status.Message = fmt.Sprintf("status without a message: %s, reason %q, code %d", status.Status, status.Reason, status.Code)
	}
	return obj, kind, apierrors.FromObject(status)
}

// check returns an error if a list, or an object in it, has another kind.
func (s listSerializer) check(list runtime.Object, kind schema.GroupVersionKind) error {
	if gv := kind.GroupVersion(); kind == s.kind || !gv.Empty() && gv != s.kind.GroupVersion() {
		return fmt.Errorf("response: is a %s of %s, not a list of %s", kind.Kind, gv, s.kind)
	}
	return meta.EachListItem(list, func(item runtime.Object) error {
		if found := item.GetObjectKind().GroupVersionKind().Kind; found != "" && found != s.kind.Kind {
			return fmt.Errorf("list: has a %s, not only objects of the kind %s", found, s.kind.Kind)
		}
		return nil
	})
}
