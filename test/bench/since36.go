//go:build !before36

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/sharding"
	toolscache "k8s.io/client-go/tools/cache"
)

// waitForSync waits until an informer and its handlers are in sync.
func waitForSync(ctx context.Context, informer toolscache.SharedIndexInformer, handlers []toolscache.ResourceEventHandlerRegistration) bool {
	synced := []toolscache.DoneChecker{informer.HasSyncedChecker()}
	for _, h := range handlers {
		synced = append(synced, h.HasSyncedChecker())
	}
	return toolscache.WaitFor(ctx, "", synced...)
}

// sharded returns the filter of pods that a shard selector is to an API server.
func sharded(text string) (func(runtime.Object) bool, error) {
	selector, err := sharding.Parse(text)
	if err != nil {
		return nil, err
	}
	return func(o runtime.Object) bool {
		matches, err := selector.Matches(o)
		return matches && err == nil
	}, nil
}
