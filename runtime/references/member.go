package references

import (
	"context"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// member is the source of one object.
type member struct {
	cache.Objects
	namespace *namespace
	name      string
	info      cache.SourceInfo
	// shares is set while the member shares the watch of the namespace's metadata.
	shares atomic.Bool
}

func (m *member) Describe() cache.SourceInfo { return m.info }

// List waits until fewer than the permitted number of lists are in progress. If the server does not have
// the resource, one name asks again on behalf of all.
func (m *member) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	requests := m.namespace.of.requests
	select {
	case requests <- struct{}{}:
	case <-ctx.Done():
		return metav1.ListMeta{}, context.Cause(ctx)
	}
	defer func() { <-requests }()
	if err := m.namespace.of.stillAbsent(); err != nil {
		return metav1.ListMeta{}, err
	}
	page, err := m.Objects.List(ctx, options, func(obj any, err error) {
		if err != nil || m.has(obj) {
			each(obj, err)
		}
	})
	m.namespace.of.answered(err)
	if apierrors.IsForbidden(err) {
		m.namespace.of.set.refused(types.NamespacedName{Namespace: m.namespace.name, Name: m.name})
	}
	return page, err
}

// has reports whether an object is the requested one: fake clientsets and some servers ignore field
// selectors.
func (m *member) has(obj any) bool {
	object, err := meta.Accessor(obj)
	return err != nil || object.GetName() == m.name
}

// Watch opens a watch of the object. If there are too many of these, it shares the watch of the metadata
// instead, and reads the object when its metadata has changed.
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

// share returns a watcher that shares the watch of the namespace's metadata.
func (m *member) share(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	ctx, stop := context.WithCancel(ctx)
	w := &sharingWatcher{
		member: m, ctx: ctx, stop: stop, version: options.ResourceVersion, wake: make(chan struct{}, 1),
		selecting: metav1.ListOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector},
	}
	if err := m.namespace.join(ctx, w); err != nil {
		stop()
		return nil, err
	}
	m.shares.Store(true)
	return w, nil
}

// ownWatcher is a watch of one object. It returns its place to the namespace when it ends.
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
