package references

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Options configure the source of a set.
type Options struct {
	// Watches limits how many names of a namespace have their own watch. Further names share a watch of the
	// namespace's metadata. Zero means 32. A negative number makes all names share it, for a proxy that
	// permits few streams.
	Watches int
}

const (
	defaultWatches = 32
	// concurrent limits how many lists of single objects are in progress at the same time.
	concurrent = 8
)

// Source returns a source of the objects of a set. Only one informer may be made of it. For T see
// [source.New].
func Source[T runtime.Object](client *source.Client, gvr schema.GroupVersionResource, set *Set, options Options) cache.Source[T] {
	return cache.Source[T]{Objects: Objects(set,
		func(namespace string) cache.Objects {
			return client.Objects(reflect.TypeFor[T](), gvr, namespace)
		},
		func(namespace string) cache.Objects {
			return client.Objects(reflect.TypeFor[*metav1.PartialObjectMetadata](), gvr, namespace)
		}, options)}
}

// Objects is Source with functions that return the source of a namespace's objects and of their metadata.
// If metadata is nil, each name has its own watch.
func Objects(set *Set, in, metadata func(namespace string) cache.Objects, options Options) cache.Objects {
	if options.Watches == 0 {
		options.Watches = defaultWatches
	}
	s := &objects{set: set, in: in, metadata: metadata, options: options, namespaces: map[string]*namespace{}, requests: make(chan struct{}, concurrent)}
	s.info = in("").Describe()
	s.info.Namespace, s.info.Served = "", nil
	s.info.Scopes, s.info.In, s.info.Named = set.get, s.member, true
	if set.asked != nil {
		s.info.Want = set.want
	}
	return s
}

// objects is the source of a set. Informers read the sources of its members instead.
type objects struct {
	set          *Set
	in, metadata func(namespace string) cache.Objects
	options      Options
	info         cache.SourceInfo
	// requests has an element for each list that is in progress.
	requests chan struct{}

	mu         sync.Mutex
	namespaces map[string]*namespace
	// absent is the server's latest response if it did not have the resource, and nil otherwise. askAgain
	// is when the next request may be made.
	absent   error
	askAgain time.Time
}

// absentFor is the time between two requests for a resource that the server does not have.
const absentFor = 10 * time.Second

// stillAbsent returns the latest response that says that the server does not have the resource. It returns
// nil if there is none, or if it is the caller's turn to ask again, on behalf of all names.
func (s *objects) stillAbsent() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.absent == nil || time.Now().Before(s.askAgain) {
		return s.absent
	}
	s.askAgain = time.Now().Add(absentFor)
	return nil
}

// answered notes the outcome of a list.
func (s *objects) answered(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.absent = nil; apierrors.IsNotFound(err) {
		s.absent, s.askAgain = err, time.Now().Add(absentFor)
	}
}

var errNames = errors.New("source of a set of names: list and watch the sources that cache.SourceInfo.In returns")

func (s *objects) Describe() cache.SourceInfo { return s.info }

func (s *objects) List(context.Context, metav1.ListOptions, func(any, error)) (metav1.ListMeta, error) {
	return metav1.ListMeta{}, errNames
}

func (s *objects) Watch(context.Context, metav1.ListOptions) (cache.Watcher, error) {
	return nil, errNames
}

// member returns the source of one object.
func (s *objects) member(name types.NamespacedName) cache.Objects {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.namespaces[name.Namespace]
	if n == nil {
		n = newNamespace(s, name.Namespace)
		s.namespaces[name.Namespace] = n
	}
	selector := fields.OneTermEqualSelector("metadata.name", name.Name).String()
	own := source.Tweak(cache.Source[any]{Objects: s.in(name.Namespace)}, func(options *metav1.ListOptions) {
		if options.FieldSelector != "" {
			options.FieldSelector += ","
		}
		options.FieldSelector += selector
	})
	m := &member{Objects: own.Objects, namespace: n, name: name.Name, info: own.Describe()}
	m.info.ByMetadata = m.shares.Load
	m.info.NoWatchList = true // each would have an inflater of 40 KB
	return m
}
