package e2e

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// list returns all objects of a resource that the API server has, by their key. apimachinery's converter
// decodes them, and not the code under test.
func list[T object](ctx context.Context, client dynamic.Interface, k kind) (map[types.NamespacedName]T, error) {
	found, err := client.Resource(k.gvr()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	objects := make(map[types.NamespacedName]T, len(found.Items))
	for _, item := range found.Items {
		obj := newObject[T]()
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(item.Object, obj, true); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", item.GetNamespace(), item.GetName(), err)
		}
		objects[types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}] = obj
	}
	return objects, nil
}

// wantObjects compares the objects of a store with the API server's, down to the last field but apiVersion
// and kind.
func wantObjects[T object](t *testing.T, who string, got, want map[types.NamespacedName]T) {
	t.Helper()
	bad := 0
	for key, w := range want {
		g, ok := got[key]
		switch {
		case !ok:
			t.Errorf("%s: lacks %v at %s", who, key, w.GetResourceVersion())
		case g.GetUID() != w.GetUID() || g.GetResourceVersion() != w.GetResourceVersion():
			t.Errorf("%s: has %v at %s, the API server at %s", who, key, g.GetResourceVersion(), w.GetResourceVersion())
		case !apiequality.Semantic.DeepEqual(untyped(g), untyped(w)):
			t.Errorf("%s: %v differs from the API server's (-want +got):\n%s", who, key, cmp.Diff(untyped(w), untyped(g)))
		default:
			continue
		}
		bad++
		if bad == 5 {
			t.Errorf("%s: and so on", who)
			return
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: has %v, the API server does not", who, key)
			return
		}
	}
}

func newObject[T object]() T {
	return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
}

// untyped is a copy without apiVersion and kind.
func untyped[T object](obj T) runtime.Object {
	c := obj.DeepCopyObject()
	c.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return c
}

// contents returns the content of a store.
func contents[T object](store *cache.Store[T]) map[types.NamespacedName]T {
	objects := make(map[types.NamespacedName]T, store.Len())
	for obj := range store.All() {
		objects[types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}] = obj
	}
	return objects
}

// wantIndexes compares every index of the store with a scan of the store, in
// the core and in the compatibility layer.
func wantIndexes[T object](t *testing.T, store *cache.Store[T], indexer toolscache.Indexer) {
	t.Helper()
	indexes := store.Indexes()
	if got, want := len(indexer.GetIndexers()), len(indexes); got != want {
		t.Errorf("the compatibility layer has %d indexes, the store %d", got, want)
	}
	for _, index := range indexes {
		want := map[string][]string{}
		for obj := range store.All() {
			for _, value := range indexValues(t, index, obj) {
				want[value] = append(want[value], obj.GetNamespace()+"/"+obj.GetName())
			}
		}
		values, err := store.IndexValues(index.Name)
		if err != nil {
			t.Error(err)
		}
		if len(values) != len(want) {
			t.Errorf("index %q: has %d values, a scan finds %d", index.Name, len(values), len(want))
		}
		for value, keys := range want {
			typed, err := store.ByIndex(index.Name, value)
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(sorted(keys), sorted(keysOf(typed))); diff != "" {
				t.Errorf("index %q, value %q (-scan +index):\n%s", index.Name, value, diff)
			}
			untyped, err := indexer.ByIndex(index.Name, value)
			if err != nil {
				t.Error(err)
			}
			if got := len(untyped); got != len(keys) {
				t.Errorf("index %q, value %q: the compatibility layer finds %d, a scan %d", index.Name, value, got, len(keys))
			}
		}
	}
}

func indexValues[T object](t *testing.T, index cache.Index[T], obj T) []string {
	t.Helper()
	if index.Value != nil {
		return []string{index.Value(obj)}
	}
	values, err := index.Values(obj)
	if err != nil {
		t.Error(err)
	}
	return values
}

func keysOf[T object](objects []T) []string {
	keys := make([]string, len(objects))
	for i, obj := range objects {
		keys[i] = obj.GetNamespace() + "/" + obj.GetName()
	}
	return keys
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}
