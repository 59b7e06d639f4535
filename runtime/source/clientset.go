package source

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// FromClientset returns the source of one resource that lists and watches with two
// functions, which decode what they request:
//
//	foos := clientset.ShopV1().Foos(namespace)
//	src := source.FromClientset[*v1.Foo](clientset, foos.List, foos.Watch)
//
// [ClientsetObjects] takes less time and memory, since it can tell which client it has. Each item is
// copied out of its list, so that it does not keep the list alive. If client has the method
// IsWatchListSemanticsUnSupported, as fake clientsets have, that decides whether informers request
// a watch-list. client may be nil.
func FromClientset[T, L runtime.Object](
	client any,
	list func(context.Context, metav1.ListOptions) (L, error),
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error),
) cache.Source[T] {
	return cache.Source[T]{Objects: newFuncSource(cache.SourceInfo{Type: reflect.TypeFor[T](), NoWatchList: lacksWatchLists(client)},
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return list(ctx, options)
		}, watch)}
}

// ResourceClient is the part of a client of one resource that informers use. L is the type
// of the lists.
type ResourceClient[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ClientsetObjects returns what lists and watches one resource through the client of a resource
// that a function returns, for objects of type T.
//
// A client that client-gen wrote since 0.31 is asked for its REST client. The source sends its requests
// through that, and decodes the responses while they arrive, as a source of [New] does. Any other client
// decodes the responses itself, lists as a whole: a fake client, an older one, and a client with a method
// List or Watch of its own, which may filter objects or change them. [cache.Status] says why.
//
// The function is called when the source is made, to look at the client, and for each request. As with
// client-go, an informer can be made without a clientset, and its store be filled, as unit tests do: if
// clientset is nil, lists and watches are errors.
func ClientsetObjects[T, L runtime.Object](clientset any, resource schema.GroupVersionResource, namespace string, of func() ResourceClient[L]) cache.Objects {
	return newClientsetSource(
		cache.SourceInfo{Type: reflect.TypeFor[T](), Resource: resource, Namespace: namespace}, clientset, func() any { return of() },
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return of().List(ctx, options)
		},
		func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return of().Watch(ctx, options)
		})
}

// newClientsetSource names no type of objects, so that it is compiled here alone.
func newClientsetSource(about cache.SourceInfo, clientset any, of func() any, list listFunc, open watchFunc) cache.Objects {
	if clientset == nil {
		return newFuncSource(about,
			func(context.Context, metav1.ListOptions) (runtime.Object, error) { return nil, errNoClient },
			func(context.Context, metav1.ListOptions) (watch.Interface, error) { return nil, errNoClient })
	}
	about.NoWatchList = lacksWatchLists(clientset)
	src := newFuncSource(about, list, open)
	if about.NoWatchList { // a fake one
		return src
	}
	switch typed, err := newTypedSource(about, of); {
	case err == nil:
		return typed
	case isDynamic(of):
		return &askedSource{funcSource: src, objects: about.Type}
	default:
		src.leave(err)
		return src
	}
}

// errNoClient is the error of requests of informers that were made without a client.
var errNoClient = errors.New("client or clientset: is nil; pass one to the factory or the constructor of the informer")

type (
	listFunc  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watchFunc func(context.Context, metav1.ListOptions) (watch.Interface, error)
)

// funcSource lists and watches through functions that return whole lists and
// client-go watches.
type funcSource struct {
	described
	list  listFunc
	watch watchFunc
	check func(runtime.Object) error // of an object that was watched; nil: none
	// requested is the group and version of the objects, as far as it is known, and kinds are theirs.
	requested schema.GroupVersion
	kinds     kinds
	// left is why the client decodes responses that the source would decode faster; nil if there is
	// no such reason. said reports whether the log has it.
	left atomic.Pointer[string]
	said atomic.Bool
}

func newFuncSource(about cache.SourceInfo, list listFunc, watch watchFunc) *funcSource {
	return &funcSource{described: described{about}, list: list, watch: watch, requested: about.Resource.GroupVersion()}
}

// leave notes why the client decodes the responses.
func (s *funcSource) leave(err error) {
	if reason := err.Error(); !errors.Is(err, errClientsType) {
		s.left.Store(&reason)
	}
}

// Describe says besides why the client decodes the responses.
func (s *funcSource) Describe() cache.SourceInfo {
	info := s.info
	info.DecodedByClient = func() string { return ptr.Deref(s.left.Load(), "") }
	return info
}

// say logs once why the client decodes the responses.
func (s *funcSource) say(ctx context.Context) {
	if reason := s.left.Load(); reason != nil && !s.said.Swap(true) {
		klog.FromContext(ctx).Info("Lists and watches are decoded by the client that requests them", "reason", *reason)
	}
}

func (s *funcSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	list, err := s.list(ctx, options)
	s.say(ctx) // after the request, which may have named the informer
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
	s.say(ctx)
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
