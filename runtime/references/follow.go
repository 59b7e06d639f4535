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

// Follow adds to a set what the objects of an informer refer to, from now on until the
// registration is removed or the informer stops: an object that appears adds its names, and the
// last one that goes takes them away. Names that the registration has added stay when it ends. A
// set may follow several informers.
//
// The function must be quick and not change the object. When it panics, which is logged, the set
// keeps the names that the object had before.
func Follow[T any](set *Set, informer *cache.Informer[T], names func(obj T) []types.NamespacedName) (*cache.Registration, error) {
	f := follower[T]{set: set, key: informer.Store().Key, names: names, held: map[types.NamespacedName][]types.NamespacedName{}}
	return informer.AddHandler(cache.InBatches(f.follow), cache.HandlerOptions{Name: "references", Coalesce: true})
}

// By returns the names in an index: those of the namespace of the object, without empty ones.
// The index of a marked field, say factory.CoreIndex(orderlisters.OrderBySecret), gives those that
// the field refers to. An index that fails for an object gives none.
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

// follower keeps the names of each object in a set.
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
			continue // not one of the store
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
