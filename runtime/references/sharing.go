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

// sharingWatcher has the events of one object of a namespace whose metadata are watched. The namespace
// guards what is below ctx, but that the watcher itself reads version.
type sharingWatcher struct {
	*member
	ctx  context.Context
	stop context.CancelFunc
	// selecting has the selectors of the informer.
	selecting metav1.ListOptions
	// version is the one up to which the object is known.
	version string
	// missed is the latest version at which it was told to read the object.
	missed string
	// pending is the latest version of which metadata have come, bookmark that of the watch.
	pending, bookmark string
	// of is the informer of metadata that it shares.
	of *metadata
	// failed is why the watcher has ended: io.EOF if it is to be opened again.
	failed error
	// wake has a signal when one of these has changed.
	wake chan struct{}
}

// Next waits until the object is to be read, and reads it.
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

// read returns the event of the state that the object has at a version or a later one, unless that
// is known already.
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

// Stop lets Next, if it waits, return.
func (w *sharingWatcher) Stop() {
	w.namespace.leave(w)
	w.stop()
}

// signal has Next look at what has come. The caller holds mu of the namespace.
func (w *sharingWatcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// end ends the watcher. The caller holds mu of the namespace.
func (w *sharingWatcher) end(err error) {
	if w.failed = err; err == nil {
		w.failed = io.EOF
	}
	w.signal()
}
