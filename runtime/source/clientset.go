package source

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/watchlist"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// FromClientset returns the source of one resource that lists and watches with the
// methods of a clientset:
//
//	foos := clientset.ShopV1().Foos(namespace)
//	src := source.FromClientset[*v1.Foo](clientset, foos.List, foos.Watch)
//
// Each item is copied out of its list, so that it does not keep the list alive. If client has
// the method IsWatchListSemanticsUnSupported, as fake clientsets have, it
// decides whether informers request a watch-list. client may be nil.
func FromClientset[T, L runtime.Object](
	client any,
	list func(context.Context, metav1.ListOptions) (L, error),
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error),
) cache.Source[T] {
	return &funcSource[T]{
		facts: facts{noWatchList: watchlist.DoesClientNotSupportWatchListSemantics(client)},
		list: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return list(ctx, options)
		},
		watch: watch,
	}
}

// funcSource lists and watches through functions that return whole lists and
// client-go watches.
type funcSource[T runtime.Object] struct {
	facts
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	check func(runtime.Object) error // of an object that was watched; nil: none
}

func (s *funcSource[T]) List(ctx context.Context, options metav1.ListOptions, each func(T, error)) (metav1.ListMeta, error) {
	list, err := s.list(ctx, options)
	if err != nil {
		return metav1.ListMeta{}, err
	}
	if isNil(list) {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: is nil", ErrNotAList))
	}
	if err := tableError(list); err != nil {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: %w", ErrNotAList, err))
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: %T: %w", ErrNotAList, list, err))
	}
	err = meta.EachListItemWithAlloc(list, func(item runtime.Object) error {
		each(typedObject[T](item))
		return nil
	})
	if err != nil {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: %T: %w", ErrNotAList, list, err))
	}
	return listMeta(accessor), nil
}

func (s *funcSource[T]) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher[T], error) {
	inner, err := s.watch(ctx, options)
	if err != nil {
		return nil, err
	}
	if inner == nil {
		return nil, fmt.Errorf("watch: is nil")
	}
	return newEventWatcher[T](ctx, inner, s.check), nil
}

// typedObject is obj as a T, or a *cache.ObjectError.
func typedObject[T runtime.Object](obj runtime.Object) (T, error) {
	typed, ok := obj.(T)
	if !ok || isNil(obj) {
		var zero T
		return zero, &cache.ObjectError{
			Object: nameOf(obj),
			Err:    fmt.Errorf("is a %T, not a %s", obj, reflect.TypeFor[T]()),
		}
	}
	return typed, nil
}

func isNil(obj runtime.Object) bool {
	if obj == nil {
		return true
	}
	v := reflect.ValueOf(obj)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// tableError refuses an unstructured object that is a Table.
func tableError(obj runtime.Object) error {
	if _, ok := obj.(runtime.Unstructured); !ok {
		return nil
	}
	if gvk := obj.GetObjectKind().GroupVersionKind(); gvk.GroupKind() == (schema.GroupKind{Group: "meta.k8s.io", Kind: "Table"}) {
		return ErrTable
	}
	return nil
}
