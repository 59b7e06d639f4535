package cache

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// WaitForResourceVersion blocks until the store has every change up to
// resourceVersion. A controller that waits for the version that its last write
// returned then reads its own writes (KEP-5647). Versions are compared as numbers
// (KEP-5504). An informer of several namespaces or names has to reach it in each, which
// may take until the next bookmark, but not in one that the server refuses. Possible
// errors: that one is no number, failure.ErrStopped, or the cause of the context, with what the
// informer is doing instead.
func (e *engine) WaitForResourceVersion(ctx context.Context, resourceVersion string) error {
	return e.waitForVersion(ctx, resourceVersion, func() (string, error) { return e.reached(resourceVersion), nil })
}

// waitForVersion waits until what the store has reached is a version or a later one.
func (e *engine) waitForVersion(ctx context.Context, resourceVersion string, reached func() (string, error)) error {
	for {
		changed := e.fanout.changed.Next()
		have, err := reached()
		if err != nil {
			return e.errorf("%w", err)
		}
		done, err := protocol.AtLeast(have, resourceVersion)
		if err != nil {
			return e.errorf("%w", err)
		}
		if done {
			return nil
		}
		if err := e.await(ctx, changed); err != nil {
			return e.errorf("resourceVersion %q: store is at %q, informer is %v: %w", resourceVersion, have, e.Status(), err)
		}
	}
}

// reached returns the version that the store has reached, which is wanted if there is nothing
// to wait for.
func (e *engine) reached(wanted string) string {
	version, awaited := e.version()
	if !awaited && closed(e.synced) {
		return wanted
	}
	return version
}

// waitUntil waits until the store has no object of a key, or one as wanted.
func (e *engine) waitUntil(ctx context.Context, key types.NamespacedName, wanted func(protocol.Sent) bool) error {
	if err := e.await(ctx, e.synced); err != nil {
		return e.errorf("%v: %w", e.Status(), err)
	}
	for {
		changed := e.fanout.changed.Next()
		stored, exists := e.store.core.received(key)
		if !exists {
			return nil
		}
		if sent, known := stored.Metadata(); !known || wanted(sent) {
			return nil // an object without metadata has no later state to wait for
		}
		if err := e.await(ctx, changed); err != nil {
			return e.errorf("object %q: store has an earlier state, informer is %v: %w", objectkey.String(key), e.Status(), err)
		}
	}
}

// WaitForWrite blocks until the store has an object as it was written, or a later state of
// it: obj is the server's response to a create, an update or a patch. It is
// WaitForResourceVersion for the version of obj but, in an informer of several namespaces or
// names, waits for obj's namespace or name only. A write that took the last finalizer of an object that is
// being deleted has removed the object: then the store must have lost it. Possible errors: the same, and
// that the informer does not follow that namespace or name, that the server refuses the namespace, or that
// the source leaves the object out.
func (e *engine) WaitForWrite(ctx context.Context, obj metav1.Object) error {
	// An object whose event could not be used is read by its name, later than the store has
	// reached its version.
	version := obj.GetResourceVersion()
	if err := e.waitForVersion(ctx, version, func() (string, error) { return e.versionOf(obj) }); err != nil {
		return err
	}
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	return e.waitUntil(ctx, key, func(stored protocol.Sent) bool {
		if removed(obj) { // its version is that of the state before
			return stored.UID != obj.GetUID()
		}
		return !protocol.Older(stored.ResourceVersion, version)
	})
}

// removed reports whether an object, as an update has returned it, is gone by that update: the
// server removes an object that is being deleted together with its last finalizer.
func removed(obj metav1.Object) bool {
	grace := obj.GetDeletionGracePeriodSeconds()
	return obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 && (grace == nil || *grace == 0)
}

// WaitForDeletion blocks until the store knows of the deletion of an object. Then the store has no
// object of that name, one with another UID, or one with a deletionTimestamp, which finalizers may keep
// for long. It has the errors of WaitForWrite.
func (e *engine) WaitForDeletion(ctx context.Context, obj metav1.Object) error {
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	stored, _ := e.store.core.received(key)
	if known := obj.GetUID() != "" && stored.Origin().UID == obj.GetUID(); !known && obj.GetResourceVersion() != "" {
		// The store may not have heard of an object that was just created.
		if err := e.WaitForWrite(ctx, obj); err != nil {
			return err
		}
	} else if _, err := e.versionOf(obj); err != nil {
		return e.errorf("%w", err)
	}
	return e.waitUntil(ctx, key, func(stored protocol.Sent) bool {
		return stored.Deleting || obj.GetUID() != "" && stored.UID != obj.GetUID()
	})
}

// latestVersion returns the server's version. A version that is earlier than a position's is an error:
// the server's history has restarted, and the informer has not listed that namespace again yet.
func latestVersion(ctx context.Context, positions []position) (string, error) {
	reached := make([]string, len(positions))
	var errs []error
	for i, p := range positions {
		version, err := p.reached()
		reached[i], errs = version, append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	page, err := listInTime(ctx, positions[0].source, metav1.ListOptions{Limit: 1}, func(any, error) {})
	if err != nil {
		return "", err
	}
	for _, version := range reached {
		if err := protocol.CheckHistory(page.ResourceVersion, version); err != nil {
			return "", err
		}
	}
	return page.ResourceVersion, nil
}

// listInTime lists a page, for no longer than listTimeout.
func listInTime(ctx context.Context, source Objects, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	limited, cancel := context.WithTimeoutCause(ctx, listTimeout, failure.ErrListIdle)
	defer cancel()
	page, err := source.List(decoding.WithJudge(limited, protocol.Doubt), options, each)
	if err != nil && ctx.Err() == nil {
		err = cmp.Or(context.Cause(limited), err)
	}
	return page, err
}

const (
	// listTimeout limits a list that a caller waits for.
	listTimeout = 30 * time.Second
	// progressTimeout limits a watch that asks for the server's version: servers send a bookmark
	// two seconds before the end.
	progressTimeout = 3 * time.Second
	// progressPause is the time between two of them, if a server sends no bookmark.
	progressPause = time.Second
	// progressWatches limits how many namespaces are asked about at the same time.
	progressWatches = 10
)

// position is the version that the store has reached of a source.
type position struct {
	source  Objects
	reached func() (string, error)
}

// WaitForLatest blocks until the store has every change that the server had at the time of the
// call, for a new leader that must not act on what the former one has changed since (KEP-2340). It
// costs a list of one object and, for a quiet resource, a watch of a second or two, of each
// namespace of several. An informer of a set of names waits for the next bookmark of each instead,
// about a minute. A source without resourceVersions, as fake clientsets are, is the latest. Possible
// errors: the list's own; failure.ErrHistoryRestarted, until the informer has listed again;
// failure.ErrStopped; and the cause of the context.
func (e *engine) WaitForLatest(ctx context.Context) error {
	if err := e.await(ctx, e.synced); err != nil {
		return e.errorf("%v: %w", e.Status(), err)
	}
	positions := []position{{source: e.source, reached: func() (string, error) { return e.store.ResourceVersion(), nil }}}
	if e.branches != nil {
		positions = e.branches.positions()
	}
	if len(positions) == 0 {
		return nil
	}
	latest, err := latestVersion(ctx, positions)
	switch {
	case err != nil:
		return e.errorf("list of the latest resourceVersion: %w", err)
	case latest == "":
		return nil // as of a fake clientset
	case e.about.Named:
		return e.WaitForResourceVersion(ctx, latest)
	}
	errs, places := make([]error, len(positions)), make(chan struct{}, progressWatches)
	var running sync.WaitGroup
	for i, p := range positions {
		running.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			errs[i] = e.waitForProgress(ctx, p, latest)
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// waitForProgress waits until the store has what the source had at a version. That of a quiet
// resource learns of such a version with its next bookmark, which may take a minute: meanwhile the
// server is asked for its last event.
func (e *engine) waitForProgress(ctx context.Context, p position, latest string) error {
	ctx, stop := context.WithCancel(ctx)
	either, arrived := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer stop()
	asking.Go(func() {
		for either.Err() == nil {
			if last, known := p.lastEvent(either, latest); known && e.waitForVersion(either, last, p.reached) == nil {
				arrived()
				return
			}
			select {
			case <-time.After(progressPause):
			case <-either.Done():
			}
		}
	})
	if err := e.waitForVersion(either, latest, p.reached); err != nil && (either.Err() == nil || ctx.Err() != nil) {
		return err
	}
	return nil // or the last event has arrived
}

// lastEvent asks the server, by a watch from what the store has, for the last event up to a
// version, and returns the version of that event, or of the store if there was none.
func (p position) lastEvent(ctx context.Context, upTo string) (last string, known bool) {
	last, err := p.reached()
	if err != nil || !protocol.Older(last, upTo) {
		return upTo, err == nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*progressTimeout)
	defer cancel()
	stream, err := p.source.Watch(ctx, metav1.ListOptions{
		ResourceVersion: last, AllowWatchBookmarks: true, TimeoutSeconds: ptr.To(int64(progressTimeout.Seconds())),
	})
	if err != nil {
		return "", false
	}
	defer stream.Stop()
	defer context.AfterFunc(ctx, stream.Stop)()
	for {
		event, err := stream.Next()
		if err != nil {
			return "", false
		}
		version := event.ResourceVersion
		if event.Type != watch.Bookmark {
			version = cmp.Or(version, protocol.ResourceVersionOf(event.Object))
			last = version
		}
		if !protocol.Older(version, upTo) {
			return last, true
		}
	}
}
