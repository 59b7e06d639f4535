package controller

import (
	"maps"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
)

// GenerationChanged reports whether the generation of an object has changed: its spec, in
// general, or the beginning of its deletion, and neither its status nor its metadata. It
// does not see that a finalizer was removed. Any field outside of the
// metadata counts for a CRD without the status subresource. It is false for types whose generation the API
// server does not set, such as ConfigMaps.
func GenerationChanged[T metav1.Object](old, obj T) bool {
	return old.GetGeneration() != obj.GetGeneration()
}

// LabelsChanged reports whether the labels have changed.
func LabelsChanged[T metav1.Object](old, obj T) bool {
	return !maps.Equal(old.GetLabels(), obj.GetLabels())
}

// AnnotationsChanged reports whether the annotations have changed. Controllers write some
// of them: FieldChanged is for a single one.
func AnnotationsChanged[T metav1.Object](old, obj T) bool {
	return !maps.Equal(old.GetAnnotations(), obj.GetAnnotations())
}

// DeletionStarted reports whether an object has begun to be deleted, and waits for its
// finalizers. It is for handlers that do so and whose other predicates do not see that.
func DeletionStarted[T metav1.Object](old, obj T) bool {
	return old.GetDeletionTimestamp() == nil && obj.GetDeletionTimestamp() != nil
}

// FieldChanged returns a predicate for what a function returns of an object. Values are
// compared as API objects are, by equality.Semantic: what pointers refer to, nil as an empty
// slice or map, and quantities and times by their value. Values with other unexported fields
// are compared by reflect.DeepEqual.
func FieldChanged[T, V any](field func(obj T) V) func(old, obj T) bool {
	return func(old, obj T) bool {
		return !equal(field(old), field(obj))
	}
}

// semantic is equality.Semantic with the times of package time.
var semantic = func() conversion.Equalities {
	all := equality.Semantic.Copy()
	if err := all.AddFunc(time.Time.Equal); err != nil {
		panic(err)
	}
	return all
}()

// equal reports whether two values are equal, of whatever type.
func equal(a, b any) (is bool) {
	defer func() {
		if recover() != nil { // semantic does not read unexported fields
			is = reflect.DeepEqual(a, b)
		}
	}()
	return semantic.DeepEqual(a, b)
}
