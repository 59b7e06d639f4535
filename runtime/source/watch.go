package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// restWatcher decodes the watch events of a response.
type restWatcher struct {
	*response
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	// encoding and frames are of the stream once its first bytes have come; frames is nil before.
	encoding encoding
	frames   frames
	err      error // with which the stream has ended
}

// Stop ends the request.
func (w *restWatcher) Stop() {
	w.cancel(errStopped)
	w.close()
}

// Next reads one watch event and decodes its object.
func (w *restWatcher) Next() (cache.WatchEvent, error) {
	if w.err != nil {
		return cache.WatchEvent{}, w.err
	}
	if w.err = ended(w.ctx, w.ctx.Err()); w.err != nil {
		return cache.WatchEvent{}, w.err
	}
	raw, err := w.next()
	if large := (*failure.ObjectError)(nil); errors.As(err, &large) {
		return cache.WatchEvent{}, err
	}
	if err != nil {
		w.err = ended(w.ctx, err)
		if w.ctx.Err() == nil && err != io.EOF {
			w.err = undecodable(err)
		}
		return cache.WatchEvent{}, w.err
	}
	return w.decode(raw)
}

// next returns the next frame that is wanted.
func (w *restWatcher) next() (frame, error) {
	if w.frames == nil {
		encoding, content, err := w.content(true)
		if err != nil {
			return frame{}, err
		}
		w.encoding, w.frames = encoding, encoding.frames(content, w.limit)
	}
	for {
		raw, err := w.frames.next()
		if err != nil || w.selects(raw) {
			return raw, err
		}
	}
}

func (w *restWatcher) selects(in frame) bool {
	return w.wants.Wanted == nil || in.isControl() || w.has(w.encoding.metadata(in))
}

func (w *restWatcher) decode(in frame) (cache.WatchEvent, error) {
	switch in.event {
	case watch.Error:
		return cache.WatchEvent{}, w.statusError(in)
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
	default:
		w.err = undecodable(fmt.Errorf("frame of unknown type %q", in.event))
		return cache.WatchEvent{}, w.err
	}
	obj, gvk, err := w.object(in)
	if err != nil {
		return cache.WatchEvent{}, err
	}
	if in.event == watch.Bookmark {
		return bookmark(obj)
	}
	if err := w.codec.seal(obj, gvk, w.gv); err != nil {
		return cache.WatchEvent{}, err
	}
	if !w.codec.metadataOnly {
		w.codec.kinds.sawObject(gvk.Kind)
	}
	return cache.WatchEvent{Type: in.event, Object: obj}, nil
}

func (w *restWatcher) object(in frame) (runtime.Object, schema.GroupVersionKind, error) {
	if len(in.object) == 0 || string(in.object) == "null" {
		return nil, schema.GroupVersionKind{}, &failure.ObjectError{Err: errNoObject}
	}
	return w.encoding.object(&w.decoder, in)
}

// statusError decodes the object of an event of type ERROR.
func (w *restWatcher) statusError(in frame) error {
	status, _, err := w.encoding.object(&decoder{codec: newCodec(reflect.TypeFor[*metav1.Status](), nil)}, in)
	if object := (*failure.ObjectError)(nil); errors.As(err, &object) {
		return undecodable(fmt.Errorf("status: %w", object.Err)) // ends the watch
	}
	return statusError(status)
}

// bookmark returns the event of a bookmark, which has only metadata.
func bookmark(obj any) (cache.WatchEvent, error) {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return cache.WatchEvent{}, &failure.ObjectError{Err: fmt.Errorf("bookmark: %w", err)}
	}
	return cache.WatchEvent{
		Type:             watch.Bookmark,
		ResourceVersion:  accessor.GetResourceVersion(),
		InitialEventsEnd: accessor.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true",
	}, nil
}
