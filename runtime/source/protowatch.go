package source

import (
	"encoding/binary"
	"io"

	"k8s.io/apimachinery/pkg/watch"
)

// protoFrames splits a stream of protobuf messages of type
// meta.k8s.io/v1.WatchEvent, each after its length in four bytes, the highest
// first.
type protoFrames struct {
	r     io.Reader
	limit uint32
	buf   []byte
}

func newProtoFrames(body io.Reader, limit uint32) *protoFrames {
	return &protoFrames{r: body, limit: limit}
}

func (f *protoFrames) next() (frame, error) {
	var header [4]byte
	if _, err := io.ReadFull(f.r, header[:]); err != nil {
		return frame{}, err // io.EOF, between two frames
	}
	length := binary.BigEndian.Uint32(header[:])
	if length > f.limit {
		return frame{}, ErrTooLarge
	}
	if cap(f.buf) > growth && length <= growth {
		f.buf = nil // one large frame must not cost its memory for as long as the watch lasts
	}
	var err error
	if f.buf, err = readFull(f.r, f.buf, int(length)); err != nil {
		return frame{}, err
	}
	out := frame{protobuf: true}
	var object []byte
	err = protoFields(f.buf, func(number uint64, value []byte) {
		switch number {
		case eventType:
			out.event = watch.EventType(value)
		case eventObject:
			object = value
		}
	})
	if err != nil {
		return frame{}, err
	}
	err = protoFields(object, func(number uint64, value []byte) {
		if number == rawExtensionRaw {
			out.object = value
		}
	})
	return out, err
}
