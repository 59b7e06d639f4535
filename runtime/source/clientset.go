package source

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// FromClientset returns the source of one resource that lists and watches with the
// methods of a clientset:
//
//	foos := clientset.ShopV1().Foos(namespace)
//	src := source.FromClientset[*v1.Foo](clientset, foos.List, foos.Watch)
//
// Each item is copied out of its list, so that it does not keep the list alive. If client
// has the method IsWatchListSemanticsUnSupported, as fake clientsets have, that decides
// whether informers request a watch-list. client may be nil. The clientset decodes what it
// requests, lists as a whole, unless it has the configuration of a [Streaming].
func FromClientset[T, L runtime.Object](
	client any,
	list func(context.Context, metav1.ListOptions) (L, error),
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error),
) cache.Source[T] {
	return cache.Source[T]{Objects: newClientset(cache.SourceInfo{Type: reflect.TypeFor[T]()}, client,
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return list(ctx, options)
		}, watch)}
}

// newClientset names no type of objects, so that it is compiled here alone.
func newClientset(
	about cache.SourceInfo, client any,
	list func(context.Context, metav1.ListOptions) (runtime.Object, error),
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error),
) cache.Objects {
	about.NoWatchList = lacksWatchLists(client)
	return streamed(&funcSource{described: described{about}, list: list, watch: watch, requested: about.Resource.GroupVersion()}, nil, about.Type)
}

// ResourceClient is the part of a client of one resource that informers use. L is the type
// of the lists.
type ResourceClient[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ClientsetObjects is FromClientset for the client of a resource that a function returns,
// which is called for each request and not before: as with client-go, an informer can be
// made without a client, and its store be filled, as unit tests do. Its lists and watches are
// errors if client is nil. The objects are Ts.
//
// It is not inlined, so that checkPassthrough knows its functions by their names.
//
//go:noinline
func ClientsetObjects[T, L runtime.Object](client any, resource schema.GroupVersionResource, namespace string, of func() ResourceClient[L]) cache.Objects {
	return newResource(reflect.TypeFor[T](), client, resource, namespace,
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return of().List(ctx, options)
		},
		func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return of().Watch(ctx, options)
		})
}

func newResource(
	objects reflect.Type, client any, resource schema.GroupVersionResource, namespace string,
	list func(context.Context, metav1.ListOptions) (runtime.Object, error),
	open func(context.Context, metav1.ListOptions) (watch.Interface, error),
) cache.Objects {
	if client == nil {
		list = func(context.Context, metav1.ListOptions) (runtime.Object, error) { return nil, errNoClient }
		open = func(context.Context, metav1.ListOptions) (watch.Interface, error) { return nil, errNoClient }
	}
	return newClientset(cache.SourceInfo{Type: objects, Resource: resource, Namespace: namespace}, client, list, open)
}

// errNoClient is the error of requests of informers that were made without a client.
var errNoClient = errors.New("client or clientset: is nil; pass one to the factory or the constructor of the informer")

// funcSource lists and watches through functions that return whole lists and
// client-go watches.
type funcSource struct {
	described
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	check func(runtime.Object) error // of an object that was watched; nil: none
	// requested is the group and version of the objects, as far as it is known, and kinds are theirs.
	requested schema.GroupVersion
	kinds     kinds
}

func (s *funcSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	list, err := s.list(ctx, options)
	if err != nil {
		return metav1.ListMeta{}, err
	}
	return s.each(ctx, list, each)
}

// each calls a function for the objects of a list.
func (s *funcSource) each(ctx context.Context, list runtime.Object, each func(any, error)) (metav1.ListMeta, error) {
	if nothing.Is(list) {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: is nil", errNotAList))
	}
	if status := statusIn(list); status != nil {
		return metav1.ListMeta{}, undecodable(statusOfList(status))
	}
	if err := kindError(list); err != nil {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: %w", errNotAList, err))
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: %T: %w", errNotAList, list, err))
	}
	_, says := list.(runtime.Unstructured)
	var said arrived
	err = meta.EachListItemWithAlloc(list, func(item runtime.Object) error {
		said.count++
		switch {
		case nothing.Is(item):
			each(nil, &failure.ObjectError{Err: errNoObject})
			return nil
		case says:
			said.sawItem(item.GetObjectKind().GroupVersionKind(), s.requested)
		}
		each(item, nil)
		return nil
	})
	if err != nil {
		return metav1.ListMeta{}, undecodable(fmt.Errorf("%w: %T: %w", errNotAList, list, err))
	}
	l := decoding.List{Items: said.count}
	if says {
		l.Own.APIVersion, l.Own.Kind = list.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
		l.Item, l.Requested = said.item, s.requested.String()
	} else {
		// Clients check the kind of a typed list and clear it. If the response is of another kind that
		// they know, they return an empty list without a resourceVersion.
		l.Checked = !reflect.Indirect(reflect.ValueOf(list)).IsZero()
	}
	if err := s.kinds.judge(decoding.From(ctx), l); err != nil {
		return metav1.ListMeta{}, undecodable(err)
	}
	return listMeta(accessor), nil
}

func (s *funcSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	inner, err := s.watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return s.watcher(ctx, inner)
}

// watcher returns a watcher of a client-go watch.
func (s *funcSource) watcher(ctx context.Context, inner watch.Interface) (cache.Watcher, error) {
	if inner == nil {
		return nil, errors.New("watch: is nil")
	}
	return newEventWatcher(ctx, inner, s.check), nil
}

// kindError refuses an unstructured object of a kind that is of no resource.
func kindError(obj runtime.Object) error {
	if _, ok := obj.(runtime.Unstructured); !ok {
		return nil
	}
	return checkKind(obj.GetObjectKind().GroupVersionKind())
}

// statusIn returns the Status that came in place of a list, or nil.
func statusIn(list runtime.Object) *metav1.Status {
	if status, ok := list.(*metav1.Status); ok {
		return status
	}
	u, ok := list.(runtime.Unstructured)
	if !ok || list.GetObjectKind().GroupVersionKind() != statusKind {
		return nil
	}
	status := &metav1.Status{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.UnstructuredContent(), status); err != nil {
		return nil
	}
	return status
}
