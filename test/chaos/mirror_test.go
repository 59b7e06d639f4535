package chaos

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// mirror is a handler that replays its events. It notes each event that does not fit the earlier ones,
// which shows lost, doubled, misordered and made-up events.
type mirror struct {
	name string
	// work is what it does before it looks at an event; nil is nothing.
	work func()

	mu      sync.Mutex
	objects map[types.NamespacedName]object
	// versions are the latest, also of what was deleted.
	versions map[types.NamespacedName]uint64
	events   int
	faults   []string
	// left reports whether it is no handler any more, and final whether no event may
	// come after that.
	left, final bool
}

func newMirror(name string, work func()) *mirror {
	return &mirror{name: name, work: work, objects: map[types.NamespacedName]object{}, versions: map[types.NamespacedName]uint64{}}
}

// add wants an object that is not there.
func (m *mirror) add(obj object, initial bool) {
	m.take("add", obj, func(key types.NamespacedName, had object) {
		if had != nil {
			m.fault("add (initial: %v) of %v at %s, which it has at %s", initial, key, obj.GetResourceVersion(), had.GetResourceVersion())
		}
		m.objects[key] = obj
	})
}

// update wants the very object that is there as the old object. The new one must be the same, or have the
// same version or a later one: an event that comes twice may be delivered twice.
func (m *mirror) update(old, obj object) {
	m.take("update", obj, func(key types.NamespacedName, had object) {
		switch {
		case had == nil:
			m.fault("update of %v to %s, which it does not have", key, obj.GetResourceVersion())
		case had != old:
			m.fault("update of %v to %s: old object is at %s, the handler was given that at %s", key, obj.GetResourceVersion(), old.GetResourceVersion(), had.GetResourceVersion())
		case versionOf(obj) < versionOf(old):
			m.fault("update of %v from %s to %s", key, old.GetResourceVersion(), obj.GetResourceVersion())
		}
		m.objects[key] = obj
	})
}

// delete wants an object that is there.
func (m *mirror) delete(last object, finalStateUnknown bool) {
	m.take("delete", last, func(key types.NamespacedName, had object) {
		switch {
		case had == nil:
			m.fault("delete (final state unknown: %v) of %v at %s, which it does not have", finalStateUnknown, key, last.GetResourceVersion())
		case had.GetUID() != last.GetUID():
			m.fault("delete of %v with UID %s, which it has with %s", key, last.GetUID(), had.GetUID())
		}
		delete(m.objects, key)
	})
}

func (m *mirror) take(what string, obj object, event func(key types.NamespacedName, had object)) {
	if m.work != nil {
		m.work()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key, version := keyOf(obj), versionOf(obj)
	if m.left {
		if m.final {
			m.fault("%s of %v after it left", what, key)
		}
		return
	}
	m.events++
	if !genuine(obj) {
		m.fault("%s of %v at %d: nobody wrote that: %v", what, key, version, obj)
	}
	if version < m.versions[key] {
		m.fault("%s of %v goes back from %d to %d", what, key, m.versions[key], version)
	}
	m.versions[key] = version
	event(key, m.objects[key])
}

func (m *mirror) fault(format string, args ...any) {
	if len(m.faults) < 5 {
		m.faults = append(m.faults, fmt.Sprintf("handler %s: ", m.name)+fmt.Sprintf(format, args...))
	}
}

// leave frees what the mirror holds. If it is final no event may come any more.
func (m *mirror) leave(final bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left, m.final = true, final
	m.objects, m.versions = nil, nil
}

// differs returns where the mirror is not what the store holds, down to the
// identity of the objects.
func (m *mirror) differs(store map[types.NamespacedName]object) (differences []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return differ("handler "+m.name, "store", m.objects, store, same)
}

func same(a, b object) bool { return a == b }

// differ names up to five keys whose object differs from the wanted one.
func differ(who, of string, got, want map[types.NamespacedName]object, equal func(got, want object) bool) (differences []string) {
	note := func(format string, args ...any) {
		if len(differences) < 5 {
			differences = append(differences, who+": "+fmt.Sprintf(format, args...))
		}
	}
	for key, w := range want {
		switch g := got[key]; {
		case g == nil:
			note("lacks %v, the %s has it at %s", key, of, w.GetResourceVersion())
		case !equal(g, w):
			note("has %v %s at %s, the %s has %s at %s", key, g.GetUID(), g.GetResourceVersion(), of, w.GetUID(), w.GetResourceVersion())
		}
	}
	for key, g := range got {
		if want[key] == nil {
			note("has %v at %s, the %s has it not", key, g.GetResourceVersion(), of)
		}
	}
	return differences
}

// coreHandler is the mirror as a handler of the core.
type coreHandler[T runtime.Object] struct{ *mirror }

func (h coreHandler[T]) OnAdd(obj T, initial bool) { h.add(any(obj).(object), initial) }
func (h coreHandler[T]) OnUpdate(old, obj T)       { h.update(any(old).(object), any(obj).(object)) }
func (h coreHandler[T]) OnDelete(last T, finalStateUnknown bool) {
	h.delete(any(last).(object), finalStateUnknown)
}

// handle is OnAdd, OnUpdate and OnDelete of a batch.
func (h coreHandler[T]) handle(events []cache.Event[T]) {
	for _, e := range events {
		switch e.Type {
		case watch.Added:
			h.OnAdd(e.Object, e.Initial)
		case watch.Modified:
			h.OnUpdate(e.Old, e.Object)
		case watch.Deleted:
			h.OnDelete(e.Object, e.FinalStateUnknown)
		}
	}
}

// clientgoHandler is the mirror as a handler of client-go.
type clientgoHandler struct{ *mirror }

func (h clientgoHandler) OnAdd(obj any, initial bool) { h.add(obj.(object), initial) }
func (h clientgoHandler) OnUpdate(old, obj any)       { h.update(old.(object), obj.(object)) }
func (h clientgoHandler) OnDelete(obj any) {
	unknown, ok := obj.(toolscache.DeletedFinalStateUnknown)
	if ok {
		obj = unknown.Obj
	}
	h.delete(obj.(object), ok)
}
