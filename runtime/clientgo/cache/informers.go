package cache

import (
	"cmp"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Informers holds the informers that New has made, until they stop: a controller-runtime cache stops the
// informers that it removes. A collector of operations/metrics and a page of operations/statuspage take
// Informers like a factory. Methods are safe for concurrent use.
type Informers struct {
	streaming *source.Streaming

	mu  sync.Mutex
	all []*untypedInformer
	// sources holds the sources that SetSource has set, by the Go type of the objects.
	sources map[reflect.Type]core.Objects
}

// SetSource makes New read objects of example's Go type from a source, in place of the ListerWatcher. With
// the source of a set of names, a manager's client reads objects by name, and the cache holds no other
// objects of the type:
//
//	secrets := references.Source[*corev1.Secret](client, resource, references.NewSetOnDemand(1000), references.Options{})
//	informers.SetSource(&corev1.Secret{}, secrets)
//
// Lists of the client then have the names that were read. Selectors and namespaces of the manager's cache
// have no effect on these objects.
func (i *Informers) SetSource(example runtime.Object, source core.Objects) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sources == nil {
		i.sources = map[reflect.Type]core.Objects{}
	}
	i.sources[reflect.TypeOf(example)] = source
}

// source returns the source of an informer.
func (i *Informers) source(lw ListerWatcher, example runtime.Object) core.Source[runtime.Object] {
	i.mu.Lock()
	defer i.mu.Unlock()
	if set := i.sources[reflect.TypeOf(example)]; set != nil {
		return core.Source[runtime.Object]{Objects: set}
	}
	return i.streaming.FromListerWatcher(lw, example)
}

// New returns an informer like NewSharedIndexInformer. It fits controller-runtime's
// cache.Options.NewInformer.
func (i *Informers) New(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	informer := newSharedIndexInformer(i.source(lw, exampleObject), exampleObject, SharedIndexInformerOptions{
		ResyncPeriod: defaultEventHandlerResyncPeriod,
		Indexers:     indexers,
	})
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = append(slices.DeleteFunc(i.all, (*untypedInformer).IsStopped), informer)
	return informer
}

// current returns the informers that have not stopped, and drops the others.
func (i *Informers) current() []*untypedInformer {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = slices.DeleteFunc(i.all, (*untypedInformer).IsStopped)
	return slices.Clone(i.all)
}

// Status returns the status of each informer, sorted by name. The name is the resource, such as "pods.v1".
// If the informer has only one namespace, it follows, as in "pods.v1/default". If the objects are not
// typed, their form follows, as in "pods.v1 (metadata)". Before its first request, an informer has the name
// of the Go type or kind.
func (i *Informers) Status() []core.Status {
	var all []core.Status
	for _, shared := range i.current() {
		all = append(all, shared.informer.Status())
	}
	slices.SortStableFunc(all, func(a, b core.Status) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Lookup returns the objects that the stores hold under a key, by the names of Status. It is for debugging,
// like a factory's Lookup. Objects must not be mutated.
func (i *Informers) Lookup(key types.NamespacedName) map[string]any {
	found := map[string]any{}
	for _, shared := range i.current() {
		if obj, ok := shared.informer.Store().Get(key); ok {
			found[shared.informer.Name()] = obj
		}
	}
	return found
}

// HealthCheck returns a check for a liveness probe, in the form that controller-runtime takes. It joins the
// errors of informers that may have been out of date for longer than stale. Stale should be several
// minutes: less than two fails informers of resources that do not change.
func (i *Informers) HealthCheck(stale time.Duration) func(*http.Request) error {
	return func(*http.Request) error {
		var errs []error
		for _, status := range i.Status() {
			errs = append(errs, status.Check(stale))
		}
		return errors.Join(errs...)
	}
}

// ReadyCheck is a check for a readiness probe, in the form that controller-runtime takes. It joins the
// errors of informers that have not been in sync yet. An informer whose resource the server does not have
// fails it until the resource is installed. An informer that has been in sync stays ready.
func (i *Informers) ReadyCheck(*http.Request) error {
	var errs []error
	for _, status := range i.Status() {
		errs = append(errs, status.CheckSynced())
	}
	return errors.Join(errs...)
}
