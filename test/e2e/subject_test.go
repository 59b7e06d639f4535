package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"k8s.io/client-go/dynamic"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// tested is a subject of whatever type.
type tested interface {
	join(t *testing.T, when string)
	failed() error
	wantSynced(t *testing.T)
	comeAndGo(ctx context.Context) error
	release()
	wantAgreement(t *testing.T, client dynamic.Interface)
}

// subject is one informer of a generated factory, used through the core and the
// compatibility layer at the same time, with handlers of different speed in each.
type subject[T object] struct {
	kind
	clientgo toolscache.SharedIndexInformer
	core     *cache.Informer[T]

	stall   chan struct{} // closed when the stalled handlers may go on
	stalled sync.Once     // closes stall
	staying []*view[T]    // the handlers that stay to the end

	mu   sync.Mutex
	gone []*view[T] // those that left
}

func newSubject[T object](t *testing.T, k kind, informer toolscache.SharedIndexInformer) *subject[T] {
	t.Helper()
	core, ok := clientgocache.Core[T](informer)
	if !ok {
		t.Fatalf("%v: no core of %T below %T", k, newObject[T](), informer)
	}
	return &subject[T]{kind: k, clientgo: informer, core: core, stall: make(chan struct{})}
}

// speeds returns the work that handlers do with an object: as little as they can, some work, or nothing at
// all until the writers are through.
func (s *subject[T]) speeds() map[string]func(T) {
	return map[string]func(T){
		"quick":   nil,
		"working": func(obj T) { _, _ = json.Marshal(obj) },
		"stalled": func(T) { <-s.stall },
	}
}

// join adds one handler of every speed and one index to the core and to the compatibility layer.
func (s *subject[T]) join(t *testing.T, when string) {
	t.Helper()
	for speed, work := range s.speeds() {
		core := newView(fmt.Sprintf("%v/core/%s/%s", s.kind, when, speed), work)
		if _, err := s.core.AddHandler(core, cache.HandlerOptions{Name: core.name}); err != nil {
			t.Fatal(err)
		}
		clientgo := newView(fmt.Sprintf("%v/client-go/%s/%s", s.kind, when, speed), work)
		if _, err := s.clientgo.AddEventHandler(clientgoView[T]{clientgo}); err != nil {
			t.Fatal(err)
		}
		s.staying = append(s.staying, core, clientgo)
	}
	shard := func(obj T) string { return obj.GetLabels()[shardLabel] }
	if err := s.core.AddIndexes(cache.Index[T]{Name: "shard, core, " + when, Value: shard}); err != nil {
		t.Fatal(err)
	}
	if err := s.clientgo.AddIndexers(toolscache.Indexers{"shard, client-go, " + when: func(obj any) ([]string, error) {
		return []string{shard(obj.(T)), "any"}, nil
	}}); err != nil {
		t.Fatal(err)
	}
}

// wantSynced waits for the informer, and wants it to name the handler that it
// is not in sync with: the stalled one.
func (s *subject[T]) wantSynced(t *testing.T) {
	t.Helper()
	wantClosed(t, fmt.Sprintf("%v: sync", s.kind), s.core.Synced())
	if s.core.Store().Len() == 0 {
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var why *cache.SyncError
	if err := s.core.WaitForSync(ctx); !errors.As(err, &why) {
		t.Errorf("%v: got %v, want that it is not in sync with a handler", s.kind, err)
	} else if why.Handler == "" {
		t.Errorf("%v: got %v, want the name of a handler in it", s.kind, err)
	}
}

// failed returns nil when the informer has tried something in vain.
func (s *subject[T]) failed() error {
	if status := s.core.Status(); status.Attempts == 0 {
		return fmt.Errorf("%v: %v, and nothing has failed", s.kind, status.Phase)
	}
	return nil
}

// comeAndGo adds a handler, lets it see the initial objects and some events,
// removes it, and does so again in the other layer until ctx ends.
func (s *subject[T]) comeAndGo(ctx context.Context) error {
	for i := 0; ctx.Err() == nil; i++ {
		v := newView[T](fmt.Sprintf("%v/guest/%d", s.kind, i), nil)
		seen := make(chan struct{}, 1)
		v.work = func(T) {
			select {
			case seen <- struct{}{}:
			default:
			}
		}
		leave, err := s.arrive(ctx, v, i%2 == 0)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		for range i % 50 { // some see nothing, some a good deal
			select {
			case <-seen:
			case <-ctx.Done():
			}
		}
		if err := leave(); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		s.mu.Lock()
		s.gone = append(s.gone, v)
		s.mu.Unlock()
	}
	return nil
}

// arrive adds the handler and returns how it leaves. In the core a
// handler that has left is not called again, which the guest checks.
func (s *subject[T]) arrive(ctx context.Context, v *view[T], core bool) (leave func() error, err error) {
	if !core {
		registration, err := s.clientgo.AddEventHandler(clientgoView[T]{v})
		if err != nil {
			return nil, err
		}
		return func() error { return s.clientgo.RemoveEventHandler(registration) }, nil
	}
	registration, err := s.core.AddHandler(v, cache.HandlerOptions{Name: v.name})
	if err != nil {
		return nil, err
	}
	select {
	case <-registration.Synced():
	case <-ctx.Done():
	}
	return func() error {
		registration.Remove()
		<-registration.Done()
		v.mu.Lock()
		defer v.mu.Unlock()
		v.left = true
		return nil
	}, nil
}

// release lets the stalled handlers go on. It may be called more than once.
func (s *subject[T]) release() { s.stalled.Do(func() { close(s.stall) }) }

// wantAgreement waits until every handler has seen the last object, and then
// wants the API server, the cache, its indexes and all handlers to agree.
func (s *subject[T]) wantAgreement(t *testing.T, client dynamic.Interface) {
	t.Helper()
	for _, v := range s.staying {
		wantClosed(t, v.name+": the last object", v.sawLast)
	}
	want, err := list[T](t.Context(), client, s.kind)
	if err != nil {
		t.Fatal(err)
	}
	store := s.core.Store()
	wantObjects(t, fmt.Sprintf("%v: the store", s.kind), contents(store), want)
	wantIndexes(t, store, s.clientgo.GetIndexer())
	if got := len(s.clientgo.GetStore().List()); got != len(want) {
		t.Errorf("%v: client-go's store lists %d objects, the API server has %d", s.kind, got, len(want))
	}
	for _, v := range s.staying {
		v.mu.Lock()
		wantObjects(t, v.name, v.objects, want)
		v.mu.Unlock()
	}
	events, relists := 0, s.core.Status().Relists
	for _, v := range append(s.staying, s.gone...) {
		v.mu.Lock()
		if v.unchanged > 0 && relists == 0 {
			t.Errorf("handler %s: %d updates of unchanged objects without a relist", v.name, v.unchanged)
		}
		for _, fault := range v.faults {
			t.Error(fault)
		}
		events += v.adds + v.updates + v.deletes
		v.mu.Unlock()
	}
	t.Logf("%v: %d objects, %d handlers stayed, %d came and went, %d events delivered", s.kind, len(want), len(s.staying), len(s.gone), events)
}
