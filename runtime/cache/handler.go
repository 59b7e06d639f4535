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
// One handler is called by one goroutine, with one event after the other:
// first OnAdd(initial=true) for every object that the store held when the
// handler joined, then each later change in the order of the store, after the
// store and its indexes have changed. The old object of an update is the object
// with which this handler was last called for that key. Handlers do not wait for
// each other. HandlerOptions.Cause lets a handler know why it is called.
//
// A Handler with a method OnRelease(last T) is called with it for a released object: the source
// does not select the object any more, since its shard has lost it for example. It was not deleted.
// Other handlers are not called.
// If the object comes back, OnAdd is called.
//
// Objects are shared with the store and with every other handler: they must
// not be mutated.
type Handler[T any] interface {
	// OnAdd is called for an object that is new in the store. Initial is true
	// for those that the store held when the handler joined it.
	OnAdd(obj T, initial bool)
	// OnUpdate is called for an object that replaced another of the same namespace
	// and name, and with the same object as old and new for a resync, or for a
	// relist if HandlerOptions.Unchanged is set. A deletion and a creation between
	// which the informer saw nothing are one update, with another UID.
	OnUpdate(old, obj T)
	// OnDelete is called with the last known state of an object that was deleted.
	// FinalStateUnknown is true if the informer did not see the deletion itself, but
	// a later list without the object: the state may be an old one.
	OnDelete(last T, finalStateUnknown bool)
}

// Released is the type of an event of an object that the source of an informer does not select any
// more. The object itself is as it was.
const Released watch.EventType = "RELEASED"

// releaser is a Handler that is also called for objects that are released.
type releaser[T any] interface{ OnRelease(last T) }

// HandlerFuncs is a Handler of functions, each of which may be nil.
type HandlerFuncs[T any] struct {
	// Add is called for OnAdd.
	Add func(obj T, initial bool)
	// Update is called for OnUpdate.
	Update func(old, obj T)
	// Delete is called for OnDelete.
	Delete func(last T, finalStateUnknown bool)
	// Release is called with the last known state of an object that was not deleted, but is not in
	// the shard or the set of names of the informer any more. If it comes back, Add is called.
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

// HandlerOptions configure a handler. The zero value is a handler in order, without a
// limit, with the informer's resync period, named after the place where it was added.
type HandlerOptions struct {
	// Name names the handler in logs, errors and the status. Empty is the file and
	// line where the handler was added, such as "orders/main.go:42", with the
	// handler's type before it unless that is HandlerFuncs or InBatches:
	// "*orders.invoicer at orders/main.go:42". Handlers that are added in one place, by
	// a helper function or in a loop, then have the same name.
	Name string
	// Logger logs what concerns the handler. Nil is the informer's.
	Logger *klog.Logger
	// Resync is the interval at which the handler gets, for every object in the store, an update
	// with that object as the old and the new one. Zero is the informer's period. Negative is
	// never. Less than a second is a second.
	Resync time.Duration
	// Coalesce is for a handler that needs the latest state of an object, and not each
	// state before it. When more events than Limit wait for the handler, they are merged
	// per object: an update has the object with which the handler was last called, and the
	// latest one. An addition and a deletion after it are left out, but the deletion of an
	// object that the handler has seen never is. An object with another UID is a deletion and
	// an addition. However slow the handler is, no more events wait for it than there are
	// objects that exist or that it has seen, besides the initial objects. During a
	// resync, that many may wait before it and after it.
	Coalesce bool
	// Limit is the most events that may wait for the handler. Initial objects do not count.
	//
	// With Coalesce, more events than that are merged. Zero or negative is 1024.
	//
	// Without Coalesce, the handler is removed when more wait. That is logged, and
	// Registration.Err says so. The handler may be added again, and then gets every
	// object as initial. Zero or negative is no limit.
	//
	// A relist may cause more events at once than any handler could have processed:
	// those that wait when one ends do not count toward a limit that removes. If the
	// handler has not processed all of these when another relist ends, the events after
	// the first relist count.
	Limit int
	// OnPanic is the policy for a panic of the handler. Zero is failure.PanicSkip.
	OnPanic failure.PanicPolicy
	// Unchanged makes a relist call the handler also for each object that is as it was,
	// with an update that has the object as old and new, in the order of the list.
	Unchanged bool
	// Cause, if it is not nil, is set before each call to why the handler is called. It
	// must be read by the handler only, and not be shared with another one. A handler of
	// InBatches does not need it: its events have a Cause.
	Cause *cause.Cause
}

// Event is a change of the store, as a value: one call of a Handler.
type Event[T any] struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or Released.
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
	f([]Event[T]{{Type: Released, Object: last}})
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
