// Package listers is the compatibility layer for k8s.io/client-go/listers, over the
// typed stores of runtime/cache. Generated listers embed its types.
//
// A lister over the indexer of one of this module's typed informers reads the typed store below it. A list
// is one allocation and one copy of pointers, and a get needs no allocation. Over any other client-go
// Indexer it works as client-go's listers do. New determines once which of the two applies.
//
// Objects are shared with the store and all its readers: they must not be mutated. Slices belong to the
// caller. Listers are values. They are cheap to copy, and safe for concurrent use.
package listers

import (
	"fmt"
	"iter"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Lister lists the objects of a resource. Generated listers embed it.
type Lister[T any] interface {
	// List returns the objects that match the selector. They are shared: treat them as read-only.
	List(selector labels.Selector) (ret []T, err error)
}

// Reader lists and gets the objects of one namespace, or of a resource without
// namespaces. Generated listers embed it.
type Reader[T any] interface {
	Lister[T]
	// Get returns the object with a name, or a NotFound error. The object is shared: treat it as read-only.
	Get(name string) (T, error)
}

// ResourceIndexer lists and gets the objects of one resource, in one namespace
// or in all. Generated listers embed it.
type ResourceIndexer[T runtime.Object] struct {
	*objects
	namespace string // empty for all namespaces, and for cluster-scoped resources
}

// objects reads the objects of one resource. The listers of all of its namespaces share it, so that a
// lister is small.
type objects struct {
	indexer cache.Indexer
	// reader reads the store of the indexer. typed reports whether the store's objects are of the lister's
	// type.
	reader   reader.Reader
	typed    bool
	resource schema.GroupResource
}

// New returns a lister over an indexer. Errors name the resource.
func New[T runtime.Object](indexer cache.Indexer, resource schema.GroupResource) ResourceIndexer[T] {
	return ResourceIndexer[T]{objects: newObjects(indexer, resource, reflect.TypeFor[T]())}
}

func newObjects(indexer cache.Indexer, resource schema.GroupResource, of reflect.Type) *objects {
	all := &objects{indexer: indexer, resource: resource}
	if x, ok := indexer.(reader.Provider); ok {
		all.reader, ok = x.CoreReader()
		all.typed = ok && all.reader.ObjectType() == of
	}
	return all
}

// NewNamespaced returns the lister of one namespace.
func NewNamespaced[T runtime.Object](parent ResourceIndexer[T], namespace string) ResourceIndexer[T] {
	parent.namespace = namespace
	return parent
}

// List returns the objects that match the selector, in no order. It returns nil if there are none.
func (l ResourceIndexer[T]) List(selector labels.Selector) ([]T, error) {
	switch {
	case labels.MatchesNothing(selector):
		return nil, nil
	case !l.typed:
		return l.listUntyped(selector)
	case selector.Empty():
		if all := reader.List[T](l.reader, l.namespace); len(all) > 0 {
			return all, nil
		}
		return nil, nil
	default:
		return match[T](l.reader.All(l.namespace), selector)
	}
}

func match[T any](objs iter.Seq[any], selector labels.Selector) (ret []T, err error) {
	for obj := range objs {
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, err
		}
		if selector.Matches(labels.Set(m.GetLabels())) {
			if t, ok := obj.(T); ok {
				ret = append(ret, t)
			}
		}
	}
	return ret, nil
}

func (l ResourceIndexer[T]) listUntyped(selector labels.Selector) (ret []T, err error) {
	listErr := cache.ListAllByNamespace(l.indexer, l.namespace, selector, func(obj any) {
		t, ok := obj.(T)
		if !ok {
			err = typeError[T](obj)
			return
		}
		ret = append(ret, t)
	})
	if listErr != nil {
		err = listErr
	}
	return ret, err
}

// Get returns the object with a name, or a NotFound error of the resource. A lister without a namespace
// also takes "namespace/name".
func (l ResourceIndexer[T]) Get(name string) (T, error) {
	if !l.typed || l.namespace == "" && strings.Contains(name, "/") {
		return l.getUntyped(name)
	}
	if obj, ok := reader.Get[T](l.reader, types.NamespacedName{Namespace: l.namespace, Name: name}); ok {
		return obj, nil
	}
	return l.getUntyped(name) // it knows why the store does not have the object
}

func (l ResourceIndexer[T]) getUntyped(name string) (T, error) {
	key := name
	if l.namespace != "" {
		key = l.namespace + "/" + name
	}
	obj, exists, err := l.indexer.GetByKey(key)
	if err != nil {
		return *new(T), err
	}
	if !exists {
		return *new(T), errors.NewNotFound(l.resource, name)
	}
	t, ok := obj.(T)
	if !ok {
		return t, typeError[T](obj)
	}
	return t, nil
}

func typeError[T any](obj any) error {
	return fmt.Errorf("object of type %T in the indexer: not a %v", obj, reflect.TypeFor[T]())
}
