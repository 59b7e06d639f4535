package source

import (
	"context"
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// Namespaces is a set of namespaces. It may change at any time, and those who use it follow.
// It is safe for concurrent use.
type Namespaces struct {
	mu    sync.Mutex
	names []string
	// changed is closed when names is replaced.
	changed chan struct{}
}

// NewNamespaces returns a set of namespaces, which may be empty.
func NewNamespaces(names ...string) *Namespaces {
	n := &Namespaces{changed: make(chan struct{})}
	n.Set(names...)
	return n
}

// Set makes names the namespaces of the set.
func (n *Namespaces) Set(names ...string) {
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.Equal(names, n.names) {
		return
	}
	n.names = names
	close(n.changed)
	n.changed = make(chan struct{})
}

// Names returns the namespaces, sorted.
func (n *Namespaces) Names() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.names)
}

// scopes returns the scopes of a source of the namespaces, and a channel that is closed when they change.
func (n *Namespaces) scopes() (scopes []types.NamespacedName, changed <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range n.names {
		scopes = append(scopes, types.NamespacedName{Namespace: name})
	}
	return scopes, n.changed
}

// InNamespaces returns a source of what in returns for each namespace of a set. An informer
// of it has one store for all, and a list and watch for each: one that is forbidden does not
// concern the others, and [cache.Status] has them apart. A namespace that joins the set is
// listed, and its objects are added. The objects of a namespace that leaves are deleted, with the final
// state unknown and the cause NamespaceLeft: on the server they may well exist.
//
// The informer is in sync when the objects of each namespace are in its store, but for
// those that the server refuses: a namespace that is forbidden three times in a row is left
// out, with an error in the log and the status, until it is not any more. A resource that is
// absent is waited for, as in an informer of all namespaces. WaitForResourceVersion
// waits until every namespace that is not left out has reached the version, which takes up to
// the next bookmark, about a minute, of one in which nothing happens.
//
// The namespaces call [cache.Options].OnFailure concurrently. The recovery is
// logged when all of them work again that are not forbidden.
//
// A name that is empty is an error, since it stands for all namespaces. While the set is empty, in is
// called with the empty name for the description of the source.
func InNamespaces[T any](namespaces *Namespaces, in func(namespace string) cache.Source[T]) cache.Source[T] {
	var info cache.SourceInfo
	example := "" // of which only the description counts
	if names := namespaces.Names(); len(names) > 0 {
		example = names[0]
	}
	if source := in(example); source.Objects != nil {
		info = source.Describe()
	}
	info.Namespace, info.Served = "", nil
	info.Scopes = namespaces.scopes
	info.In = func(scope types.NamespacedName) cache.Objects { return in(scope.Namespace).Objects }
	return cache.Source[T]{Objects: namespaced{described{info}}}
}

// namespaced is a source of several namespaces, of which informers take the parts.
type namespaced struct{ described }

func (namespaced) List(context.Context, metav1.ListOptions, func(any, error)) (metav1.ListMeta, error) {
	return metav1.ListMeta{}, errSeveralNamespaces
}

func (namespaced) Watch(context.Context, metav1.ListOptions) (cache.Watcher, error) {
	return nil, errSeveralNamespaces
}

var errSeveralNamespaces = fmt.Errorf("source of several namespaces: list and watch the sources that cache.SourceInfo.In returns")

// Follow sets a set of namespaces, from now on until the registration is removed or the informer stops. Its
// namespaces are the objects that match a selector, of an informer of Namespaces or of their metadata. Before
// the informer is in sync nothing changes. A namespace that is being deleted is in the set until it is gone.
func Follow[T metav1.Object](namespaces *Namespaces, informer *cache.Informer[T], selector labels.Selector) (*cache.Registration, error) {
	var mu sync.Mutex
	update := func() {
		mu.Lock()
		defer mu.Unlock()
		select {
		case <-informer.Synced():
		default:
			return
		}
		var names []string
		for namespace := range informer.Store().All() {
			if selector.Matches(labels.Set(namespace.GetLabels())) {
				names = append(names, namespace.GetName())
			}
		}
		namespaces.Set(names...)
	}
	registration, err := informer.AddHandler(cache.InBatches(func([]cache.Event[T]) { update() }), cache.HandlerOptions{Name: "namespaces"})
	if err != nil {
		return nil, err
	}
	go func() { // without any object, the handler is not called
		select {
		case <-registration.Synced():
			update()
		case <-registration.Done():
		}
	}()
	return registration, nil
}
