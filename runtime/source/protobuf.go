package source

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// protoMessage has the methods of a type of k8s.io/api that can be decoded from
// protobuf. It is the interface that apimachinery's serializer looks for.
type protoMessage interface {
	Reset()
	Unmarshal([]byte) error
}

// magic begins an object in protobuf. An envelope follows, the message
// k8s.io/apimachinery/pkg/runtime.Unknown.
const magic = "k8s\x00"

// beginsProtobuf reports whether a list or a watch begins as in protobuf. A watch begins with the length
// of a frame: as a length, text is more than 150 MB.
func beginsProtobuf(begin []byte, watch bool) bool {
	if !watch {
		return string(begin) == magic
	}
	return slices.ContainsFunc(begin, func(c byte) bool { return c != '\t' && c != '\n' && c != '\r' && (c < ' ' || c > '~') })
}

// Fields of the messages that are read here by hand, so that no part of them
// is copied.
const (
	unknownTypeMeta = 1
	unknownRaw      = 2
	unknownEncoding = 3

	eventType   = 1
	eventObject = 2

	rawExtensionRaw = 1

	listMetadata = 1
	listItems    = 2
)

var (
	errProto    = errors.New("protobuf: malformed")
	errMagic    = errors.New("protobuf: does not begin with k8s and a zero byte")
	errEncoding = errors.New("protobuf: unknown content encoding")
)

// contents are the first fields of a message that are bytes, strings or messages, by their
// numbers.
type contents [4][]byte

// contentsOf returns the fields of a message, which are parts of it. With an error they are those
// before the damage, the last of which may be cut off.
func contentsOf(message []byte) (f contents, err error) {
	for number, content := range decode.Contents(message) {
		switch {
		case number == 0:
			return f, errProto
		case int(number) < len(f):
			f[number] = content
		}
	}
	return f, nil
}

// fieldIn returns one field of a message that may be cut off.
func fieldIn(message []byte, number int) []byte {
	f, _ := contentsOf(message)
	return f[number]
}

// nameInProto finds the name of an object of which only the beginning may be there.
func nameInProto(message []byte) string {
	m, _ := decode.ProtoMetadata(message)
	return toolscache.NewObjectName(string(m.Namespace), string(m.Name)).String()
}

// openEnvelope returns the type and the message of an object with its magic
// and envelope. The message is a part of data.
func openEnvelope(data []byte) (runtime.TypeMeta, []byte, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return runtime.TypeMeta{}, nil, errMagic
	}
	envelope, err := contentsOf(data[len(magic):])
	if err != nil {
		return runtime.TypeMeta{}, nil, err
	}
	if encoding := envelope[unknownEncoding]; len(encoding) > 0 {
		return runtime.TypeMeta{}, nil, fmt.Errorf("%w %q", errEncoding, encoding)
	}
	var head runtime.TypeMeta
	err = head.Unmarshal(envelope[unknownTypeMeta])
	return head, envelope[unknownRaw], err
}
