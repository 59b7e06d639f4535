package goroutines

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// The goroutines of an informer are found while it runs, and not after that.
func TestOfRuntime(t *testing.T) {
	if left := OfRuntime(); len(left) != 0 {
		t.Fatalf("before the start: %q", left)
	}
	informer := cache.New(cachetest.NewAPI[*metav1.PartialObjectMetadata]().Source(), cache.Options[*metav1.PartialObjectMetadata]{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- informer.Run(ctx) }()
	if err := informer.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	if len(OfRuntime()) == 0 {
		t.Error("none is found of an informer that runs")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for len(OfRuntime()) != 0 { // until the test times out
		time.Sleep(time.Millisecond)
	}
}
