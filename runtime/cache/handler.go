package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Handler is called for every change of an informer's store.
//
// One handler is called by one goroutine, with one event after the other. First, OnAdd is called with
// initial set for every object that the store held when the handler joined. Then comes each later change,
// in the order of the store, after the store and its indexes have changed. The old object of an update is
// the object with which this handler was last called for that key. Handlers do not wait for each other.
// HandlerOptions.Cause tells a handler why it is called.
//
// If a Handler has a method OnRelease(last T), it is called for a released object: the source does not
// select the object any more, for example since its shard has lost it. The object was not deleted. A
// Handler without the method is not called. If the object comes back, OnAdd is called.
//
// Objects are shared with the store and all other handlers: they must not be mutated.
type Handler[T any] interface {
	// OnAdd is called for an object that is new in the store. Initial is true for the objects that the
	// store held when the handler joined.
	OnAdd(obj T, initial bool)
	// OnUpdate is called for an object that replaced another of the same namespace and name. It is called
	// with the same object as old and new for a resync, and for a relist if HandlerOptions.Unchanged is
	// set. A deletion and a creation that the informer did not see are one update, with another UID.
	OnUpdate(old, obj T)
	// OnDelete is called with the last known state of an object that was deleted. FinalStateUnknown is true
	// if the informer did not see the deletion itself, but a later list without the object: the state may
	// be old.
	OnDelete(last T, finalStateUnknown bool)
}

// Released is the type of an event for an object that the informer's source does not select any more. The
// object itself has not changed.
const Released watch.EventType = "RELEASED"

// releaser is implemented by Handlers that are also called for released objects.
type releaser[T any] interface{ OnRelease(last T) }

// HandlerFuncs is a Handler made of functions. Each of them may be nil.
type HandlerFuncs[T any] struct {
	// Add is called for OnAdd.
	Add func(obj T, initial bool)
	// Update is called for OnUpdate.
	Update func(old, obj T)
	// Delete is called for OnDelete.
	Delete func(last T, finalStateUnknown bool)
	// Release is called with the last known state of an object that was not deleted, but is not in the
	// informer's shard or set of names any more. If the object comes back, Add is called.
	Release func(last T)
}

// OnAdd calls Add if it is not nil.
func (h HandlerFuncs[T]) OnAdd(obj T, initial bool) {
	if h.Add != nil {
		h.Add(obj, initial)
	}
}

// OnUpdate calls Update if it is not nil.
func (h HandlerFuncs[T]) OnUpdate(old, obj T) {
	if h.Update != nil {
		h.Update(old, obj)
	}
}

// OnDelete calls Delete if it is not nil.
func (h HandlerFuncs[T]) OnDelete(last T, finalStateUnknown bool) {
	if h.Delete != nil {
		h.Delete(last, finalStateUnknown)
	}
}

// OnRelease calls Release if it is not nil.
func (h HandlerFuncs[T]) OnRelease(last T) {
	if h.Release != nil {
		h.Release(last)
	}
}

// HandlerOptions configure a handler. By default, a handler gets every event in order, has no limit and the
// informer's resync period, and is named after the place where it was added.
type HandlerOptions struct {
	// Name names the handler in logs, errors and the status. If it is empty, the file and line where the
	// handler was added are used, such as "orders/main.go:42". Unless the handler is a HandlerFuncs or from
	// InBatches, its type stands before: "*orders.invoicer at orders/main.go:42". Handlers that are added
	// in one place, by a helper function or in a loop, then have the same name.
	Name string
	// Logger logs messages about the handler. Nil means the informer's logger.
	Logger *klog.Logger
	// Resync is the interval at which the handler gets, for every object in the store, an update with that
	// object as the old and the new one. Zero means the informer's period. Negative means never. Less than
	// a second means a second.
	Resync time.Duration
	// Coalesce is for a handler that needs the latest state of an object, and not each state before it.
	// When more events than Limit wait for the handler, they are merged per object. A merged update has the
	// object with which the handler was last called, and the latest object. An addition followed by a
	// deletion is left out. A deletion of an object that the handler has seen is never left out. An object
	// with another UID is a deletion and an addition.
	//
	// However slow the handler is, the waiting events are at most as many as the objects that exist or that
	// the handler has seen, besides the initial objects. During a resync, that many may wait before it and
	// after it.
	Coalesce bool
	// Limit is the maximum number of events that may wait for the handler. Initial objects do not count.
	//
	// With Coalesce, events are merged when more than Limit wait. Zero or negative means 1024.
	//
	// Without Coalesce, the handler is removed when more than Limit events wait. That is logged, and
	// Registration.Err returns the reason. The handler may be added again, and then gets every object as
	// initial. Zero or negative means no limit.
	//
	// A relist may cause more events at once than any handler could have processed. So the events that wait
	// at the end of a relist do not count toward a limit that removes the handler. If the handler has not
	// processed all of them when another relist ends, the events after the first relist count.
	Limit int
	// OnPanic is the policy for panics of the handler. Zero means failure.PanicSkip.
	OnPanic failure.PanicPolicy
	// Unchanged makes a relist call the handler also for each object that has not changed, with an update
	// that has the object as old and new, in the order of the list.
	Unchanged bool
	// Cause, if it is not nil, is set before each call to the reason for the call. Only the handler may
	// read it, and no other handler may share it. A handler of InBatches does not need it: its events have
	// a Cause.
	Cause *cause.Cause
}

// Event is a change of the store, as a value: one call of a Handler.
type Event[T any] struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or Released.
	Type watch.EventType
	// Old is the object before an update.
	Old T
	// Object is the new object, or the last state of a deleted or released one.
	Object T
	// Initial is the argument of Handler.OnAdd, and FinalStateUnknown the argument of Handler.OnDelete.
	Initial, FinalStateUnknown bool
	// Cause is the reason for the event.
	Cause cause.Cause
}

// InBatches returns a Handler that calls handle with the events since the last call, in order. A batch has
// 1 to 64 events. It is for handlers whose work costs less for many events at once, such as writes to a
// database. The slice must not be used after handle has returned. A panic concerns the whole batch.
func InBatches[T any](handle func(events []Event[T])) Handler[T] { return batchFunc[T](handle) }

// batchFunc passes each event as a batch of one. A listener uses a batch in its place.
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
	f([]Event[T]{{Type: Released, Object: last}})
}

// batch is a Handler that collects events until it is flushed.
type batch interface {
	Handler[any]
	// cause returns where to store the cause of the next event.
	cause() *cause.Cause
	// flush calls the handler with the collected events. If the handler panics, they stay until drop
	// removes them.
	flush()
	drop()
}
