package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// protoFrames splits a stream of protobuf messages of type
// meta.k8s.io/v1.WatchEvent, each after its length in four bytes, the highest
// first.
type protoFrames struct {
	r     io.Reader
	limit int64
	buf   []byte
}

func newProtoFrames(body io.Reader, limit int64) frames {
	return &protoFrames{r: body, limit: limit}
}

func (f *protoFrames) next() (frame, error) {
	var header [4]byte
	if _, err := io.ReadFull(f.r, header[:]); err != nil {
		return frame{}, err // io.EOF, between two frames
	}
	length := binary.BigEndian.Uint32(header[:])
	if int64(length) > f.limit {
		return frame{}, f.skipLarge(length)
	}
	if cap(f.buf) > growth && length <= growth {
		f.buf = nil // the memory of one large frame must not be kept for as long as the watch lasts
	}
	var err error
	if f.buf, err = readFull(f.r, f.buf, int(length)); err != nil {
		return frame{}, err
	}
	event, err := contentsOf(f.buf)
	if err != nil {
		return frame{}, err
	}
	object, err := contentsOf(event[eventObject])
	return frame{event: watch.EventType(event[eventType]), object: object[rawExtensionRaw]}, err
}

// skipLarge skips a frame of more than the limit, and returns a
// *failure.ObjectError. If what comes does not begin as a frame, neither was the
// length one, and the stream is at an end.
func (f *protoFrames) skipLarge(length uint32) error {
	head := make([]byte, min(length, listBuffer))
	begin := min(len(head), len("\x0a\x08BOOKMARK"))
	if _, err := io.ReadFull(f.r, head[:begin]); err != nil {
		return cutOff(err)
	}
	switch watch.EventType(fieldIn(head[:begin], eventType)) {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error:
	default:
		return fmt.Errorf("frame: %w", tooLarge(f.limit))
	}
	if _, err := io.ReadFull(f.r, head[begin:]); err != nil {
		return cutOff(err)
	}
	if _, err := io.CopyN(io.Discard, f.r, int64(length)-int64(len(head))); err != nil {
		return cutOff(err)
	}
	object := fieldIn(fieldIn(head, eventObject), rawExtensionRaw)
	name := nameInProto(fieldIn(bytes.TrimPrefix(object, []byte(magic)), unknownRaw))
	return &failure.ObjectError{Object: name, Err: tooLarge(f.limit)}
}

// protoObject decodes the object of a frame.
func (c *codec) protoObject(in frame) (runtime.Object, schema.GroupVersionKind, error) {
	head, message, err := openEnvelope(in.object)
	if err != nil {
		return nil, schema.GroupVersionKind{}, &failure.ObjectError{Err: err}
	}
	obj, err := c.fromProto(message)
	return obj, head.GroupVersionKind(), err
}

func protoMetadata(in frame) (decode.Metadata, bool) {
	_, message, err := openEnvelope(in.object)
	if err != nil {
		return decode.Metadata{}, false
	}
	return decode.ProtoMetadata(message)
}
