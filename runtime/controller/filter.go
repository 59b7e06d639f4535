package controller

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// FilterUpdates returns a handler that calls handler for an update only if one of the predicates is true.
// It always calls it without asking the predicates if there are none, if the new object has another UID
// than the old one, or if the update is from a resync. It also calls it for all additions, deletions and
// releases.
//
// The handler may not have seen the old object of an update before.
//
// A handler of InBatches would get batches of one, without causes: let its function check the predicates
// instead.
func FilterUpdates[T any](handler cache.Handler[T], matters ...func(old, obj T) bool) cache.Handler[T] {
	return cache.HandlerFuncs[T]{
		Add: handler.OnAdd,
		Update: func(old, obj T) {
			if updateMatters(old, obj, matters...) {
				handler.OnUpdate(old, obj)
			}
		},
		Delete: handler.OnDelete,
		Release: func(last T) {
			if h, ok := handler.(interface{ OnRelease(last T) }); ok {
				h.OnRelease(last)
			}
		},
	}
}

// updateMatters reports whether one of the predicates is true, or need not be asked; see FilterUpdates. In
// a resync the old and the new object are the same.
func updateMatters[T any](old, obj T, predicates ...func(old, obj T) bool) bool {
	if len(predicates) == 0 || same(old, obj) || recreated(old, obj) {
		return true
	}
	return slices.ContainsFunc(predicates, func(does func(old, obj T) bool) bool { return does(old, obj) })
}

// same reports whether old and obj are the same object. Types that == can't compare count as the same
// object if their content is equal.
func same(old, obj any) bool {
	if !reflect.ValueOf(old).Comparable() {
		return reflect.DeepEqual(old, obj)
	}
	return old == obj
}

// recreated reports whether obj has another UID than old, so that it replaces another object of the same
// name.
func recreated(old, obj any) bool {
	before, err := meta.Accessor(old)
	if err != nil {
		return false
	}
	after, err := meta.Accessor(obj)
	return err == nil && before.GetUID() != after.GetUID()
}
