package references

import (
	"runtime/debug"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Follow keeps in a set the names that the objects of an informer refer to. An object that appears adds its
// names, and a name is removed with the last object that refers to it. When the registration is removed or
// the informer stops, the names that it has added stay. A set may follow several informers.
//
// names must be quick and must not change the object. If it panics, that is logged, and the set keeps the
// names that the object had before.
func Follow[T any](set *Set, informer *cache.Informer[T], names func(obj T) []types.NamespacedName) (*cache.Registration, error) {
	f := follower[T]{set: set, key: informer.Store().Key, names: names, held: map[types.NamespacedName][]types.NamespacedName{}}
	return informer.AddHandler(cache.InBatches(f.follow), cache.HandlerOptions{Name: "references", Coalesce: true})
}

// By returns a function that takes the names from an index, in the namespace of the object. With the index
// of a marked field, such as factory.CoreIndex(orderlisters.OrderBySecret), these are the names that the
// field refers to. Empty names are left out. If the index fails for an object, there are no names.
func By[T metav1.Object](index cache.Index[T]) func(obj T) []types.NamespacedName {
	return func(obj T) (names []types.NamespacedName) {
		var values []string
		if index.Value != nil {
			values = []string{index.Value(obj)}
		} else if index.Values != nil {
			values, _ = index.Values(obj)
		}
		for _, value := range values {
			if value != "" {
				names = append(names, types.NamespacedName{Namespace: obj.GetNamespace(), Name: value})
			}
		}
		return names
	}
}

// follower keeps the names that each object refers to in a set.
type follower[T any] struct {
	set   *Set
	key   func(T) (types.NamespacedName, error)
	names func(T) []types.NamespacedName

	mu   sync.Mutex
	held map[types.NamespacedName][]types.NamespacedName
}

func (f *follower[T]) follow(events []cache.Event[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var add, remove []types.NamespacedName
	for i := range events {
		e := &events[i]
		key, err := f.key(e.Object)
		if err != nil {
			continue // the store does not have the object
		}
		var names []types.NamespacedName
		if e.Type != watch.Deleted && e.Type != cache.Released {
			if names, err = f.namesOf(e.Object); err != nil {
				klog.Background().Error(err, "References are not followed", "object", key)
				continue
			}
		}
		add, remove = append(add, names...), append(remove, f.held[key]...)
		if f.held[key] = names; len(names) == 0 {
			delete(f.held, key)
		}
	}
	f.set.Change(add, remove)
}

func (f *follower[T]) namesOf(obj T) (names []types.NamespacedName, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &failure.PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return f.names(obj), nil
}
