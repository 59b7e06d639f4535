package e2e

import (
	"context"
	"sync"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// startFactory starts the informers of a factory. At the end of the test, also of one that fails, or when
// stop is called before, they stop, and no goroutine is left for the tests that follow.
func startFactory(t *testing.T, factory sharedFactory, subjects []tested) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	factory.StartWithContext(ctx)
	stop = sync.OnceFunc(func() {
		for _, s := range subjects {
			s.release()
		}
		cancel()
		factory.Shutdown()
		wantNoGoroutines(t)
	})
	t.Cleanup(stop)
	return stop
}

// startInformer runs an informer until the end of the test, or until stop is called before, and waits until it is in sync.
func startInformer[T object](t *testing.T, informer *cache.Informer[T]) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- informer.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	if err := informer.WaitForSync(withPatience(t)); err != nil {
		t.Fatal(err)
	}
	return stop
}
