package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// beginsJSON reports whether a list or a watch begins as JSON does.
func beginsJSON(begin []byte, _ bool) bool { return strings.IndexByte("{ \n\t\r", begin[0]) >= 0 }

// jsonFrames splits a stream of JSON objects with the members type and object,
// in either order.
type jsonFrames struct {
	in *values
	// open says that the frame was handed out when its object was read: the
	// object lies in the decoder's buffer, and reading on would overwrite it.
	open bool
}

// watchBuffer is the number of bytes of a watch that are read from the connection at once, at first.
const watchBuffer = 4 << 10

func newJSONFrames(body io.Reader, limit int64) frames {
	return &jsonFrames{in: newValues(body, limit, watchBuffer)}
}

func (f *jsonFrames) next() (frame, error) {
	if f.open {
		if err := f.close(); err != nil {
			return frame{}, err
		}
	}
	f.in.setMark()
	if _, err := f.in.peek(); err != nil {
		return frame{}, err // io.EOF, between two frames
	}
	f.in.setMark()
	out, err := f.members()
	if err == nil && !out.isControl() {
		err = f.in.within()
	}
	if errors.Is(err, ErrTooLarge) {
		f.in.at, f.open = f.in.mark, false // the begin of the frame
		name, err := f.in.skipNamed("object", "metadata")
		if err == nil {
			err = &failure.ObjectError{Object: name, Err: tooLarge(f.in.max)}
		}
		return frame{}, err
	}
	return out, err
}

// members reads a frame until its type and object are there.
func (f *jsonFrames) members() (out frame, _ error) {
	if err := f.in.expect('{'); err != nil {
		return frame{}, fmt.Errorf("frame: %w", err)
	}
	for first := true; ; first = false {
		more, err := f.in.next('{', first)
		if err != nil || !more {
			return out, err
		}
		name, err := f.in.nextName()
		if err != nil {
			return frame{}, err
		}
		if string(name) == "type" {
			if err := f.in.text((*string)(&out.event)); err != nil {
				return frame{}, fmt.Errorf("frame: type: %w", err)
			}
			continue
		}
		value, index, err := f.in.value()
		switch {
		case err != nil:
			return frame{}, err
		case string(name) != "object":
		case out.event != "":
			out.object, out.index, f.open = value, index, true
			return out, nil
		default:
			out.object, out.index = bytes.Clone(value), slices.Clone(index) // the type has yet to come
		}
	}
}

// close reads the rest of a frame that was handed out.
func (f *jsonFrames) close() error {
	for {
		f.in.setMark()
		more, err := f.in.next('{', false)
		if err != nil {
			return err
		}
		if !more {
			f.open = false
			return nil
		}
		if _, err := f.in.nextName(); err != nil {
			return err
		}
		if err := f.in.skip(); err != nil {
			return err
		}
	}
}

// jsonObject decodes the object of a frame.
func (d *decoder) jsonObject(in frame) (runtime.Object, schema.GroupVersionKind, error) {
	obj, err := d.codec.fromJSON(in.object, in.index, d.wants.Options)
	if err != nil {
		return nil, schema.GroupVersionKind{}, err
	}
	return obj, obj.GetObjectKind().GroupVersionKind(), nil
}

func jsonMetadata(in frame) (decode.Metadata, bool) { return decode.JSONMetadata(in.object, in.index) }
