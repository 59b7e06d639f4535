package cache

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Event is a change of the store, as a value: one call of a Handler.
type Event[T any] struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or shard.Released.
	Type watch.EventType
	// Old is the object before an update.
	Old T
	// Object is the new object, or the last state of one that was deleted or released.
	Object T
	// Initial is as in Handler.OnAdd, FinalStateUnknown as in Handler.OnDelete.
	Initial, FinalStateUnknown bool
	// Cause is why the handler gets the event.
	Cause cause.Cause
}

// InBatches returns a Handler that calls handle with the events since the last call, in
// order, 64 at the most and never none. It is for handlers whose work costs less for many
// events at once, such as a write to a database. The slice must not be used after handle
// has returned. A panic concerns the whole batch.
func InBatches[T any](handle func(events []Event[T])) Handler[T] { return batchFunc[T](handle) }

// batchFunc takes an event as a batch of one. A listener puts a batch in its place.
type batchFunc[T any] func([]Event[T])

func (f batchFunc[T]) OnAdd(obj T, initial bool) {
	f([]Event[T]{{Type: watch.Added, Object: obj, Initial: initial}})
}

func (f batchFunc[T]) OnUpdate(old, obj T) {
	f([]Event[T]{{Type: watch.Modified, Old: old, Object: obj}})
}

func (f batchFunc[T]) OnDelete(last T, finalStateUnknown bool) {
	f([]Event[T]{{Type: watch.Deleted, Object: last, FinalStateUnknown: finalStateUnknown}})
}

func (f batchFunc[T]) OnRelease(last T) {
	f([]Event[T]{{Type: shard.Released, Object: last}})
}

// batch is a Handler that gathers events until it is flushed.
type batch interface {
	Handler[any]
	// cause returns where the cause of an event is to be before the event.
	cause() *cause.Cause
	// flush calls the handler with the gathered events. After a panic of the handler
	// they are still there, and drop removes them.
	flush()
	drop()
}
