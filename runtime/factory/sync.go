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

// waitForCacheSync waits until every informer that was started is in sync, or
// has ended, or ctx ends, and returns which are, by what they are of.
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

// waitForCacheSync reports whether the informer is in sync, once it is or never
// will be.
func (m *member) waitForCacheSync(ctx context.Context) bool {
	checker := clientgocache.SyncedChecker(m.informer)
	select {
	case <-checker.Done():
	case <-m.ended:
	case <-ctx.Done():
	}
	return clientgocache.IsDone(checker)
}

// logSync logs once that informers which were started together are in sync, but for those
// that were released before.
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

// ErrStuck is the cause of the *SyncError of an informer that WaitForSyncOrStuck stopped
// waiting for, since it needs operator action: to grant access or to install a CRD.
var ErrStuck = errors.New("needs operator action (credentials, RBAC or CRD)")

const (
	// stuckAttempts is the number of failed attempts after which an informer counts
	// as forbidden for good: a server that starts may not know all roles yet.
	stuckAttempts = 3
	// stuckPeriod is the interval of checks whether there is anything to wait for.
	stuckPeriod = 200 * time.Millisecond
)

// WaitForSync waits until every informer that was started is in sync.
//
// The error joins one *cache.SyncError of runtime/cache for each informer that is
// not in sync when there is nothing more to wait for, or ctx ends, in the order of
// the names of their types or resources, and then what is wrong with options of ForType.
// Informers of this module report their
// status and last error, and are only in sync once their handlers have seen the
// first list too; others only report their name, and are never known to be stuck. An
// informer that has ended before it was in sync is an error at once.
func (r *registry) WaitForSync(ctx context.Context) error {
	return r.waitForSync(ctx, func(*member) bool { return false })
}

// WaitForSyncOrStuck is WaitForSync, but it does not wait for informers that are stuck:
// the server does not have their resource, or has forbidden it three times or more. It
// returns when all others are in sync. Those that are stuck keep trying, and may sync at
// any time.
func (r *registry) WaitForSyncOrStuck(ctx context.Context) error {
	return r.waitForSync(ctx, (*member).stuck)
}

// waitForSync waits for the informers that were started, until those that are not
// in sync are all stuck.
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
	case status.Names != nil: // the informer goes on without those that are forbidden
		return status.Phase == core.PhaseAbsent
	case len(status.Namespaces) == 0:
		return needsAction(&status)
	}
	stuck := false
	for i := range status.Namespaces {
		switch namespace := &status.Namespaces[i]; {
		case namespace.Synced || apierrors.IsForbidden(namespace.LastError): // the informer goes on without it
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
