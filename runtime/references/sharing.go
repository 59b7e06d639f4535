package references

import (
	"cmp"
	"context"
	"io"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// sharingWatcher delivers the events of one object by way of the shared watch of its namespace's metadata.
// The namespace's mu guards the fields below ctx. The watcher itself may read version without it.
type sharingWatcher struct {
	*member
	ctx  context.Context
	stop context.CancelFunc
	// selecting holds the selectors of the informer.
	selecting metav1.ListOptions
	// version is the version up to which the object is known.
	version string
	// missed is the latest version at which the watcher was told to read the object.
	missed string
	// pending is the latest version at which the metadata has changed, and bookmark the version of the
	// metadata. Each is empty if there is nothing new.
	pending, bookmark string
	// of is the informer of the metadata that the watcher shares.
	of *metadata
	// failed says why the watcher has ended. It is io.EOF if the watch shall be opened again.
	failed error
	// wake has a signal when pending, bookmark or failed has changed.
	wake chan struct{}
}

// Next waits until the object has changed, and reads it.
func (w *sharingWatcher) Next() (cache.WatchEvent, error) {
	for {
		pending, bookmark, failed := w.namespace.news(w)
		switch {
		case pending != "":
			if event, known, err := w.read(pending); err != nil || !known {
				return event, err
			}
			continue
		case failed != nil:
			return cache.WatchEvent{}, failed
		case bookmark != "" && newer(bookmark, w.version):
			w.namespace.knows(w, bookmark)
			return cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: bookmark}, nil
		}
		select {
		case <-w.wake:
		case <-w.ctx.Done():
			return cache.WatchEvent{}, context.Cause(w.ctx)
		}
	}
}

// read reads the object at a version or a later one, and returns the event. known is true if that state was
// known already.
func (w *sharingWatcher) read(version string) (event cache.WatchEvent, known bool, err error) {
	if !newer(version, w.version) {
		return event, true, nil
	}
	event.Type = watch.Deleted
	var broken error
	options := w.selecting
	options.ResourceVersion, options.ResourceVersionMatch = version, metav1.ResourceVersionMatchNotOlderThan
	page, err := w.List(w.ctx, options, func(obj any, err error) {
		event = cache.WatchEvent{Type: watch.Modified, Object: obj}
		broken = err
	})
	if err = cmp.Or(err, broken); err != nil {
		return cache.WatchEvent{}, false, err
	}
	since := w.version
	w.namespace.knows(w, page.ResourceVersion)
	if object, err := meta.Accessor(event.Object); err == nil && !newer(object.GetResourceVersion(), since) {
		event = cache.WatchEvent{Type: watch.Bookmark} // it has not changed since
	}
	if event.Object == nil {
		event.ResourceVersion = page.ResourceVersion
	}
	return event, false, nil
}

// Stop ends the watcher. A waiting Next returns.
func (w *sharingWatcher) Stop() {
	w.namespace.leave(w)
	w.stop()
}

// signal wakes Next. The caller holds the namespace's mu.
func (w *sharingWatcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// end ends the watcher with an error, or with io.EOF for nil. The caller holds the namespace's mu.
func (w *sharingWatcher) end(err error) {
	if w.failed = err; err == nil {
		w.failed = io.EOF
	}
	w.signal()
}
