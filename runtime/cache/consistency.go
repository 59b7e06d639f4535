package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// WaitForResourceVersion blocks until the store has every change up to resourceVersion. A controller that
// waits for the version that its last write returned then reads its own writes (KEP-5647). Versions are
// compared as numbers (KEP-5504). In an informer of several namespaces or names, each of them must reach
// the version, except those that the server refuses. That may take until the next bookmark. Possible
// errors: a version is no number; failure.ErrHistoryRestarted if the server's history restarts meanwhile;
// failure.ErrStopped; and the cause of the context, with what the informer is doing instead.
func (e *engine) WaitForResourceVersion(ctx context.Context, resourceVersion string) error {
	return e.wait(ctx, protocol.Wait{Version: resourceVersion}, fmt.Sprintf("resourceVersion %q", resourceVersion), e.scopes.sight)
}

// wait blocks until w is over, judged by what see returns about the informer, which changes with its store.
// what names what is waited for, for errors.
func (e *engine) wait(ctx context.Context, w protocol.Wait, what string, see func() protocol.Sight) error {
	w.Restarts = see().Restarts
	for {
		changed := e.fanout.changed.Next()
		done, lacks, err := w.Judge(see())
		switch {
		case err != nil:
			return e.errorf("%s: %w", what, err)
		case done:
			return nil
		}
		if err := e.await(ctx, changed); err != nil {
			return e.errorf("%s: %s, informer is %v: %w", what, lacks, e.Status(), err)
		}
	}
}

// waitFor is wait for one object.
func (e *engine) waitFor(ctx context.Context, obj metav1.Object, aim protocol.Aim) error {
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	w := protocol.Wait{Aim: aim, Version: obj.GetResourceVersion(), UID: obj.GetUID()}
	if stored, _ := e.store.core.received(key); aim == protocol.Deleted && w.UID != "" && stored.Origin().UID == w.UID {
		w.Version = "" // the store has heard of the object
	}
	return e.wait(ctx, w, fmt.Sprintf("object %q of resourceVersion %q", objectkey.String(key), w.Version), func() protocol.Sight {
		s := e.scopes.sightOf(key, obj)
		if excludes := e.about.Excludes; s.Never == nil && excludes != nil {
			s.Never = excludes(key, obj)
		}
		var stored protocol.Received
		stored, s.Exists, s.LeftOut = e.store.core.seen(key)
		if s.Exists {
			var known bool
			s.Stored, known = stored.Metadata()
			s.Opaque = !known
		}
		return s
	})
}

// WaitForWrite blocks until the store has an object as it was written, or a later state of it. obj is the
// server's response to a create, an update or a patch. WaitForWrite is WaitForResourceVersion for the
// version of obj but, in an informer of several namespaces or names, it waits for obj's namespace or name
// only.
//
// A write that removed the last finalizer of an object that is being deleted has removed the object. Then
// the store must have lost the object. Possible errors are the errors of WaitForResourceVersion, and that
// the informer does not follow the namespace or name, that the server refuses the namespace, or that the
// source leaves the object out.
func (e *engine) WaitForWrite(ctx context.Context, obj metav1.Object) error {
	if removedBy(obj) {
		return e.waitFor(ctx, obj, protocol.Finalized)
	}
	return e.waitFor(ctx, obj, protocol.Written)
}

// removedBy reports whether the update that returned obj has removed the object. The server removes an
// object that is being deleted together with its last finalizer.
func removedBy(obj metav1.Object) bool {
	grace := obj.GetDeletionGracePeriodSeconds()
	return obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 && (grace == nil || *grace == 0)
}

// WaitForDeletion blocks until the store knows of the deletion of an object. Then the store has no object
// of that name, an object with another UID, or one with a deletionTimestamp, which finalizers may keep for
// long. It has the errors of WaitForWrite.
func (e *engine) WaitForDeletion(ctx context.Context, obj metav1.Object) error {
	return e.waitFor(ctx, obj, protocol.Deleted)
}

// latestVersion returns the server's version. It fails if a scope has reached a later version: the server's
// history has restarted, and the informer has not listed that namespace again yet.
func (e *engine) latestVersion(ctx context.Context, scopes []*scope) (string, error) {
	reached := make([]string, len(scopes))
	for i, scope := range scopes {
		reached[i] = e.scopes.sightIn(scope).Version
	}
	page, err := listInTime(ctx, scopes[0].source, metav1.ListOptions{Limit: 1}, func(any, error) {})
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

// listInTime lists a page, within listTimeout.
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
	// progressPause is the time between two such watches, if a server sends no bookmark.
	progressPause = time.Second
	// progressWatches limits how many namespaces are asked about at the same time.
	progressWatches = 10
)

// WaitForLatest blocks until the store has every change that the server had at the time of the call. It is
// for a new leader that must not act on a state that the former leader has changed since (KEP-2340). It
// costs a list of one object and, for a quiet resource, a watch of a second or two. If there are several
// namespaces, each costs that. An informer of a set of names waits for the next bookmark of each name
// instead, about a minute. A source without resourceVersions, such as a fake clientset, counts as up to
// date. Possible errors: errors of the list; failure.ErrHistoryRestarted, until the informer has listed
// again; failure.ErrStopped; and the cause of the context.
func (e *engine) WaitForLatest(ctx context.Context) error {
	if err := e.await(ctx, e.synced); err != nil {
		return e.errorf("%v: %w", e.Status(), err)
	}
	scopes := e.scopes.served()
	if len(scopes) == 0 {
		return nil
	}
	latest, err := e.latestVersion(ctx, scopes)
	switch {
	case err != nil:
		return e.errorf("list of the latest resourceVersion: %w", err)
	case latest == "":
		return nil // a fake clientset has no versions
	case e.about.Named:
		return e.WaitForResourceVersion(ctx, latest)
	}
	errs, places := make([]error, len(scopes)), make(chan struct{}, progressWatches)
	var running sync.WaitGroup
	for i, scope := range scopes {
		running.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			errs[i] = e.waitForProgress(ctx, scope, latest)
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// waitForProgress waits until the store has what the server had of a scope at a version. A quiet resource
// reaches such a version with its next bookmark, which may take a minute. Meanwhile the server is asked for
// its last event.
func (e *engine) waitForProgress(ctx context.Context, scope *scope, latest string) error {
	ctx, stop := context.WithCancel(ctx)
	either, arrived := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer stop()
	see := func() protocol.Sight { return e.scopes.sightIn(scope) }
	reach := func(version string) error {
		return e.wait(either, protocol.Wait{Version: version}, fmt.Sprintf("resourceVersion %q", version), see)
	}
	asking.Go(func() {
		for either.Err() == nil {
			if last, known := lastEvent(either, scope.source, see().Version, latest); known && reach(last) == nil {
				arrived()
				return
			}
			select {
			case <-time.After(progressPause):
			case <-either.Done():
			}
		}
	})
	if err := reach(latest); err != nil && (either.Err() == nil || ctx.Err() != nil) {
		return err
	}
	return nil // or the last event has arrived
}

// lastEvent asks the server for the last event up to a version, by a watch from the version of the store.
// It returns the version of that event, or of the store if there was no event.
func lastEvent(ctx context.Context, source Objects, last, upTo string) (_ string, known bool) {
	if !protocol.Older(last, upTo) {
		return upTo, true
	}
	ctx, cancel := context.WithTimeout(ctx, 2*progressTimeout)
	defer cancel()
	stream, err := source.Watch(ctx, metav1.ListOptions{
		ResourceVersion: last, AllowWatchBookmarks: true, TimeoutSeconds: ptr.To(int64(progressTimeout.Seconds())),
	})
	if err != nil {
		return "", false
	}
	defer stopWith(ctx, stream)()
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
