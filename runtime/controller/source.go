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
	// ownKeys are the keys of the objects themselves.
	ownKeys = "objects"
	// mappedKeys are the keys that a function returns. Functions can't be compared, so two sources with
	// mapped keys are never equal.
	mappedKeys = "mapped keys"
)

// Source maps the events of an informer to keys. KeysOf, OwnersOf, ClusterScopedOwnersOf, MappedKeysOf and
// ReferrersOf make a Source.
//
// Each of them takes predicates, functions that say which updates matter, such as GenerationChanged or a
// function literal. An update is left out if all predicates return false. The predicates are not asked if
// there are none or the update is from a resync. Nor are they asked if the keys of the old and the new
// object differ, or their UIDs.
//
// An object that leaves the informer without being deleted is no event. Its namespace or name is no longer
// in the set that the informer follows, or its hash is no longer in its shard.
//
// Functions of a source must be quick, and must not change the objects. If a function panics, its event is
// left out: the informer logs that, and counts it in its status.
type Source struct {
	informer *cache.Informer[any]
	// keys names the kind of keys that the source has: ownKeys, mappedKeys, or the owners of a kind.
	keys string
	// add adds the handler of a controller to the informer, until ctx ends.
	add func(ctx context.Context, c *Controller, options cache.HandlerOptions) (*cache.Registration, error)
	// err says why the source can't be used. It is nil if it can.
	err error
}

// String names the kind of keys and the informer.
func (s Source) String() string {
	if s.informer == nil {
		return "source without an informer"
	}
	return fmt.Sprintf("%s of informer %q", s.keys, s.informer.Name())
}

// KeysOf returns a source that maps an object to its own key.
func KeysOf[T any](informer *cache.Informer[T], matters ...func(old, obj T) bool) Source {
	return newSource(informer, ownKeys, func(obj T) []types.NamespacedName {
		key, err := informer.Store().Key(obj)
		if err != nil {
			return nil // not one of the store
		}
		return []types.NamespacedName{key}
	}, matters)
}

// OwnersOf returns a source that maps an object to the key of its controller: the owner reference with
// controller set, if it has the given group and kind, in any version. The owner is in the object's
// namespace; see ClusterScopedOwnersOf.
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

// ownerKeys returns the key of an object's controller if it is of the given kind, and nil otherwise.
func ownerKeys(obj any, owner schema.GroupKind, namespaced bool) []types.NamespacedName {
	object, err := meta.Accessor(obj)
	if err != nil {
		return nil // an object without metadata has no owner
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

// MappedKeysOf returns a source that maps an object to the keys that a function returns for it, such as the
// names that the object refers to.
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
		// The object still exists, but the informer does not follow it any more: nothing is reconciled.
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
