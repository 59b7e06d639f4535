package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/tools/cache"
)

// protoMessage is what a type of k8s.io/api has if it can be decoded from
// protobuf. It is the interface that apimachinery's serializer looks for.
type protoMessage interface {
	Reset()
	Unmarshal([]byte) error
}

// magic begins an object in protobuf. An envelope follows, the message
// k8s.io/apimachinery/pkg/runtime.Unknown.
const magic = "k8s\x00"

// Fields of the messages that are read here by hand, so that no part of them
// is copied.
const (
	unknownTypeMeta = 1
	unknownRaw      = 2
	unknownEncoding = 3

	typeMetaAPIVersion = 1
	typeMetaKind       = 2

	eventType   = 1
	eventObject = 2

	rawExtensionRaw = 1

	listMetadata = 1
	listItems    = 2

	objectMetadata    = 1
	metadataName      = 1
	metadataNamespace = 3
)

// Wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

var (
	errProto    = errors.New("protobuf: malformed")
	errMagic    = errors.New("protobuf: does not begin with k8s and a zero byte")
	errEncoding = errors.New("protobuf: unknown content encoding")
)

// protoFields calls each for every field of a message that is bytes, a string
// or a message. The values are parts of message. If that is cut off in one, each
// gets what there is of it, before the error.
func protoFields(message []byte, each func(number uint64, value []byte)) error {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 || !legalTag(tag) {
			return errProto
		}
		message = message[n:]
		size, skip := uint64(0), true
		switch tag & 7 {
		case wireVarint:
			_, n := binary.Uvarint(message)
			if n <= 0 {
				return errProto
			}
			size = uint64(n)
		case wireFixed64:
			size = 8
		case wireFixed32:
			size = 4
		case wireBytes:
			length, n := binary.Uvarint(message)
			if n <= 0 {
				return errProto
			}
			message, size, skip = message[n:], length, false
		default:
			return errProto
		}
		cut := size > uint64(len(message))
		if cut {
			size = uint64(len(message))
		}
		if !skip {
			each(tag>>3, message[:size])
		}
		if cut {
			return errProto
		}
		message = message[size:]
	}
	return nil
}

// legalTag reports whether the number of the field is one: generated code takes it for an int32,
// and fails if that is not positive.
func legalTag(tag uint64) bool { return tag>>3 > 0 && tag>>3 <= math.MaxInt32 }

// protoField returns the field of that number, of a message that may be cut off.
func protoField(message []byte, wanted uint64) (field []byte) {
	_ = protoFields(message, func(number uint64, value []byte) {
		if number == wanted {
			field = value
		}
	})
	return field
}

// nameInProto finds the name of an object of which only the beginning may be
// there.
func nameInProto(message []byte) string {
	metadata := protoField(message, objectMetadata)
	return clientgo.NewObjectName(string(protoField(metadata, metadataNamespace)), string(protoField(metadata, metadataName))).String()
}

// openEnvelope returns the type and the message of an object with its magic
// and envelope. The message is a part of data.
func openEnvelope(data []byte) (metav1.TypeMeta, []byte, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return metav1.TypeMeta{}, nil, errMagic
	}
	var head, message, encoding []byte
	err := protoFields(data[len(magic):], func(number uint64, value []byte) {
		switch number {
		case unknownTypeMeta:
			head = value
		case unknownRaw:
			message = value
		case unknownEncoding:
			encoding = value
		}
	})
	if err != nil {
		return metav1.TypeMeta{}, nil, err
	}
	if len(encoding) > 0 {
		return metav1.TypeMeta{}, nil, fmt.Errorf("%w %q", errEncoding, encoding)
	}
	typeMeta, err := typeMetaOf(head)
	return typeMeta, message, err
}

func typeMetaOf(message []byte) (out metav1.TypeMeta, err error) {
	err = protoFields(message, func(number uint64, value []byte) {
		switch number {
		case typeMetaAPIVersion:
			out.APIVersion = string(value)
		case typeMetaKind:
			out.Kind = string(value)
		}
	})
	return out, err
}
