package cache

import (
	"cmp"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Informers are the informers that New has made, until they stop: a cache stops those that it
// removes. A collector of operations/metrics and a page of operations/statuspage take them as they
// take a factory. Methods are safe for concurrent use.
type Informers struct {
	streaming *source.Streaming

	mu  sync.Mutex
	all []*untypedInformer
	// sources are those that were set, by the Go type of the objects.
	sources map[reflect.Type]core.Objects
}

// SetSource has New make informers of objects of the Go type of example from a source, in place of
// the ListerWatcher. That of a set of names has a manager's client read objects by name and
// hold no others:
//
//	secrets := references.Source[*corev1.Secret](client, resource, references.NewSetOnDemand(1000), references.Options{})
//	informers.SetSource(&corev1.Secret{}, secrets)
//
// Lists of the client are then of the names that were asked for. Selectors and namespaces of the
// manager's cache have no effect on these objects.
func (i *Informers) SetSource(example runtime.Object, source core.Objects) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sources == nil {
		i.sources = map[reflect.Type]core.Objects{}
	}
	i.sources[reflect.TypeOf(example)] = source
}

// source returns what an informer lists and watches.
func (i *Informers) source(lw ListerWatcher, example runtime.Object) core.Source[runtime.Object] {
	i.mu.Lock()
	defer i.mu.Unlock()
	if set := i.sources[reflect.TypeOf(example)]; set != nil {
		return core.Source[runtime.Object]{Objects: set}
	}
	return i.streaming.FromListerWatcher(observed{lw, formOf(example)}, example)
}

// New returns an informer as NewSharedIndexInformer does. It fits controller-runtime's
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

// formOf returns what to put behind the name of a resource for informers whose objects are not
// of its Go type.
func formOf(example runtime.Object) string {
	switch example.(type) {
	case runtime.Unstructured:
		return " (unstructured)"
	case *metav1.PartialObjectMetadata:
		return " (metadata)"
	default:
		return ""
	}
}

// current returns the informers that have not stopped, and forgets the others.
func (i *Informers) current() []*untypedInformer {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = slices.DeleteFunc(i.all, (*untypedInformer).IsStopped)
	return slices.Clone(i.all)
}

// Status returns the status of each informer, sorted by name. The name is the resource, as
// "pods.v1", with the namespace if the informer has only one, as "pods.v1/default", and what
// the objects are if they are not typed, as "pods.v1 (metadata)". Before its first request, an
// informer has the name of the Go type or kind.
func (i *Informers) Status() []core.Status {
	var all []core.Status
	for _, shared := range i.current() {
		all = append(all, shared.informer.Status())
	}
	slices.SortStableFunc(all, func(a, b core.Status) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Lookup returns what the stores have under a key, by the names of Status. It is for
// debugging, as that of a factory. Objects must not be mutated.
func (i *Informers) Lookup(key types.NamespacedName) map[string]any {
	found := map[string]any{}
	for _, shared := range i.current() {
		if obj, ok := shared.informer.Store().Get(key); ok {
			found[shared.informer.Name()] = obj
		}
	}
	return found
}

// HealthCheck returns a check for a liveness probe, in the form that controller-runtime takes:
// it joins the errors of informers that may have been out of date for longer than stale. That
// should be several minutes: less than two fails informers of resources that do not change.
func (i *Informers) HealthCheck(stale time.Duration) func(*http.Request) error {
	return func(*http.Request) error {
		var errs []error
		for _, status := range i.Status() {
			errs = append(errs, status.Check(stale))
		}
		return errors.Join(errs...)
	}
}

// ReadyCheck is a check for a readiness probe, in the form that controller-runtime takes: it
// joins the errors of informers that have not been in sync yet. An informer whose resource the
// server does not have is one of them until the resource is installed. One that has been in
// sync stays ready.
func (i *Informers) ReadyCheck(*http.Request) error {
	var errs []error
	for _, status := range i.Status() {
		errs = append(errs, status.CheckSynced())
	}
	return errors.Join(errs...)
}
