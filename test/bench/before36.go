//go:build before36

package main

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
)

// waitForSync waits until an informer and its handlers are in sync.
func waitForSync(ctx context.Context, informer toolscache.SharedIndexInformer, handlers []toolscache.ResourceEventHandlerRegistration) bool {
	synced := []toolscache.InformerSynced{informer.HasSynced}
	for _, h := range handlers {
		synced = append(synced, h.HasSynced)
	}
	return toolscache.WaitForCacheSync(ctx.Done(), synced...)
}

// sharded fails: API servers know no shard selectors.
func sharded(string) (func(runtime.Object) bool, error) {
	return nil, errors.New("shardSelector: API servers have it since Kubernetes 1.36")
}
