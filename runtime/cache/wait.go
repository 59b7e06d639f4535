package cache

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// waitForSync is Informer.WaitForSync.
func (i *informer) waitForSync(ctx context.Context) error {
	if i.invalid != nil {
		return i.invalid
	}
	if err := i.await(ctx, i.synced); err != nil {
		return &SyncError{Informer: i.name(), Status: i.status(), Cause: err}
	}
	for _, r := range i.registrations() {
		if err := i.await(ctx, r.synced); err != nil {
			return &SyncError{Informer: i.name(), Handler: r.name, Status: i.status(), Cause: err}
		}
	}
	return nil
}

// await blocks until done is closed. If it is, neither a context nor a stop can
// take that back.
func (i *informer) await(ctx context.Context, done <-chan struct{}) error {
	var err error
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-i.stopped:
		err = ErrStopped
	}
	select {
	case <-done:
		return nil
	default:
		return err
	}
}

// registrations returns those of the handlers that were not removed.
func (i *informer) registrations() []*Registration {
	var all []*Registration
	for _, l := range *i.listeners.Load() {
		all = append(all, l.registration)
	}
	return all
}

// waitForVersion waits until what the store has reached is a version or a later one.
func (i *informer) waitForVersion(ctx context.Context, resourceVersion string, reached func() (string, error)) error {
	for {
		changed := i.fanout.changed.Next()
		have, err := reached()
		if err != nil {
			return i.errorf("%w", err)
		}
		done, err := protocol.AtLeast(have, resourceVersion)
		if err != nil {
			return i.errorf("%w", err)
		}
		if done {
			return nil
		}
		if err := i.await(ctx, changed); err != nil {
			return i.errorf("resourceVersion %q: store is at %q, informer is %v: %w", resourceVersion, have, i.status(), err)
		}
	}
}

// version returns the version that the store has reached. Awaited is false if it has nothing
// to wait for: no namespace, or none that the server does not refuse.
func (i *informer) version() (version string, awaited bool) {
	if i.branches != nil {
		return i.branches.version()
	}
	return i.store.ResourceVersion(), true
}

// reached returns the version that the store has reached, which is wanted if there is nothing
// to wait for.
func (i *informer) reached(wanted string) string {
	version, awaited := i.version()
	select {
	case <-i.synced:
		if !awaited {
			return wanted
		}
	default:
	}
	return version
}

// versionOf returns the version that counts for an object.
func (i *informer) versionOf(obj metav1.Object) (string, error) {
	if i.branches != nil {
		return i.branches.versionOf(obj)
	}
	return i.store.ResourceVersion(), nil
}
