//go:build !before37

package cache

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// The typed adapters have the types that client-go takes, and their constructor has its signature.
var (
	_ cache.TypedSharedIndexInformer[*v1.Pod] = (*typedInformer[*v1.Pod])(nil)
	_ cache.TypedIndexer[*v1.Pod]             = (*typedIndexer[*v1.Pod])(nil)

	_ func(cache.SharedIndexInformer) cache.TypedSharedIndexInformer[*v1.Pod] = NewTypedSharedIndexInformer[*v1.Pod]
)

const addedBefore37 = ""

var shutDown = ShutDownEventHandler
