package listers

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Index finds objects by values computed from them. Generated code declares one for each
// marker; ByIndex and AllByIndex read it, and factory.CoreIndex converts it to an Index of
// runtime/cache. It has no methods, which each generated package would compile.
type Index[T any] struct {
	// Name identifies the index in its indexer.
	Name string
	// Value returns the one value by which an object is found. Exactly one of Value and
	// Values is set.
	Value func(obj T) string
	// Values returns the values by which an object is found, in any order and possibly
	// none.
	Values func(obj T) []string
}

// Untyped returns the indexes for code that works with objects of any type. What they are
// given must be of the type T.
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

// ByIndex returns the objects of a lister that have that value in an index, in no order;
// nil if there are none. Over an indexer without an index of that name it looks at each
// object; over one that has the index, it looks at those that have the value, in all
// namespaces.
func ByIndex[T runtime.Object](l ResourceIndexer[T], x Index[T], value string) ([]T, error) {
	if l.typed && l.namespace == "" {
		if found, err := reader.ByIndex[T](l.reader, x.Name, value); err == nil {
			return found, nil
		}
	}
	return collect(l, x, value) // apart, since its closure needs memory
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

// AllByIndex iterates over the objects that ByIndex returns when the iteration starts,
// without a copy. Objects of another type in the indexer are left out. It is not inlined,
// or each method of a generated lister would have a copy of the loop.
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

// matcher reports whether an object has a value in an index. The lister judges
// those of other types.
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

// byIndex and what it calls are functions: methods of what ResourceIndexer embeds would be
// compiled with each lister. It iterates over the objects of a namespace that have a value in
// the index of a name, or without such an index over those that match.
func byIndex(o *objects, namespace, name, value string, matches func(any) bool) iter.Seq[any] {
	if found, ok := hits(o, name, value); ok {
		return inNamespace(found, namespace)
	}
	return filter(all(o, namespace), matches)
}

// hits returns the objects of all namespaces that have a value in an index, if the indexer
// has it.
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

// inNamespace returns the objects of a namespace, or for "" what it is given.
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
