package cache

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Source is the source of an informer's objects, which are of the type T: an Objects together with their
// type. An object of another type is an object error.
type Source[T any] struct{ Objects }

// Objects lists and watches one resource, in one namespace or in all, of one API server.
//
// Every object that it delivers is a fresh allocation, which the informer owns from then on. Keeping one
// object must not keep its page in memory.
type Objects interface {
	// List fetches one page: the page that options.Continue names, of at most options.Limit objects if that
	// is not zero. It calls each for every item in the server's order, before it returns and never
	// concurrently. each gets either the object or a *failure.ObjectError for an item that could not be
	// decoded. The metadata of the page have its resourceVersion and, if more pages follow, the token to
	// continue with.
	//
	// An error means that the page is incomplete, whatever objects were delivered. If the API server
	// responds with a status, List returns the error of that status in k8s.io/apimachinery/pkg/api/errors.
	List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error)

	// Watch opens a stream of watch events. The stream ends when ctx does.
	Watch(ctx context.Context, options metav1.ListOptions) (Watcher, error)

	// Describe returns the description of the source, the same at each call. A source that wraps another
	// one returns the other's description.
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

	// Stop closes the stream and frees its resources. It may be called more than once, also while Next
	// blocks, which then returns an error.
	Stop()
}

// WatchEvent is one event of a watch.
type WatchEvent struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or watch.Bookmark. It is Released for an object
	// that the source does not select in this state. The store may have an earlier state of the object.
	Type watch.EventType
	// Object is the state after the event, or the last state for watch.Deleted. It is nil in a bookmark,
	// and in a watch.Deleted of a scope of one object whose last state is not known.
	Object any
	// ResourceVersion is the version of an event without an object. It is empty if the event has an object.
	ResourceVersion string
	// InitialEventsEnd marks the bookmark that closes the initial events of a
	// watch-list (KEP-3157).
	InitialEventsEnd bool
}

// SourceInfo is a source's description of itself. The zero value describes nothing. It must not change
// while an informer uses the source.
type SourceInfo struct {
	// Type is the Go type of the objects, for informers that are made without naming it. Nil means the T of
	// the Source.
	Type reflect.Type
	// Resource is listed and watched in Namespace. An empty Namespace means all namespaces, or a resource
	// without namespaces. Errors name both.
	Resource  schema.GroupVersionResource
	Namespace string
	// Client sends the requests. It is compared with the client of a write. It is nil if it is not known.
	Client any
	// Selecting holds the selectors of all lists and watches.
	Selecting metav1.ListOptions
	// OrderedResourceVersions says that watch events come in the order of their resourceVersions
	// (KEP-5504), as from API servers. Only then does the informer drop duplicates, take an older bookmark
	// as the sign that the server's history has restarted, and check whether a silent watch is from a
	// future version.
	OrderedResourceVersions bool
	// NoWatchList says that the source cannot serve a watch-list (KEP-3157). Fake clientsets cannot.
	NoWatchList bool
	// Scopes returns the scopes that the source is made of, and a channel that is closed when they change.
	// It is nil for a source without scopes. All scopes are namespaces or, if Named is set, all are single
	// objects. The informer lists and watches the source of each scope, which In returns, in place of this
	// source. All of these sources have objects of the same type.
	Scopes func() (scopes []types.NamespacedName, changed <-chan struct{})
	In     func(scope types.NamespacedName) Objects
	Named  bool
	// Want adds an object to the followed scopes of a Named source for a while. It is nil if reads add
	// nothing.
	Want func(types.NamespacedName)
	// Excludes returns an error that says why the source does not select an object at present. It returns
	// nil if it may select the object. metadata is nil if only the key is known. Excludes may be nil. A
	// wait for an own write asks it, so that it does not wait for an object that never comes.
	Excludes func(key types.NamespacedName, metadata metav1.Object) error
	// ByMetadata reports whether a source of one object reads it when a shared watch of metadata reports a
	// change, instead of watching it. It may be nil.
	ByMetadata func() bool
	// DecodedByClient returns why the client currently decodes the responses, although the source would
	// decode them faster and in less memory. It returns "" if the source decodes them. It may be nil.
	DecodedByClient func() string
	// Served asks the server's discovery whether it serves the resource. It is nil if that is not possible.
	// If it returns false without an error, all objects may be deleted. So it must return an error for any
	// response that does not come from Kubernetes itself.
	Served func(ctx context.Context) (bool, error)
}

// decodedByClient calls the source's SourceInfo.DecodedByClient, if there is one.
func decodedByClient(source Objects) string {
	if why := source.Describe().DecodedByClient; why != nil {
		return why()
	}
	return ""
}
