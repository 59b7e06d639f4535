package cache

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Source is where an informer's objects come from: one resource, in one
// namespace or in all, of one API server.
//
// Every object that a source hands out is a fresh allocation of its own that
// the informer owns from then on; keeping one object must not keep the page it
// came with.
type Source[T any] interface {
	// List fetches one page: the one that options.Continue names, at most
	// options.Limit objects long if that is not zero. It calls each for every
	// item in the server's order, before it returns and never concurrently,
	// with either the object or a *ObjectError for an item that could not be
	// decoded. The page's metadata holds its resourceVersion and, if more
	// pages follow, the token to continue with.
	//
	// An error means that the page is incomplete, whatever each has seen. An
	// answer of the API server that is a status is returned as the
	// k8s.io/apimachinery/pkg/api/errors error of that status.
	List(ctx context.Context, options metav1.ListOptions, each func(T, error)) (metav1.ListMeta, error)

	// Watch opens a stream of frames. The stream ends when ctx does.
	Watch(ctx context.Context, options metav1.ListOptions) (Watcher[T], error)
}

// Watcher is an open watch. It is used by one goroutine at a time.
type Watcher[T any] interface {
	// Next blocks for the next frame. Its errors are
	//   - io.EOF, when the server has closed the stream in good order;
	//   - a *ObjectError, for a frame whose object could not be decoded; the
	//     stream goes on and Next may be called again;
	//   - the status that the server sent in a frame of type ERROR, as an
	//     error of k8s.io/apimachinery/pkg/api/errors;
	//   - any other, for a stream that broke.
	Next() (Frame[T], error)

	// Stop closes the stream and frees what it holds. It may be called more
	// than once, also while Next blocks, which then returns an error.
	Stop()
}

// Frame is one event of a watch.
type Frame[T any] struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or watch.Bookmark.
	Type watch.EventType
	// Object is the state after the event, or for watch.Deleted the last one;
	// it is the zero T in a bookmark.
	Object T
	// ResourceVersion is that of a bookmark, and empty in other frames, whose
	// object has it.
	ResourceVersion string
	// InitialEventsEnd marks the bookmark that closes the initial events of a
	// watch-list (KEP-3157).
	InitialEventsEnd bool
}

// targeted is implemented by a source that knows what it lists and watches, in
// which namespace or, if that is empty, in all. Errors name it. A resource that is
// not known is empty.
type targeted interface {
	Target() (resource schema.GroupVersionResource, namespace string)
}

// ordered is implemented by a source whose watch events come in the order of their
// resourceVersions (KEP-5504), as those of real servers do. Only of such a source can
// an event be a duplicate, a bookmark that is older be the sign of a history that
// restarted, and a silent watch be one from a version that is yet to come.
type ordered interface {
	OrderedResourceVersions() bool
}

// served is implemented by a source that can ask its server, by discovery, whether it
// serves the resource. An answer is proof: an error is returned for anything but
// Kubernetes' own word, and errors.ErrUnsupported if the source can't ask.
type served interface {
	Served(ctx context.Context) (bool, error)
}

// watchListUnsupported is implemented by a source that cannot serve a
// watch-list, such as a fake clientset. The name is the one that
// k8s.io/client-go/util/watchlist looks for.
type watchListUnsupported interface {
	IsWatchListSemanticsUnSupported() bool
}
