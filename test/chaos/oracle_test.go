package chaos

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// disagreements compares with what the API server lists, decoded by
// apimachinery and not by the code under test.
func (f *follower[T]) disagreements(served []unstructured.Unstructured) (differences []string) {
	want := map[types.NamespacedName]object{}
	for i := range served {
		if f.namespace != "" && served[i].GetNamespace() != f.namespace {
			continue
		}
		obj, err := decode[T](&served[i])
		if err != nil {
			return []string{err.Error()}
		}
		want[keyOf(obj)] = obj
	}
	store := f.contents()
	differences = differ(f.name+": store", "server", store, want, func(got, want object) bool {
		return apiequality.Semantic.DeepEqual(bare(got), bare(want))
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.members {
		switch err := m.removed(); {
		case errors.Is(err, failure.ErrBacklogFull):
		case err != nil:
			differences = append(differences, err.Error())
		default:
			differences = append(differences, m.differs(store)...)
		}
	}
	return append(differences, f.misindexed()...)
}

// decode is obj as a T, which may be runtime.Object.
func decode[T runtime.Object](obj *unstructured.Unstructured) (object, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Interface {
		return obj, nil
	}
	typed := reflect.New(t.Elem()).Interface().(object)
	return typed, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, typed, true)
}

// bare is a copy without apiVersion and kind.
func bare(obj object) runtime.Object {
	c := obj.DeepCopyObject()
	c.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return c
}

// misindexed compares every index with a scan.
func (f *follower[T]) misindexed() (differences []string) {
	store := f.core.Store()
	for _, index := range store.Indexes() {
		who := fmt.Sprintf("%s: %s", f.name, index.Name)
		want, err := scan(store, index)
		if err != nil {
			return append(differences, fmt.Sprintf("%s: %v", who, err))
		}
		if values, err := store.IndexValues(index.Name); err != nil || len(values) != len(want) {
			differences = append(differences, fmt.Sprintf("%s: %d values, a scan finds %d: %v", who, len(values), len(want), err))
		}
		for value, objects := range want {
			found, err := store.ByIndex(index.Name, value)
			if err != nil {
				differences = append(differences, fmt.Sprintf("%s: %v", who, err))
			}
			differences = append(differences, differ(who+"="+value, "scan", byKey(slices.Values(found)), byKey(slices.Values(objects)), same)...)
		}
	}
	return differences
}

// scan computes an index from all objects.
func scan[T runtime.Object](store *cache.Store[T], index cache.Index[T]) (map[string][]T, error) {
	found := map[string][]T{}
	for obj := range store.All() {
		values, err := []string(nil), error(nil)
		if index.Value != nil {
			values = []string{index.Value(obj)}
		} else if values, err = index.Values(obj); err != nil {
			return nil, err
		}
		for _, value := range values {
			found[value] = append(found[value], obj)
		}
	}
	return found, nil
}

func byKey[T runtime.Object](objects iter.Seq[T]) map[types.NamespacedName]object {
	keyed := map[types.NamespacedName]object{}
	for obj := range objects {
		obj := any(obj).(object)
		keyed[keyOf(obj)] = obj
	}
	return keyed
}
