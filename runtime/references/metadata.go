package references

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// longestSilence limits the time in which a watch of metadata has no event: servers send bookmarks
// about once a minute. It counts when a name is to share the watch, as one does whose informer has
// missed the bookmarks.
const longestSilence = 3 * time.Minute

// shortWatch is a watch of metadata that is not continued at once when the server has closed it.
const shortWatch = time.Second

var (
	errSilent  = errors.New("watch of metadata is silent")
	errTooSlow = fmt.Errorf("not accepted within %v", openTimeout)
)

// metadataWatch is a watch of the metadata of a namespace. Its fields are guarded by that.
type metadataWatch struct {
	namespace *namespace
	stop      context.CancelFunc
	// over is set when it has stopped, and ended is closed when its last request has ended.
	over  bool
	ended chan struct{}
	// version is that of the latest event.
	version string
	// latest has, for each name whose events count, the version of the latest one, or that of the
	// watch when they began to count.
	latest map[string]string
	heard  time.Time
}

// openTimeout limits the time in which a server has to accept the watch.
const openTimeout = 30 * time.Second

// openMetadata opens a watch from what is there now, and returns what follows it until it is stopped
// or fails.
func openMetadata(ctx context.Context, n *namespace) (w *metadataWatch, follow func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer time.AfterFunc(openTimeout, func() { cancel(errTooSlow) }).Stop()
	w = &metadataWatch{namespace: n, stop: func() { cancel(nil) }, heard: time.Now(), latest: map[string]string{}, ended: make(chan struct{})}
	page, err := n.metadata.List(ctx, metav1.ListOptions{Limit: 1}, func(any, error) {})
	var stream cache.Watcher
	if err == nil {
		w.version = page.ResourceVersion
		stream, err = n.metadata.Watch(ctx, watchFrom(w.version))
	}
	if err != nil {
		err = fmt.Errorf("watch of metadata: %w", cmp.Or(context.Cause(ctx), err))
		cancel(nil)
		return nil, nil, err
	}
	return w, func() { w.follow(ctx, stream) }, nil
}

func watchFrom(version string) metav1.ListOptions {
	return metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true}
}

// silent reports whether nothing was heard for too long. The caller holds mu of the namespace.
func (w *metadataWatch) silent() bool { return time.Since(w.heard) > longestSilence }

// track has the events of a name count from now on. The caller holds mu of the namespace.
func (w *metadataWatch) track(name string) {
	if _, tracked := w.latest[name]; !tracked {
		w.latest[name] = w.version
	}
}

// missedSince returns the version at which an object has to be read if it is known up to a
// version: "" if it has not changed since. The caller holds mu of the namespace.
func (w *metadataWatch) missedSince(name, version string) string {
	w.track(name)
	if latest := w.latest[name]; newer(latest, version) {
		return latest
	}
	return ""
}

// follow delivers the events of a stream and, when the server has closed it, of the one that
// continues it.
func (w *metadataWatch) follow(ctx context.Context, stream cache.Watcher) {
	for {
		began := time.Now()
		err := w.deliver(stream)
		stream.Stop()
		if ctx.Err() != nil {
			return
		}
		if err == io.EOF && time.Since(began) > shortWatch { //nolint:errorlint // one that is wrapped is a connection that was cut
			stream, err = w.namespace.metadata.Watch(ctx, watchFrom(w.version))
		}
		if err != nil {
			w.fail(fmt.Errorf("watch of metadata: %w", err))
			return
		}
	}
}

// deliver passes the events of a stream on until it ends.
func (w *metadataWatch) deliver(stream cache.Watcher) error {
	for {
		event, err := stream.Next()
		if err != nil {
			return err
		}
		if event.Type == watch.Bookmark {
			w.bookmark(event.ResourceVersion)
			continue
		}
		object, err := meta.Accessor(event.Object)
		if err != nil {
			return err
		}
		w.changed(object.GetName(), object.GetResourceVersion())
	}
}

// changed has an object read that somebody follows.
func (w *metadataWatch) changed(name, version string) {
	w.namespace.mu.Lock()
	defer w.namespace.mu.Unlock()
	w.version, w.heard = version, time.Now()
	if _, tracked := w.latest[name]; !tracked {
		return
	}
	w.latest[name] = version
	if sharing := w.namespace.sharing[name]; sharing != nil && w.namespace.watch == w {
		sharing.pending = version
		sharing.signal()
	}
}

// bookmark tells all that share the watch how far it has come, and forgets names that have left
// the set.
func (w *metadataWatch) bookmark(version string) {
	w.namespace.mu.Lock()
	defer w.namespace.mu.Unlock()
	w.version, w.heard = version, time.Now()
	for name := range w.latest {
		if !w.namespace.of.set.has(types.NamespacedName{Namespace: w.namespace.name, Name: name}) {
			delete(w.latest, name)
		}
	}
	if w.namespace.watch != w {
		return
	}
	for _, sharing := range w.namespace.sharing {
		sharing.bookmark = version
		sharing.signal()
	}
}

func (w *metadataWatch) fail(err error) {
	w.namespace.mu.Lock()
	defer w.namespace.mu.Unlock()
	if w.namespace.watch == w {
		w.namespace.fail(err)
	}
}

// newer reports whether a version is later than another one, or not comparable with it.
func newer(version, than string) bool {
	a, errA := strconv.ParseUint(version, 10, 64)
	b, errB := strconv.ParseUint(than, 10, 64)
	return errA != nil || errB != nil || a > b
}
