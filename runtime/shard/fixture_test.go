package shard_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

type thing = metav1.PartialObjectMetadata

func newThing(name string) *thing {
	t := &thing{}
	t.Namespace, t.Name = "ns", name
	return t
}

func keyOf(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "ns", Name: name}
}

// running is an informer of a shard at work in a synctest bubble.
type running struct {
	*cache.Informer[*thing]
	t    *testing.T
	stop func()
}

// run starts an informer of a shard of a source, and stops it at the end of the test.
func run(t *testing.T, of cache.Source[*thing], mine *shard.Shard, options cache.Options[*thing]) running {
	t.Helper()
	informer := cache.New(shard.Source(of, mine), options)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := informer.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	stop := sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return running{Informer: informer, t: t, stop: stop}
}

// handle adds a recorder.
func (r running) handle(options cache.HandlerOptions) *cachetest.Recorder[*thing] {
	r.t.Helper()
	recorder := &cachetest.Recorder[*thing]{}
	if _, err := r.AddHandler(recorder, options); err != nil {
		r.t.Fatal(err)
	}
	return recorder
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// touch changes an object, which gives it a new resourceVersion.
func touch(t *testing.T, api *cachetest.API[*thing], name string) *thing {
	t.Helper()
	obj := must[*thing](t)(api.Get(keyOf(name)))
	obj.Annotations = map[string]string{"changed-after": obj.ResourceVersion}
	return must[*thing](t)(api.Update(obj))
}

func expect(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// settle lets everything happen that does not need time to pass.
func settle() { synctest.Wait() }

// typesAndNames describes events without the states of their objects.
func typesAndNames(seen *cachetest.Recorder[*thing]) []string {
	var all []string
	for _, e := range seen.Events() {
		all = append(all, string(e.Type)+" "+e.Key.Name)
	}
	return all
}

// sorted returns the names of the objects that the store and the handler have, which must be the same.
func sorted(t *testing.T, informer *cache.Informer[*thing], seen *cachetest.Recorder[*thing]) []string {
	t.Helper()
	var stored, viewed []string
	for obj := range informer.Store().All() {
		stored = append(stored, obj.Name)
	}
	for _, obj := range seen.View() {
		viewed = append(viewed, obj.Name)
	}
	slices.Sort(stored)
	slices.Sort(viewed)
	expect(t, "what the handler has, and the store", stored, viewed)
	if err := seen.Err(); err != nil {
		t.Error(err)
	}
	return stored
}
