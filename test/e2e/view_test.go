package e2e

import (
	"fmt"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// lastName is the name of the object that is created after everything else has happened to its resource. A
// handler that has seen it has seen everything before it.
const lastName = "last"

// object has the methods that every type in these tests has.
type object interface {
	clientgocache.TypedObject
	metav1.Object
}

// view is a handler that replays its events into a map of its own. It notes each event that does not fit,
// which shows lost, doubled and misordered ones. It serves both layers: as a handler of the core, and as
// one of client-go's.
type view[T object] struct {
	name string
	// work is the work of the handler with each object; nil means none.
	work func(T)
	// sawLast is closed when the last object has been added.
	sawLast chan struct{}

	mu                     sync.Mutex
	objects                map[types.NamespacedName]T
	adds, updates, deletes int
	unknown                int // deletes without the final state
	unchanged              int // updates to the version that it has, in client-go's interface
	faults                 []string
	left                   bool // no event may come any more
}

func newView[T object](name string, work func(T)) *view[T] {
	return &view[T]{name: name, work: work, sawLast: make(chan struct{}), objects: map[types.NamespacedName]T{}}
}

// OnAdd wants an object that it does not have.
func (v *view[T]) OnAdd(obj T, initial bool) {
	v.handle(obj, func(key types.NamespacedName) {
		v.adds++
		if _, ok := v.objects[key]; ok {
			v.fault("add of %v, which it has", key)
		}
		v.objects[key] = obj
		if key.Name == lastName {
			close(v.sawLast)
		}
	})
}

// OnUpdate wants the very object that it has as the old one, and a later one
// as the new one.
func (v *view[T]) OnUpdate(old, obj T) {
	v.handle(obj, func(key types.NamespacedName) {
		v.updates++
		had, ok := v.objects[key]
		switch {
		case !ok:
			v.fault("update of %v, which it does not have", key)
		case any(had) != any(old):
			v.fault("update of %v: old object is at %s, the handler was given that at %s", key, old.GetResourceVersion(), had.GetResourceVersion())
		case !newer(obj, old):
			v.fault("update of %v from %s to %s", key, old.GetResourceVersion(), obj.GetResourceVersion())
		}
		v.objects[key] = obj
	})
}

// OnDelete wants an object that it has.
func (v *view[T]) OnDelete(last T, finalStateUnknown bool) {
	v.handle(last, func(key types.NamespacedName) {
		v.deletes++
		if finalStateUnknown {
			v.unknown++
		}
		if _, ok := v.objects[key]; !ok {
			v.fault("delete of %v, which it does not have", key)
		}
		delete(v.objects, key)
	})
}

func (v *view[T]) handle(obj T, event func(types.NamespacedName)) {
	if v.work != nil {
		v.work(obj)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.left {
		v.fault("called after it left")
	}
	event(types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()})
}

func (v *view[T]) fault(format string, args ...any) {
	if len(v.faults) < 10 {
		v.faults = append(v.faults, fmt.Sprintf("handler %s: ", v.name)+fmt.Sprintf(format, args...))
	}
}

// newer reports whether a is a later state than b. A cluster's
// resourceVersions are numbers that grow.
func newer[T object](a, b T) bool {
	x, errA := strconv.ParseUint(a.GetResourceVersion(), 10, 64)
	y, errB := strconv.ParseUint(b.GetResourceVersion(), 10, 64)
	return errA == nil && errB == nil && x > y
}

// clientgoView is the view as a handler of client-go.
type clientgoView[T object] struct{ view *view[T] }

func (c clientgoView[T]) OnAdd(obj any, initial bool) { c.view.OnAdd(obj.(T), initial) }

// OnUpdate counts an unchanged object: a relist updates every object for
// handlers of client-go's interface, as client-go's does.
func (c clientgoView[T]) OnUpdate(old, obj any) {
	if obj.(T).GetResourceVersion() != old.(T).GetResourceVersion() {
		c.view.OnUpdate(old.(T), obj.(T))
		return
	}
	c.view.handle(obj.(T), func(key types.NamespacedName) {
		c.view.unchanged++
		c.view.objects[key] = obj.(T)
	})
}

func (c clientgoView[T]) OnDelete(obj any) {
	if unknown, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		c.view.OnDelete(unknown.Obj.(T), true)
		return
	}
	c.view.OnDelete(obj.(T), false)
}
