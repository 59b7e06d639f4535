package cache

import (
	"context"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// WaitForSync blocks until the store holds the first list and every handler
// registered by now has been given it. Otherwise the error is a *SyncError,
// which says what the informer is doing instead, and wraps the cause of the
// context, or ErrStopped if the informer stopped.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	if i.invalid != nil {
		return i.invalid
	}
	if err := i.await(ctx, i.synced); err != nil {
		return &SyncError{Informer: i.Name(), Status: i.Status(), Cause: err}
	}
	for _, r := range i.registrations() {
		if err := i.await(ctx, r.synced); err != nil {
			return &SyncError{Informer: i.Name(), Handler: r.name, Status: i.Status(), Cause: err}
		}
	}
	return nil
}

// await blocks until done is closed. If it is, neither a context nor a stop can
// take that back.
func (i *Informer[T]) await(ctx context.Context, done <-chan struct{}) error {
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
func (i *Informer[T]) registrations() []*Registration {
	var all []*Registration
	for _, l := range i.roster.Load().all {
		all = append(all, l.registration)
	}
	return all
}

// WaitForResourceVersion blocks until the store has taken in everything up to
// resourceVersion. A controller that waits for the version which its last write
// returned reads its own writes (KEP-5647). Versions are compared as numbers
// (KEP-5504). Possible errors: that one is none, ErrStopped, or the cause of the
// context, with what the informer is doing instead.
func (i *Informer[T]) WaitForResourceVersion(ctx context.Context, resourceVersion string) error {
	for {
		changed := i.fanout.changed.next()
		have := i.store.ResourceVersion()
		reached, err := atLeast(have, resourceVersion)
		if err != nil {
			return i.errorf("%w", err)
		}
		if reached {
			return nil
		}
		if err := i.await(ctx, changed); err != nil {
			return i.errorf("resourceVersion %q: store is at %q, informer is %v: %w", resourceVersion, have, i.Status(), err)
		}
	}
}

// atLeast reports whether version is wanted or a later one. The empty one is
// before all others.
func atLeast(version, wanted string) (bool, error) {
	if version == "" {
		_, err := resourceversion.CompareResourceVersion(wanted, wanted)
		return false, err
	}
	order, err := resourceversion.CompareResourceVersion(version, wanted)
	return order >= 0, err
}
