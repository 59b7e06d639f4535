//go:build before36

package conformance_test

import (
	"context"
	"reflect"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

const (
	noChecker = "has no checkers"
	noVersion = "has no resourceVersion in its stores"
)

// olderDefects36 are those of client-go before 0.36.
var olderDefects36 = map[string]string{}

// withInformerName does nothing: client-go has no names of informers.
func withInformerName(conformance.FactoryOptions) informers.SharedInformerOption {
	return informers.WithNamespace("")
}

// WaitForCacheSyncWithContext is WaitForCacheSync, which does not say why it ends.
func (f clientGoFactory) WaitForCacheSyncWithContext(ctx context.Context) clientgocache.SyncResult {
	result := clientgocache.SyncResult{Synced: map[reflect.Type]bool{}}
	for of, synced := range f.WaitForCacheSync(ctx.Done()) {
		result.Synced[of] = synced
		if !synced {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}

// newClientGoIndexer leaves out the transform: client-go's stores have none.
func newClientGoIndexer(keyFunc cache.KeyFunc, indexers cache.Indexers, _ cache.TransformFunc) cache.Indexer {
	return cache.NewIndexer(keyFunc, indexers)
}
