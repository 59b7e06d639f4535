package controller

import (
	"maps"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
)

// GenerationChanged reports whether the generation of an object has changed. In general it changes with the
// spec and when a deletion begins, but not with the status or the metadata, such as when a finalizer is
// removed. For a CRD without the status subresource, it changes with any field outside of the metadata.
// GenerationChanged is false for types whose generation the API server does not set, such as ConfigMaps.
func GenerationChanged[T metav1.Object](old, obj T) bool {
	return old.GetGeneration() != obj.GetGeneration()
}

// LabelsChanged reports whether the labels have changed.
func LabelsChanged[T metav1.Object](old, obj T) bool {
	return !maps.Equal(old.GetLabels(), obj.GetLabels())
}

// AnnotationsChanged reports whether the annotations have changed. Controllers write annotations
// themselves; use FieldChanged to look at a single one.
func AnnotationsChanged[T metav1.Object](old, obj T) bool {
	return !maps.Equal(old.GetAnnotations(), obj.GetAnnotations())
}

// DeletionStarted reports whether the deletion of an object has started, which then waits for its
// finalizers. Use it in a handler that removes a finalizer, if its other predicates do not notice a
// deletion.
func DeletionStarted[T metav1.Object](old, obj T) bool {
	return old.GetDeletionTimestamp() == nil && obj.GetDeletionTimestamp() != nil
}

// FieldChanged returns a predicate that compares the value that field returns for the old and the new
// object. Values are compared as API objects are, by equality.Semantic: pointers by what they refer to, nil
// like an empty slice or map, quantities and times by their value. Values with other unexported fields are
// compared by reflect.DeepEqual.
func FieldChanged[T, V any](field func(obj T) V) func(old, obj T) bool {
	return func(old, obj T) bool {
		return !equal(field(old), field(obj))
	}
}

// semantic is equality.Semantic with time.Time.Equal added.
var semantic = func() conversion.Equalities {
	all := equality.Semantic.Copy()
	if err := all.AddFunc(time.Time.Equal); err != nil {
		panic(err)
	}
	return all
}()

// equal reports whether two values of any type are equal.
func equal(a, b any) (is bool) {
	defer func() {
		if recover() != nil { // semantic does not read unexported fields
			is = reflect.DeepEqual(a, b)
		}
	}()
	return semantic.DeepEqual(a, b)
}
