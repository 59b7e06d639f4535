package cachetest

import (
	"bytes"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// protobufMagic begins an object in protobuf. An envelope follows, which holds
// its kind.
var protobufMagic = []byte("k8s\x00")

// protobufObject is implemented by types that have a form in protobuf.
type protobufObject interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func marshalProtobuf(obj runtime.Object) ([]byte, error) {
	message, ok := obj.(protobufObject)
	if !ok {
		return nil, fmt.Errorf("%T: has no form in protobuf", obj)
	}
	kind := obj.GetObjectKind().GroupVersionKind()
	raw, err := message.Marshal()
	if err != nil {
		return nil, err
	}
	envelope := runtime.Unknown{Raw: raw}
	envelope.APIVersion, envelope.Kind = kind.ToAPIVersionAndKind()
	text, err := envelope.Marshal()
	return append(slices.Clone(protobufMagic), text...), err
}

// unmarshalProtobuf reads an object, and returns the kind that the envelope
// says it is of.
func unmarshalProtobuf(text []byte, into any) (schema.GroupVersionKind, error) {
	message, ok := into.(protobufObject)
	if !ok {
		return schema.GroupVersionKind{}, fmt.Errorf("%T: has no form in protobuf", into)
	}
	text, ok = bytes.CutPrefix(text, protobufMagic)
	if !ok {
		return schema.GroupVersionKind{}, fmt.Errorf("the object does not begin with %q", protobufMagic)
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(text); err != nil {
		return schema.GroupVersionKind{}, err
	}
	return schema.FromAPIVersionAndKind(envelope.APIVersion, envelope.Kind), message.Unmarshal(envelope.Raw)
}
