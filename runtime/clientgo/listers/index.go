package listers

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Index finds objects by values computed from them. Generated code declares one for each marker. ByIndex
// and AllByIndex use it, and factory.CoreIndex converts it to an Index of runtime/cache. It has no methods,
// since each generated package would compile them.
type Index[T any] struct {
	// Name identifies the index in its indexer.
	Name string
	// Value returns the only value by which an object is found. Set exactly one of Value and Values.
	Value func(obj T) string
	// Values returns the values by which an object is found, in any order, possibly none.
	Values func(obj T) []string
}

// Untyped returns the indexes for code that works with objects of any type. The objects must be of type T.
func Untyped[T any](indexes ...Index[T]) []Index[any] {
	untyped := make([]Index[any], len(indexes))
	for i, x := range indexes {
		untyped[i].Name = x.Name
		if x.Value != nil {
			untyped[i].Value = func(obj any) string { return x.Value(obj.(T)) }
		}
		if x.Values != nil {
			untyped[i].Values = func(obj any) []string { return x.Values(obj.(T)) }
		}
	}
	return untyped
}

// ByIndex returns a lister's objects that have a value in an index, in no order. It returns nil if there
// are none. If the indexer has the index, ByIndex looks at the objects with the value, in all namespaces.
// Otherwise it looks at each object.
func ByIndex[T runtime.Object](l ResourceIndexer[T], x Index[T], value string) ([]T, error) {
	if l.typed && l.namespace == "" {
		if found, err := reader.ByIndex[T](l.reader, x.Name, value); err == nil {
			return found, nil
		}
	}
	return collect(l, x, value) // a separate function, since its closure needs memory
}

func collect[T runtime.Object](l ResourceIndexer[T], x Index[T], value string) (ret []T, err error) {
	for obj := range byIndex(l.objects, l.namespace, x.Name, value, matcher(x, value)) {
		t, ok := obj.(T)
		if !ok {
			return nil, typeError[T](obj)
		}
		ret = append(ret, t)
	}
	return ret, nil
}

// AllByIndex iterates over the objects that ByIndex returns when the iteration starts, without a copy.
// Objects of another type in the indexer are left out. It is not inlined, since each method of a generated
// lister would have a copy of the loop.
//
//go:noinline
func AllByIndex[T runtime.Object](l ResourceIndexer[T], x Index[T], value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for obj := range byIndex(l.objects, l.namespace, x.Name, value, matcher(x, value)) {
			if t, ok := obj.(T); ok && !yield(t) {
				return
			}
		}
	}
}

// matcher returns a function that reports whether an object has a value in an index. It is true for an
// object of another type, which the caller handles.
func matcher[T any](x Index[T], value string) func(obj any) bool {
	return func(obj any) bool {
		t, ok := obj.(T)
		switch {
		case !ok:
			return true
		case x.Value != nil:
			return x.Value(t) == value
		}
		return slices.Contains(x.Values(t), value)
	}
}

// byIndex iterates over the objects of a namespace that have a value in the named index. Without such an
// index, it iterates over the objects for which matches is true. It is a function, and so are the functions
// that it calls, since methods of a type that ResourceIndexer embeds would be compiled with each lister.
func byIndex(o *objects, namespace, name, value string, matches func(any) bool) iter.Seq[any] {
	if found, ok := hits(o, name, value); ok {
		return inNamespace(found, namespace)
	}
	return filter(all(o, namespace), matches)
}

// hits returns the objects of all namespaces that have a value in an index. ok is false if the indexer does
// not have the index.
func hits(o *objects, name, value string) (found iter.Seq[any], ok bool) {
	if o.typed {
		found, err := o.reader.AllByIndex(name, value)
		return found, err == nil
	}
	list, err := o.indexer.ByIndex(name, value)
	return slices.Values(list), err == nil
}

// all returns the objects of a namespace, or of all for "".
func all(o *objects, namespace string) iter.Seq[any] {
	if o.typed {
		return o.reader.All(namespace)
	}
	if namespace != "" {
		if found, ok := hits(o, cache.NamespaceIndex, namespace); ok {
			return found
		}
	}
	return inNamespace(slices.Values(o.indexer.List()), namespace)
}

// inNamespace returns the objects of a namespace, or all of them for "".
func inNamespace(objs iter.Seq[any], namespace string) iter.Seq[any] {
	if namespace == "" {
		return objs
	}
	return filter(objs, func(obj any) bool {
		m, err := meta.Accessor(obj)
		return err == nil && m.GetNamespace() == namespace
	})
}

func filter(objs iter.Seq[any], keep func(any) bool) iter.Seq[any] {
	return func(yield func(any) bool) {
		for obj := range objs {
			if keep(obj) && !yield(obj) {
				return
			}
		}
	}
}
