package factory

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// waitForCacheSync waits until every informer that was started is in sync or has ended, or until ctx ends.
// It returns which are in sync, by type or resource. A type with several informers is in sync if all of
// them are.
func waitForCacheSync[K comparable](ctx context.Context, r *registry) map[K]bool {
	started := r.started()
	synced := make(map[K]bool, len(started))
	for key, m := range started {
		of, _ := any(key.of).(K)
		others, there := synced[of]
		synced[of] = m.waitForCacheSync(ctx) && (!there || others)
	}
	return synced
}

// waitForCacheSync waits until the informer is in sync or has ended, or until ctx ends, and reports whether
// it is in sync.
func (m *member) waitForCacheSync(ctx context.Context) bool {
	checker := clientgocache.SyncedChecker(m.informer)
	select {
	case <-checker.Done():
	case <-m.ended:
	case <-ctx.Done():
	}
	return clientgocache.IsDone(checker)
}

// logSync logs once when informers that were started together are in sync. It does not count informers that
// were released before.
func logSync(ctx context.Context, members []*member) {
	started, synced := time.Now(), 0
	for _, m := range members {
		if m.waitForCacheSync(ctx) {
			synced++
		}
	}
	if synced > 0 && ctx.Err() == nil {
		klog.FromContext(ctx).Info("Informers are in sync", "informers", synced, "after", time.Since(started).Round(time.Millisecond))
	}
}

// ErrStuck is the cause of the *SyncError of an informer that WaitForSyncOrStuck stopped waiting for. The
// informer needs operator action: to grant access or to install a CRD.
var ErrStuck = errors.New("needs operator action (credentials, RBAC or CRD)")

const (
	// stuckAttempts is the number of failed attempts after which an informer counts
	// as forbidden for good: a server that starts may not know all roles yet.
	stuckAttempts = 3
	// stuckPeriod is the interval at which a wait checks whether all other informers are stuck.
	stuckPeriod = 200 * time.Millisecond
)

// WaitForSync waits until every informer that was started is in sync.
//
// The error joins a *cache.SyncError of runtime/cache for each informer that is not in sync when ctx ends
// or there is nothing more to wait for. They are sorted by type or resource. An error about options of
// ForType that have no effect follows. Informers of this module report their status and last error, and are
// in sync only once their handlers have seen the first list. Informers of other modules only report their
// name, and are never known to be stuck. An informer that has ended before it was in sync is an error at
// once.
func (r *registry) WaitForSync(ctx context.Context) error {
	return r.waitForSync(ctx, func(*member) bool { return false })
}

// WaitForSyncOrStuck is WaitForSync, but it does not wait for informers that are stuck: the server does not
// have their resource, or has forbidden it three times or more. It returns when all other informers are in
// sync. Informers that are stuck keep trying, and may sync at any time.
func (r *registry) WaitForSyncOrStuck(ctx context.Context) error {
	return r.waitForSync(ctx, (*member).stuck)
}

// waitForSync waits for the informers that were started, until each of them is in sync or hopeless, or ctx
// ends.
func (r *registry) waitForSync(ctx context.Context, hopeless func(*member) bool) error {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	started := r.started()
	keys := sorted(started)
	errs := make([]error, len(keys))
	waiting := slices.Collect(maps.Values(started))
	done := make(chan *member)
	for i, key := range keys {
		go func() {
			errs[i] = started[key].waitForSync(ctx, key.String())
			done <- started[key]
		}()
	}
	look := time.NewTicker(stuckPeriod)
	defer look.Stop()
	for len(waiting) > 0 {
		select {
		case over := <-done:
			waiting = slices.DeleteFunc(waiting, func(m *member) bool { return m == over })
		case <-look.C:
		}
		if !slices.ContainsFunc(waiting, func(m *member) bool { return !hopeless(m) }) {
			giveUp(ErrStuck)
		}
	}
	return errors.Join(append(errs, r.misuse())...)
}

// stuck reports whether the informer needs operator action before it can be in sync.
func (m *member) stuck() bool {
	status, _ := clientgocache.StatusOf(m.informer)
	switch {
	case status.Names != nil: // the informer continues without the names that are forbidden
		return status.Phase == core.PhaseAbsent
	case len(status.Namespaces) == 0:
		return needsAction(&status)
	}
	stuck := false
	for i := range status.Namespaces {
		switch namespace := &status.Namespaces[i]; {
		case namespace.Synced || apierrors.IsForbidden(namespace.LastError): // the informer continues without the namespace
		case needsAction(namespace):
			stuck = true
		default:
			return false
		}
	}
	return stuck
}

func needsAction(status *core.Status) bool {
	forbidden := status.Phase == core.PhaseBackingOff && failure.ClassOf(status.LastError) == failure.ClassForbidden && status.Attempts >= stuckAttempts
	return status.Phase == core.PhaseAbsent || forbidden
}

func (m *member) waitForSync(ctx context.Context, name string) error {
	if _, ours := clientgocache.StatusOf(m.informer); ours {
		return clientgocache.WaitForSync(ctx, m.informer)
	}
	if m.waitForCacheSync(ctx) {
		return nil
	}
	status, cause := core.Status{Phase: core.PhaseListing}, context.Cause(ctx)
	if cause == nil {
		status, cause = core.Status{Phase: core.PhaseStopped}, failure.ErrStopped
	}
	return &core.SyncError{Informer: name, Status: status, Cause: cause}
}

// sorted returns the keys of members, in the order of their names.
func sorted(members map[informerKey]*member) []informerKey {
	keys := make([]informerKey, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	// Not slices.SortFunc, whose code for another type would be in every program.
	sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	return keys
}
