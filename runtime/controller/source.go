package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

const (
	// ownKeys are those of the objects themselves.
	ownKeys = "objects"
	// mappedKeys are those of a function, which can't be compared: sources with them are never
	// the same.
	mappedKeys = "mapped keys"
)

// Source maps the events of an informer to keys. KeysOf, OwnersOf, ClusterScopedOwnersOf
// and MappedKeysOf make one.
//
// Each takes predicates, functions that say which updates matter, such as GenerationChanged or a
// literal: an update is left out unless one of them returns true. They are not asked if there are
// none, if the keys of the old and the new object differ, if the new object is another one of the
// same name, and if the update is one of a resync.
//
// An object that the informer loses though it may well exist is no event: its namespace or
// name is no longer one of those that the informer follows, or its hash not one of its shard.
//
// Functions of a source must be quick, and not change the objects. An event for which one of
// them panics is left out: the informer logs that, and counts it in its status.
type Source struct {
	informer *cache.Informer[any]
	// keys says which keys of the informer's objects the source has.
	keys string
	// add adds the handler of a controller to the informer, until ctx ends.
	add func(ctx context.Context, c *Controller, options cache.HandlerOptions) (*cache.Registration, error)
	// err is why the source can't be used.
	err error
}

// String returns the keys and the informer.
func (s Source) String() string {
	if s.informer == nil {
		return "source without an informer"
	}
	return fmt.Sprintf("%s of informer %q", s.keys, s.informer.Name())
}

// KeysOf returns the source of the keys of the objects themselves.
func KeysOf[T any](informer *cache.Informer[T], matters ...func(old, obj T) bool) Source {
	return newSource(informer, ownKeys, func(obj T) []types.NamespacedName {
		key, err := informer.Store().Key(obj)
		if err != nil {
			return nil // not one of the store
		}
		return []types.NamespacedName{key}
	}, matters)
}

// OwnersOf returns the source of the keys of the controllers of the objects: of the owner
// reference with controller set, if it is of that group and kind, in any version. The
// owner is in the namespace of the object; see ClusterScopedOwnersOf.
func OwnersOf[T any](informer *cache.Informer[T], owner schema.GroupKind, matters ...func(old, obj T) bool) Source {
	return ownersOf(informer, owner, true, matters)
}

// ClusterScopedOwnersOf is OwnersOf for owners without a namespace.
func ClusterScopedOwnersOf[T any](informer *cache.Informer[T], owner schema.GroupKind, matters ...func(old, obj T) bool) Source {
	return ownersOf(informer, owner, false, matters)
}

func ownersOf[T any](informer *cache.Informer[T], owner schema.GroupKind, namespaced bool, matters []func(old, obj T) bool) Source {
	s := newSource(informer, "owners "+owner.String(), func(obj T) []types.NamespacedName {
		return ownerKeys(obj, owner, namespaced)
	}, matters)
	if owner.Kind == "" {
		s.err = errors.Join(s.err, errors.New("owner has no kind; use schema.GroupKind{Group: …, Kind: …}"))
	}
	return s
}

// ownerKeys returns the key of the controller of an object, if it is of that kind.
func ownerKeys(obj any, owner schema.GroupKind, namespaced bool) []types.NamespacedName {
	object, err := meta.Accessor(obj)
	if err != nil {
		return nil // nothing without metadata has an owner
	}
	ref := metav1.GetControllerOfNoCopy(object)
	if ref == nil || ref.Kind != owner.Kind {
		return nil
	}
	if version, err := schema.ParseGroupVersion(ref.APIVersion); err != nil || version.Group != owner.Group {
		return nil
	}
	key := types.NamespacedName{Name: ref.Name}
	if namespaced {
		key.Namespace = object.GetNamespace()
	}
	return []types.NamespacedName{key}
}

// MappedKeysOf returns the source of the keys that a function returns for the objects,
// such as those to which an object refers.
func MappedKeysOf[T any](informer *cache.Informer[T], keys func(obj T) []types.NamespacedName, matters ...func(old, obj T) bool) Source {
	s := newSource(informer, mappedKeys, keys, matters)
	if keys == nil {
		s.err = errors.Join(s.err, errors.New("function that maps to keys is nil"))
	}
	return s
}

func newSource[T any](informer *cache.Informer[T], of string, keys func(T) []types.NamespacedName, matters []func(old, obj T) bool) Source {
	s := Source{informer: informer.Untyped(), keys: of}
	if informer == nil {
		s.err = errors.New("informer is nil, as factory.Core returns for one that is not of this module")
	}
	if i := slices.IndexFunc(matters, func(f func(old, obj T) bool) bool { return f == nil }); i >= 0 {
		s.err = errors.Join(s.err, fmt.Errorf("function %d that says which updates matter is nil", i+1))
	}
	// The handler does not coalesce: a merged update would leave out owners in between.
	s.add = func(ctx context.Context, c *Controller, options cache.HandlerOptions) (*cache.Registration, error) {
		var why cause.Cause
		options.Cause = &why
		// The object is there, but not the controller's any more: nothing is reconciled.
		release := func(last T) {
			if of == ownKeys {
				c.recorder.forget(keys(last))
			}
		}
		return informer.AddHandlerContext(ctx, cache.HandlerFuncs[T]{
			Add: func(obj T, _ bool) { c.enqueue(why.Kind, keys(obj)) },
			Update: func(old, obj T) {
				before, after := keys(old), keys(obj)
				if !slices.Equal(before, after) || updateMatters(old, obj, matters...) {
					c.enqueue(why.Kind, before)
					c.enqueue(why.Kind, after)
				}
			},
			Delete: func(last T, _ bool) {
				if why.Kind == cause.NamespaceLeft {
					release(last)
					return
				}
				c.enqueue(why.Kind, keys(last))
			},
			Release: release,
		}, options)
	}
	return s
}
