package cache

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
	"time"

	"k8s.io/klog/v2"
)

// Handler is told of every change of an informer's store.
//
// One handler is called by one goroutine, with one event after the other:
// first OnAdd(initial=true) for every object that the store held when the
// handler joined, then each later change in the order in which the store made
// it, and after the store and its indexes made it. The old object of an update
// is the object that this handler was last given for that key. Handlers do not
// wait for each other.
//
// Objects are shared with the store and with every other handler: they must
// not be mutated.
type Handler[T any] interface {
	// OnAdd is called for an object that is new in the store. Initial is true
	// for those that the store held when the handler joined it.
	OnAdd(obj T, initial bool)
	// OnUpdate is called for an object that took the place of another of the
	// same namespace and name, and with the same object twice for a resync, or
	// for a relist if HandlerOptions.Unchanged asks for it. A delete and a
	// create that the informer did not see apart are one update, with another
	// UID.
	OnUpdate(old, obj T)
	// OnDelete is called with the last state of an object that left the store.
	// FinalStateUnknown is true if the deletion itself was missed, and only
	// noticed by its absence from a later list: the state may be an old one.
	OnDelete(last T, finalStateUnknown bool)
}

// HandlerFuncs is a Handler of functions, each of which may be nil.
type HandlerFuncs[T any] struct {
	Add    func(obj T, initial bool)
	Update func(old, obj T)
	Delete func(last T, finalStateUnknown bool)
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

// HandlerOptions are what a handler may ask for. The zero value is a handler
// with the informer's resync period, named after the place where it was added.
type HandlerOptions struct {
	// Name stands for the handler in logs, errors and the status. It defaults to
	// the file and line where the handler was added, such as "orders/main.go:42",
	// with the handler's type before it unless that is HandlerFuncs or InBatches:
	// "*orders.invoicer at orders/main.go:42". Handlers that are added in one place,
	// by a helper function or in a loop, have one name unless they are given others.
	Name string
	// Logger is for what there is to log about the handler. It defaults to the
	// informer's.
	Logger *klog.Logger
	// Resync is how often the handler is given an update with the same object
	// twice for everything in the store. Zero is the informer's period,
	// a negative one is never; others are raised to a second.
	Resync time.Duration
	// Coalesce is true for a handler that only wants to know what has become of an
	// object, not how. When more events than Limit wait for it, they are merged for
	// each object: the old object of an update is the one that the handler was last
	// given and the new one the latest, an addition and a deletion that follow each
	// other vanish, a deletion that the handler must know of never does, and an
	// object with another UID is a deletion and an addition. However slow the
	// handler is, what waits for it is no more than one event for each object that
	// exists or that it knows, besides the initial objects.
	Coalesce bool
	// Limit is how many events may wait for the handler. Only events that the
	// handler is to be called with count, and initial objects do not.
	//
	// If more wait for a handler that coalesces, they are merged; zero is 1024. Any
	// other handler is removed, which is logged, and Registration.Err says so. It may
	// be added again, and is then given every object as initial. Zero is no limit.
	//
	// A relist may bring more events at once than any handler could have taken:
	// what waits when one ends does not count toward a limit that removes. If the
	// handler has still not taken all of that when another relist ends, the events
	// after the first one count.
	Limit int
	// OnPanic is what happens after a panic of the handler.
	OnPanic PanicPolicy
	// Unchanged is true for a handler that wants an update with the same
	// object twice for everything that a relist finds as it was, in the order
	// of the list.
	Unchanged bool
}

// handlerName names a handler after the place where it was added, and its type unless
// every handler of functions has it.
func handlerName[T any](handler Handler[T]) string {
	place := callerOfInformer()
	switch handler.(type) {
	case HandlerFuncs[T], *HandlerFuncs[T], batchFunc[T]:
		return place
	}
	return fmt.Sprintf("%T at %s", handler, place)
}

// callerOfInformer returns where a method of Informer was called, as the file with its
// folder and the line.
func callerOfInformer() string {
	methods := reflect.TypeFor[HandlerOptions]().PkgPath() + ".(*Informer["
	var callers [16]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for inside := false; ; {
		frame, more := frames.Next()
		is := strings.HasPrefix(frame.Function, methods)
		if inside && !is || !more {
			return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(frame.File)), path.Base(frame.File)), frame.Line)
		}
		inside = inside || is
	}
}
