package controller

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// FilterUpdates returns a handler that is not called for an update unless one of the predicates is
// true. They are not asked, and it is called, if there are none, if the new object is another one of
// the same name, and if the update is one of a resync. It is called for all additions, deletions and
// releases.
//
// The old object of an update may be one with which the handler was not called.
//
// A handler of InBatches would get batches of one, without causes: ask the predicates in its
// function instead.
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

// updateMatters reports whether one of the predicates is true, or need not be asked, as FilterUpdates
// says. A resync has one object as old and new.
func updateMatters[T any](old, obj T, predicates ...func(old, obj T) bool) bool {
	if len(predicates) == 0 || same(old, obj) || recreated(old, obj) {
		return true
	}
	return slices.ContainsFunc(predicates, func(does func(old, obj T) bool) bool { return does(old, obj) })
}

// same reports whether old and obj are one object. Objects that == can't compare are one if their
// content is the same.
func same(old, obj any) bool {
	if !reflect.ValueOf(old).Comparable() {
		return reflect.DeepEqual(old, obj)
	}
	return old == obj
}

// recreated reports whether an object of the same name replaces another one.
func recreated(old, obj any) bool {
	before, err := meta.Accessor(old)
	if err != nil {
		return false
	}
	after, err := meta.Accessor(obj)
	return err == nil && before.GetUID() != after.GetUID()
}
