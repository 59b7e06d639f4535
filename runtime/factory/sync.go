package factory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// WaitForCacheSync is WaitForCacheSyncWithContext with a channel for a context,
// and without the reason.
func (r *registry[K]) WaitForCacheSync(stopCh <-chan struct{}) map[K]bool {
	return r.waitForCacheSync(wait.ContextForChannel(stopCh))
}

// waitForCacheSync waits until every informer that was started is in sync, or
// has ended, or ctx ends, and returns which are.
func (r *registry[K]) waitForCacheSync(ctx context.Context) map[K]bool {
	started := r.started()
	synced := make(map[K]bool, len(started))
	for key, m := range started {
		synced[key] = m.waitForCacheSync(ctx)
	}
	return synced
}

// waitForCacheSync reports whether the informer is in sync, once it is or never
// will be.
func (m *member) waitForCacheSync(ctx context.Context) bool {
	checker := m.informer.HasSyncedChecker()
	select {
	case <-checker.Done():
	case <-m.ended:
	case <-ctx.Done():
	}
	return cache.IsDone(checker)
}

// WaitForSync waits until every informer that was started is in sync, or ctx
// ends. The error then joins one *cache.SyncError of runtime/cache for each
// informer that is not, in the order of the names of their types or resources.
// Those of this module say what they are doing and what went wrong, and are
// only in sync once their handlers have seen the first list too; others only
// say their name. An informer that has ended without is an error at once.
func (r *registry[K]) WaitForSync(ctx context.Context) error {
	started := r.started()
	keys := make([]K, 0, len(started))
	for key := range started {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b K) int { return strings.Compare(a.String(), b.String()) })

	errs := make([]error, len(keys))
	var wg sync.WaitGroup
	for i, key := range keys {
		wg.Go(func() { errs[i] = started[key].waitForSync(ctx, key.String()) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (m *member) waitForSync(ctx context.Context, name string) error {
	if i, ok := m.informer.(interface{ WaitForSync(context.Context) error }); ok {
		return i.WaitForSync(ctx)
	}
	if m.waitForCacheSync(ctx) {
		return nil
	}
	status, cause := core.Status{Phase: core.Listing}, context.Cause(ctx)
	if cause == nil {
		status, cause = core.Status{Phase: core.Stopped}, core.ErrStopped
	}
	return &core.SyncError{Informer: name, Status: status, Cause: cause}
}
