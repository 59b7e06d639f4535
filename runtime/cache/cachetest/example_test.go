package cachetest_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// An informer runs on an API in memory, and a Recorder records the calls of its handler.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	pond := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "pond"}}
	api := cachetest.NewAPI(pond)
	informer := cache.New(api.Source(), cache.Options[*metav1.PartialObjectMetadata]{})
	var seen cachetest.Recorder[*metav1.PartialObjectMetadata]
	if _, err := informer.AddHandler(&seen, cache.HandlerOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	go func() { _ = informer.Run(ctx) }()
	if err := informer.WaitForSync(ctx); err != nil {
		fmt.Println(err)
		return
	}

	if _, err := api.Delete(types.NamespacedName{Namespace: "garden", Name: "pond"}); err != nil {
		fmt.Println(err)
	}
	if err := seen.WaitFor(ctx, 2); err != nil {
		fmt.Println(err)
	}
	for _, event := range seen.Events() {
		fmt.Println(event.Type, event.Key, "at", event.Object.ResourceVersion)
	}
	// Output:
	// add garden/pond at 2
	// delete garden/pond at 3
}
