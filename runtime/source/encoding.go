package source

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// encoding reads what a server sends in one content type.
type encoding struct {
	contentType string
	// begins reports whether a list or a watch may begin with some bytes.
	begins func(begin []byte, watch bool) bool
	// list decodes the objects of a list that are wanted, and calls each while they arrive.
	list func(d *decoder, body io.Reader, each func(any, error)) (metav1.ListMeta, error)
	// frames splits a watch.
	frames func(body io.Reader, limit int64) frames
	// object decodes the object of a frame. Its error is a *failure.ObjectError.
	object func(d *decoder, in frame) (runtime.Object, schema.GroupVersionKind, error)
	// metadata finds what it can of the object of a frame without decoding it.
	metadata func(in frame) (decode.Metadata, bool)
}

// frames splits a stream. Its errors are fatal to the stream, but for
// *failure.ObjectError, which concerns one frame. io.EOF is its normal end.
type frames interface {
	next() (frame, error)
}

// frame is one frame, its object not yet decoded. It is valid until the next
// one is requested.
type frame struct {
	event  watch.EventType
	object []byte
	index  decode.Index // of an object in JSON
}

// isControl reports whether the frame is about the watch and has no object of the resource. A tiny limit
// does not hold for it, or the watch would end without its error.
func (f frame) isControl() bool { return f.event == watch.Bookmark || f.event == watch.Error }

const (
	jsonType  = "application/json"
	protoType = "application/vnd.kubernetes.protobuf"
)

var (
	inJSON     = encoding{jsonType, beginsJSON, (*decoder).jsonList, newJSONFrames, (*decoder).jsonObject, jsonMetadata}
	inProtobuf = encoding{protoType, beginsProtobuf, (*decoder).protoList, newProtoFrames, (*decoder).protoObject, protoMetadata}
)

// encodings are those that objects can be decoded from, the best one first. JSON is the last.
type encodings []encoding

// encodingsOf returns the encodings of a type of objects, which may be nil.
func encodingsOf(pointer reflect.Type) encodings {
	if pointer != nil && pointer.Implements(reflect.TypeFor[protoMessage]()) {
		return encodings{inProtobuf, inJSON}
	}
	return encodings{inJSON}
}

// of returns the encoding of a content type.
func (e encodings) of(contentType string) (encoding, error) {
	i := slices.IndexFunc(e, func(e encoding) bool { return e.contentType == contentType })
	if i < 0 {
		return encoding{}, fmt.Errorf("content type %q: not one of %s", contentType, e)
	}
	return e[i], nil
}

// beginning returns the encoding of a list or a watch that begins with some bytes. What has none is
// JSON, whose decoder says what it makes of nothing.
func (e encodings) beginning(begin []byte, watch bool) (encoding, error) {
	if len(begin) == 0 {
		return inJSON, nil
	}
	i := slices.IndexFunc(e, func(e encoding) bool { return e.begins(begin, watch) })
	if i < 0 {
		return encoding{}, fmt.Errorf("response begins with %q: is not one of %s", begin, e)
	}
	return e[i], nil
}

// String returns the content types, as a request accepts them.
func (e encodings) String() string {
	types := make([]string, len(e))
	for i := range e {
		types[i] = e[i].contentType
	}
	return strings.Join(types, ",")
}
