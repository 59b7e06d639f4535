package cachetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// EventType is the method of a handler that was called: Add, Update, Delete or Release.
type EventType string

const (
	// Add is a call of OnAdd.
	Add EventType = "add"
	// Release is a call of OnRelease.
	Release EventType = "release"
)

// Event is one call of a handler.
type Event[T any] struct {
	// Type is the method that was called.
	Type EventType
	// Key is the namespace and name of the object.
	Key types.NamespacedName
	// Old is the old object of an update.
	Old T
	// Object is the object that was added, the new one of an update, or the last state of a deleted or
	// released one.
	Object T
	// Initial is an argument of OnAdd, and FinalStateUnknown one of OnDelete.
	Initial           bool
	FinalStateUnknown bool
}

// Recorder is a cache.Handler that records its calls, and checks that they follow the contract of a
// handler. Its zero value is ready. It is safe for concurrent use. Use it for one registration only: the
// events of two would contradict each other.
type Recorder[T any] struct {
	mu     sync.Mutex
	events []Event[T]
	view   map[types.NamespacedName]T
	// late is true after the first event that is not initial.
	late bool
	errs []error
	// more is closed by the next event. It is nil if no call waits for it.
	more chan struct{}
}

var _ cache.Handler[any] = (*Recorder[any])(nil)

// OnAdd implements cache.Handler.
func (r *Recorder[T]) OnAdd(obj T, initial bool) {
	r.record(Event[T]{Type: Add, Object: obj, Initial: initial})
}

// OnUpdate implements cache.Handler.
func (r *Recorder[T]) OnUpdate(old, obj T) {
	r.record(Event[T]{Type: Update, Old: old, Object: obj})
}

// OnDelete implements cache.Handler.
func (r *Recorder[T]) OnDelete(last T, finalStateUnknown bool) {
	r.record(Event[T]{Type: Delete, Object: last, FinalStateUnknown: finalStateUnknown})
}

// OnRelease records a released object.
func (r *Recorder[T]) OnRelease(last T) { r.record(Event[T]{Type: Release, Object: last}) }

// Events returns the calls so far, in order.
func (r *Recorder[T]) Events() []Event[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	// The slice only grows: its present part can be shared.
	return r.events[:len(r.events):len(r.events)]
}

// View returns the objects by key that result from the events so far: the content of the store as the
// handler sees it. The map belongs to the caller, and its objects to the store.
func (r *Recorder[T]) View() map[types.NamespacedName]T {
	r.mu.Lock()
	defer r.mu.Unlock()
	view := maps.Clone(r.view)
	if view == nil {
		view = map[types.NamespacedName]T{}
	}
	return view
}

// Err returns every breach of the contract so far, joined. Breaches are: an add of a known object, or an
// initial add after another event; an update, delete or release of an unknown object; an update whose old
// object was not the last one; and an object that has no key.
func (r *Recorder[T]) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}

// WaitFor blocks until there are at least n events. Its error wraps the cause of
// the context's end.
func (r *Recorder[T]) WaitFor(ctx context.Context, n int) error {
	return r.WaitUntil(ctx, func(events []Event[T]) bool { return len(events) >= n })
}

// WaitUntil blocks until the condition holds for the events so far. It is checked at once, and after new
// events, possibly after several together. Its error wraps the cause of the context's end.
func (r *Recorder[T]) WaitUntil(ctx context.Context, condition func([]Event[T]) bool) error {
	for {
		r.mu.Lock()
		events := r.events[:len(r.events):len(r.events)]
		if r.more == nil {
			r.more = make(chan struct{})
		}
		more := r.more
		r.mu.Unlock()
		if condition(events) {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("recorder: condition not met after %d events: %w", len(events), context.Cause(ctx))
		}
	}
}

func (r *Recorder[T]) record(e Event[T]) {
	key, keyErr := cache.KeyOf(e.Object)
	e.Key = key
	r.mu.Lock()
	defer r.mu.Unlock()
	if keyErr != nil {
		r.errs = append(r.errs, fmt.Errorf("event %d: %s: %w", len(r.events), e.Type, keyErr))
	} else {
		r.check(e)
	}
	r.events = append(r.events, e)
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

// check replays the event into the view. The caller holds the lock.
func (r *Recorder[T]) check(e Event[T]) {
	breach := func(what string) {
		r.errs = append(r.errs, fmt.Errorf("event %d: %s of %q: %s", len(r.events), e.Type, e.Key, what))
	}
	last, known := r.view[e.Key]
	switch {
	case e.Type == Add && known:
		breach("the object is known")
	case e.Type != Add && !known:
		breach("the object is unknown")
	case e.Type == Update && !same(e.Old, last):
		breach("the old object is not the one last seen")
	}
	if e.Type == Add && e.Initial {
		if r.late {
			breach("initial, but comes after other events")
		}
	} else {
		r.late = true
	}
	if e.Type == Delete || e.Type == Release {
		delete(r.view, e.Key)
		return
	}
	if r.view == nil {
		r.view = map[types.NamespacedName]T{}
	}
	r.view[e.Key] = e.Object
}

// same reports whether two values are the same object.
func same[T any](x, y T) bool {
	v, w := reflect.ValueOf(&x).Elem(), reflect.ValueOf(&y).Elem()
	return v.Comparable() && w.Comparable() && v.Equal(w)
}
