package source

import (
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// jsonFrames splits a stream of JSON objects with the members type and object,
// in either order.
type jsonFrames struct {
	in *values
	// open says that the frame was handed out when its object was read: the
	// object lies in the decoder's buffer, and reading on would overwrite it.
	open bool
}

func newJSONFrames(body io.Reader, limit int64) *jsonFrames {
	return &jsonFrames{in: newValues(body, limit)}
}

func (f *jsonFrames) next() (frame, error) {
	if f.open {
		if err := f.close(); err != nil {
			return frame{}, err
		}
	}
	f.in.mark()
	switch begin, err := f.in.ReadToken(); {
	case err != nil:
		return frame{}, err // io.EOF, between two frames
	case begin.Kind() != '{':
		return frame{}, fmt.Errorf("frame: %s where { is expected", begin.Kind())
	}
	out, err := f.members()
	if errors.Is(err, ErrTooLarge) {
		name, err := f.in.skipTo(0, "/object/metadata")
		if err == nil {
			err = &failure.ObjectError{Object: name, Err: tooLarge(f.in.limit.max)}
		}
		return frame{}, err
	}
	return out, err
}

// members reads a frame that has begun, until its type and object are there.
func (f *jsonFrames) members() (out frame, _ error) {
	for f.in.PeekKind() != '}' {
		name, err := f.in.token()
		if err != nil {
			return frame{}, err
		}
		switch name.String() {
		case "type":
			var event string
			if err := f.in.into(&event); err != nil {
				return frame{}, fmt.Errorf("frame: type: %w", err)
			}
			out.event = watch.EventType(event)
		case "object":
			raw, err := f.in.value()
			if err != nil {
				return frame{}, err
			}
			if out.event != "" {
				out.object, f.open = raw, true
				return out, nil
			}
			out.object = raw.Clone() // the type has yet to come
		default:
			if err := f.in.skip(); err != nil {
				return frame{}, err
			}
		}
	}
	_, err := f.in.token()
	return out, err
}

// close reads the rest of a frame that was handed out.
func (f *jsonFrames) close() error {
	for f.in.PeekKind() != '}' {
		if _, err := f.in.token(); err != nil {
			return err
		}
		if err := f.in.skip(); err != nil {
			return err
		}
	}
	_, err := f.in.token()
	f.open = false
	return err
}
