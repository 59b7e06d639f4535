package cache

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Source is where an informer's objects come from, which are of the type T: an Objects with
// the type of what it hands out. That of another type is an error of its own.
type Source[T any] struct{ Objects }

// Objects lists and watches one resource, in one namespace or in all, of one API server.
//
// Every object that it hands out is a fresh allocation of its own that
// the informer owns from then on; keeping one object must not keep the page it
// came with.
type Objects interface {
	// List fetches one page: the one that options.Continue names, at most
	// options.Limit objects long if that is not zero. It calls each for every
	// item in the server's order, before it returns and never concurrently,
	// with either the object or a *failure.ObjectError for an item that could not be
	// decoded. The page's metadata holds its resourceVersion and, if more
	// pages follow, the token to continue with.
	//
	// An error means that the page is incomplete, whatever each has seen. An
	// answer of the API server that is a status is returned as the
	// k8s.io/apimachinery/pkg/api/errors error of that status.
	List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error)

	// Watch opens a stream of watch events. The stream ends when ctx does.
	Watch(ctx context.Context, options metav1.ListOptions) (Watcher, error)

	// Describe returns the description of the source, the same at each call. A source that
	// wraps another returns that of the other one.
	Describe() SourceInfo
}

// Watcher is an open watch. It is used by one goroutine at a time.
type Watcher interface {
	// Next blocks until the next watch event. Its errors are
	//   - io.EOF, when the server has closed the stream normally;
	//   - a *failure.ObjectError, for an event whose object could not be decoded; the
	//     stream goes on and Next may be called again;
	//   - the status that the server sent in an event of type ERROR, as an
	//     error of k8s.io/apimachinery/pkg/api/errors;
	//   - any other, for a stream that broke.
	Next() (WatchEvent, error)

	// Stop closes the stream and frees what it holds. It may be called more
	// than once, also while Next blocks, which then returns an error.
	Stop()
}

// WatchEvent is one event of a watch.
type WatchEvent struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or watch.Bookmark, or Released for an object
	// that the source does not select in this state. The store may have it in an earlier state.
	Type watch.EventType
	// Object is the state after the event, or for watch.Deleted the last one; it is nil in a
	// bookmark, and in a watch.Deleted of a scope of one object whose last state is not known.
	Object any
	// ResourceVersion is that of an event without an object. It is empty in others, whose
	// object has it.
	ResourceVersion string
	// InitialEventsEnd marks the bookmark that closes the initial events of a
	// watch-list (KEP-3157).
	InitialEventsEnd bool
}

// SourceInfo is the description that a source gives of itself. The zero value is a
// source of which nothing is known. It must not change while an informer uses the source.
type SourceInfo struct {
	// Type is the Go type of the objects, for informers that are made without naming it. Nil is
	// the T of the Source.
	Type reflect.Type
	// Resource is listed and watched in Namespace. An empty Namespace is all namespaces, or a
	// resource without. Errors name both.
	Resource  schema.GroupVersionResource
	Namespace string
	// Client sends the requests, and is compared with that of writes; nil if it is not known.
	Client any
	// Selecting has the selectors of all lists and watches.
	Selecting metav1.ListOptions
	// OrderedResourceVersions says that watch events come in the order of their
	// resourceVersions (KEP-5504), as those of API servers do. Only then does the
	// informer drop duplicates, take an older bookmark as the sign that the server's
	// history has restarted, and check whether a silent watch is from a future version.
	OrderedResourceVersions bool
	// NoWatchList says that the source cannot serve a watch-list (KEP-3157), as fake
	// clientsets cannot.
	NoWatchList bool
	// Scopes returns the scopes that the source is made of, and a channel that is closed when
	// they are others; nil for a source that is one. All are namespaces or, if Named, all are
	// single objects. The informer lists and watches each of them by itself, with what In
	// returns, which has objects of the same type, and not this one.
	Scopes func() (scopes []types.NamespacedName, changed <-chan struct{})
	In     func(scope types.NamespacedName) Objects
	Named  bool
	// Want has an object that somebody asks for be one of a Named source for a while; nil if
	// only others say which are.
	Want func(types.NamespacedName)
	// Excludes returns why an object is not among those that the source selects, as of now; nil if
	// it may be one of them. The metadata are nil if only the key is known. Excludes may be nil. The waits
	// for own writes ask it, so that none waits for an object that never comes.
	Excludes func(key types.NamespacedName, metadata metav1.Object) error
	// ByMetadata reports whether a source of one object now reads it when a watch of the metadata
	// of many says that it has changed. It may be nil.
	ByMetadata func() bool
	// DecodedByClient returns why a client decodes the responses that the source would decode
	// faster and in less memory, as of now; "" if none does. It may be nil.
	DecodedByClient func() string
	// Served asks the server, by discovery, whether it serves the resource; nil if that
	// is not possible. A false without an error leads to the deletion of all objects, so
	// that any response but one of Kubernetes itself must be an error.
	Served func(ctx context.Context) (bool, error)
}

// decodedByClient is that of the description of a source.
func decodedByClient(source Objects) string {
	if why := source.Describe().DecodedByClient; why != nil {
		return why()
	}
	return ""
}
