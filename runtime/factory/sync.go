package factory

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// WaitForCacheSync is WaitForCacheSyncWithContext with a channel for a context,
// and without the reason.
func (f *Factory[C]) WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool {
	return f.WaitForCacheSyncWithContext(wait.ContextForChannel(stopCh)).Synced
}

// WaitForCacheSyncWithContext waits until every informer that was started has
// its first list in its store, or ctx ends. The result says which have; its Err
// is context.Cause(ctx) if not all have.
func (f *Factory[C]) WaitForCacheSyncWithContext(ctx context.Context) cache.SyncResult {
	informers := f.started()
	checkers := make([]cache.DoneChecker, 0, len(informers))
	for _, informer := range informers {
		checkers = append(checkers, informer.HasSyncedChecker())
	}
	cache.WaitFor(ctx, "", checkers...)

	result := cache.SyncResult{Synced: make(map[reflect.Type]bool, len(informers))}
	for t, informer := range informers {
		result.Synced[t] = informer.HasSynced()
		if !result.Synced[t] {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}

// WaitForSync waits until every informer that was started is in sync, or ctx
// ends. The error then joins one *cache.SyncError of runtime/cache for each
// informer that is not, in the order of their types' names. Those of this
// module say what they are doing and what went wrong, and are only in sync
// once their handlers have seen the first list too; others only say their name.
func (f *Factory[C]) WaitForSync(ctx context.Context) error {
	informers := f.started()
	types := make([]reflect.Type, 0, len(informers))
	for t := range informers {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) })

	errs := make([]error, len(types))
	var wg sync.WaitGroup
	for i, t := range types {
		wg.Go(func() { errs[i] = waitForSync(ctx, t, informers[t]) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func waitForSync(ctx context.Context, t reflect.Type, informer cache.SharedIndexInformer) error {
	if i, ok := informer.(interface{ WaitForSync(context.Context) error }); ok {
		return i.WaitForSync(ctx)
	}
	checker := informer.HasSyncedChecker()
	select {
	case <-checker.Done():
	case <-ctx.Done():
		if !cache.IsDone(checker) {
			return &core.SyncError{Informer: t.String(), Status: core.Status{Phase: core.Listing}, Cause: context.Cause(ctx)}
		}
	}
	return nil
}
