package references

import (
	"context"
	"io"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// member is the source of one object.
type member struct {
	cache.Objects
	namespace *namespace
	name      string
	info      cache.SourceInfo
	// shares is set while its watch is the one of the namespace.
	shares atomic.Bool
}

func (m *member) Describe() cache.SourceInfo { return m.info }

// List waits until few enough lists are requested.
func (m *member) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	requests := m.namespace.of.requests
	select {
	case requests <- struct{}{}:
	case <-ctx.Done():
		return metav1.ListMeta{}, context.Cause(ctx)
	}
	defer func() { <-requests }()
	m.namespace.track(m.name)
	return m.Objects.List(ctx, options, func(obj any, err error) {
		if err != nil || m.has(obj) {
			each(obj, err)
		}
	})
}

// has reports whether an object is the one that was requested: fake clientsets and some servers
// ignore field selectors.
func (m *member) has(obj any) bool {
	object, err := meta.Accessor(obj)
	return err != nil || object.GetName() == m.name
}

// Watch is that of the object or, if there are too many of these, has the object read when its
// metadata have changed.
func (m *member) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	for !m.namespace.takeWatch() {
		w, err := m.share(ctx, options)
		if !apierrors.IsForbidden(err) {
			return w, err
		}
	}
	m.shares.Store(false)
	w, err := m.Objects.Watch(ctx, options)
	if err != nil {
		m.namespace.returnWatch()
		return nil, err
	}
	return &ownWatcher{Watcher: w, of: m}, nil
}

// share opens a watch by way of that of the metadata of the namespace.
func (m *member) share(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	ctx, stop := context.WithCancel(ctx)
	w := &sharingWatcher{
		member: m, ctx: ctx, stop: stop, version: options.ResourceVersion, wake: make(chan struct{}, 1),
		selecting: metav1.ListOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector},
	}
	var err error
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		err = w.start()
	}
	if err == nil {
		err = m.namespace.join(ctx, w)
	}
	if err != nil {
		stop()
		return nil, err
	}
	m.shares.Store(true)
	return w, nil
}

// ownWatcher gives its place back when it ends.
type ownWatcher struct {
	cache.Watcher
	of    *member
	ended atomic.Bool
}

func (w *ownWatcher) Next() (cache.WatchEvent, error) {
	for {
		event, err := w.Watcher.Next()
		if err != nil || event.Type == watch.Bookmark || w.of.has(event.Object) {
			return event, err
		}
	}
}

func (w *ownWatcher) Stop() {
	w.Watcher.Stop()
	if !w.ended.Swap(true) {
		w.of.namespace.returnWatch()
	}
}

// sharingWatcher has the events of one object of a namespace whose metadata are watched. Pending
// and failed are guarded by the namespace.
type sharingWatcher struct {
	*member
	ctx  context.Context
	stop context.CancelFunc
	// selecting has the selectors of the informer.
	selecting metav1.ListOptions
	// version is the one up to which the object is known.
	version string
	// ready are the results of Next that are due before others.
	ready []result

	// pending is the latest version of which metadata have come, bookmark that of the watch.
	pending, bookmark string
	// failed is why the watcher has ended: io.EOF if it is to be opened again.
	failed error
	// wake has a signal when one of these has changed.
	wake chan struct{}
}

type result struct {
	event cache.WatchEvent
	err   error
}

// start makes the initial events of a watch-list.
func (w *sharingWatcher) start() error {
	page, err := w.List(w.ctx, w.selecting, func(obj any, err error) {
		w.ready = append(w.ready, result{cache.WatchEvent{Type: watch.Added, Object: obj}, err})
	})
	w.version = page.ResourceVersion
	end := cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: page.ResourceVersion, InitialEventsEnd: true}
	w.ready = append(w.ready, result{end, nil})
	return err
}

// Next waits until the object is to be read, and reads it.
func (w *sharingWatcher) Next() (cache.WatchEvent, error) {
	for {
		if len(w.ready) > 0 {
			next := w.ready[0]
			w.ready = w.ready[1:]
			return next.event, next.err
		}
		pending, bookmark, failed := w.namespace.news(w)
		switch {
		case pending != "":
			if err := w.read(pending); err != nil {
				return cache.WatchEvent{}, err
			}
			continue
		case failed != nil:
			return cache.WatchEvent{}, failed
		case bookmark != "" && newer(bookmark, w.version):
			w.version = bookmark
			return cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: bookmark}, nil
		}
		select {
		case <-w.wake:
		case <-w.ctx.Done():
			return cache.WatchEvent{}, context.Cause(w.ctx)
		}
	}
}

// read makes an event of the state that the object has at a version or a later one, unless it is
// known already.
func (w *sharingWatcher) read(version string) error {
	if !newer(version, w.version) {
		return nil
	}
	event := cache.WatchEvent{Type: watch.Deleted}
	var broken error
	options := w.selecting
	options.ResourceVersion, options.ResourceVersionMatch = version, metav1.ResourceVersionMatchNotOlderThan
	page, err := w.List(w.ctx, options, func(obj any, err error) {
		event = cache.WatchEvent{Type: watch.Modified, Object: obj}
		broken = err
	})
	if err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	known := w.version
	w.version = page.ResourceVersion
	if object, err := meta.Accessor(event.Object); err == nil && !newer(object.GetResourceVersion(), known) {
		event = cache.WatchEvent{Type: watch.Bookmark} // it has not changed since
	}
	if event.Object == nil {
		event.ResourceVersion = page.ResourceVersion
	}
	w.ready = append(w.ready, result{event, nil})
	return nil
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
