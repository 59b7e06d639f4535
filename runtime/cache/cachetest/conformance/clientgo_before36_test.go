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

// olderDefects36 are the defects of client-go before 0.36.
var olderDefects36 = map[string]string{
	"L11 a list in the form of a table is an error":                                                     "takes a table for a list without objects",
	"L11 a watched table is left out":                                                                   "stores a table as an object",
	"W3 the initial objects of a watch without a version do not advance the version":                    "takes their versions",
	"WL2 nothing is stored before the bookmark that closes the initial events, and all at once with it": noVersion,
	"S7 the version of a store is that of its last change":                                              noVersion,
	"S10 operations of a transaction that fail are reported, and the others are done":                   noVersion,
	"S10 a store transforms its objects, but not in a transaction":                                      "has no transform of stores",
	"I9 an informer is in sync once its store holds the first list, and not if it is stopped before":    noChecker,
	"I15 checkers are named after the type of the objects, and of the handler":                          noChecker,
	"I15 a caller that waits sees the name of what it waits for":                                        noChecker,
	"F1 a shutdown releases the name of the factory":                                                    "has no names of informers",
}

func init() {
	// Those that came later.
	delete(clientGo.Defects, "W8")
	delete(clientGo.Defects, "W9 a server that fails for an hour gets at most two requests a minute")
}

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
