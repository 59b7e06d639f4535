package controller

import (
	"context"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// world is an API in memory with an informer.
type world[T runtime.Object] struct {
	api      *cachetest.API[T]
	informer *cache.Informer[T]
}

func newWorld[T runtime.Object](objects ...T) world[T] {
	api := cachetest.NewAPI(objects...)
	return world[T]{api, cache.New(api.Source(), cache.Options[T]{})}
}

// follow runs the informer until the end of the test.
func (w world[T]) follow(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- w.informer.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// mustNew returns a controller of the sources.
func mustNew(t *testing.T, reconcile Reconcile, options Options, sources ...Source) *Controller {
	t.Helper()
	c, err := New("test", reconcile, options, sources...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs a controller until it is stopped, at the latest by the end of the test.
func start(t *testing.T, c *Controller) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// must returns the value of a call that can't fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid of " + name)}}
}

func key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "ns", Name: name}
}

// calls records the keys of reconciles.
type calls struct {
	mu   sync.Mutex
	keys []types.NamespacedName
}

func (c *calls) add(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys = append(c.keys, key)
}

// take returns what was recorded since the last call, as names.
func (c *calls) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := []string{}
	for _, key := range c.keys {
		names = append(names, key.Name)
	}
	c.keys = nil
	return names
}

// reconcile does nothing but record.
func (c *calls) reconcile(_ context.Context, key types.NamespacedName) (Result, error) {
	c.add(key)
	return Result{}, nil
}
