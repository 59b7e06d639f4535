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
type protoFrames struct{ in *protoReader }

func newProtoFrames(body io.Reader, limit int64) frames {
	return &protoFrames{newProtoReader(body, limit, watchBuffer)}
}

func (f *protoFrames) next() (frame, error) {
	header, err := f.in.peek(4)
	if err != nil {
		return frame{}, err // io.EOF, between two frames
	}
	length := uint64(binary.BigEndian.Uint32(header))
	_ = f.in.discard(4) // they were read
	if length > uint64(max(f.in.limit, leastRead)) {
		return frame{}, cutOff(f.skipLarge(length))
	}
	message, err := f.in.bytes(length)
	if err != nil {
		return frame{}, cutOff(err)
	}
	event, err := contentsOf(message)
	if err != nil {
		return frame{}, err
	}
	object, err := contentsOf(event[eventObject])
	out := frame{event: watch.EventType(event[eventType]), object: object[rawExtensionRaw]}
	if err == nil && length > uint64(f.in.limit) && !out.isControl() {
		err = &failure.ObjectError{Object: nameInFrame(message), Err: tooLarge(f.in.limit)}
	}
	return out, err
}

// nameInFrame finds the name of the object of a frame, which may be cut off.
func nameInFrame(head []byte) string {
	object := fieldIn(fieldIn(head, eventObject), rawExtensionRaw)
	return nameInProto(fieldIn(bytes.TrimPrefix(object, []byte(magic)), unknownRaw))
}

// skipLarge skips a frame of more than the limit, and returns a
// *failure.ObjectError. If what comes does not begin as a frame, neither was the
// length one, and the stream is at an end.
func (f *protoFrames) skipLarge(length uint64) error {
	begin, err := f.in.peek(min(length, uint64(len("\x0a\x08BOOKMARK"))))
	if err != nil {
		return err
	}
	switch watch.EventType(fieldIn(begin, eventType)) {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error:
	default:
		return fmt.Errorf("frame: %w", tooLarge(f.in.limit))
	}
	name, err := f.in.skipObject(length, nameInFrame)
	if err != nil {
		return err
	}
	return &failure.ObjectError{Object: name, Err: tooLarge(f.in.limit)}
}

// protoObject decodes the object of a frame.
func (d *decoder) protoObject(in frame) (runtime.Object, schema.GroupVersionKind, error) {
	head, message, err := openEnvelope(in.object)
	if err != nil {
		return nil, schema.GroupVersionKind{}, &failure.ObjectError{Err: err}
	}
	obj, err := d.codec.fromProto(message, d.wants.Options)
	return obj, head.GroupVersionKind(), err
}

func protoMetadata(in frame) (decode.Metadata, bool) {
	_, message, err := openEnvelope(in.object)
	if err != nil {
		return decode.Metadata{}, false
	}
	return decode.ProtoMetadata(message)
}
