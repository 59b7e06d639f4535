package factory

import (
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Resource is the resource of an informer.
type Resource struct {
	schema.GroupVersionResource
	// Namespaced is whether objects live in namespaces.
	Namespaced bool
	// Indexes are those that each informer of the resource has, in addition to those of its
	// options, which replace one of the same name. Nil is none.
	Indexes []listers.Index[any]
}

// String returns the name of the resource in kubectl:
// "deployments.v1.apps", or "pods.v1" in the core group.
func (r Resource) String() string {
	return strings.TrimSuffix(r.Resource+"."+r.Version+"."+r.Group, ".")
}

// InformerOptions configure an informer. The zero value works.
type InformerOptions struct {
	// ResyncPeriod is the resync period of handlers without one of their own. Zero is
	// no resyncs.
	ResyncPeriod time.Duration
	// Indexers are the indexes of the informer. Nil is none.
	Indexers cache.Indexers
	// InformerName is the identity under which client-go's metrics of the informer are
	// published, unless another informer of the resource has it. Nil is no metrics.
	InformerName *cache.InformerName
	// TweakListOptions changes the options of each list and watch, in general to set a
	// selector. It may be called concurrently. Nil changes nothing.
	TweakListOptions TweakListOptionsFunc
	// Shard is the objects that the informer follows. Nil is all.
	Shard *shard.Shard
	// ListWatch says how the informer lists and watches.
	ListWatch ListWatchOptions
	// Name tells several informers of one resource apart, in logs, errors and the status.
	// Empty is none.
	Name string

	// namespaces, if it is not nil, is what the informer follows, with the source that in
	// returns for each.
	namespaces *source.Namespaces
	in         func(namespace string) core.Source[any]
	// take, if it is not nil, is given the source, and no informer is made.
	take func(src core.Source[any])
}

// NewInformer returns an informer of the objects of a source. ToTyped converts it to
// a typed one.
func NewInformer[T runtime.Object](resource Resource, src source.Source[T], options InformerOptions) cache.SharedIndexInformer {
	return newOf(reflect.TypeFor[T](), resource, core.Source[any](src), options)
}

// NewClientInformer is NewInformer for what a client lists and watches, in one namespace
// or with "" in all. Generated constructors call it.
func NewClientInformer[T runtime.Object](resource Resource, client *source.Client, namespace string, options InformerOptions) cache.SharedIndexInformer {
	return NewInformer(resource, source.New[T](client, resource.GroupVersionResource, namespace), options)
}

// ResourceClient is what generated constructors give to NewResourceClientInformer.
type ResourceClient[L runtime.Object] = source.ResourceClient[L]

// NewResourceClientInformer is NewInformer for what a clientset's client of a resource lists
// and watches. The function that returns it is called for each request and not before: see
// source.FromResourceClient. Generated constructors call it.
func NewResourceClientInformer[T, L runtime.Object](
	resource Resource, clientset any, namespace string, options InformerOptions, client func() ResourceClient[L],
) cache.SharedIndexInformer {
	src := source.FromResourceClient[T](clientset, client)
	return NewInformer(resource, source.WithTarget(src, resource.GroupVersionResource, namespace), options)
}

// newOf names no type of objects, so that what it calls is compiled here alone, and not in each
// package that is generated.
func newOf(objects reflect.Type, resource Resource, src core.Source[any], options InformerOptions) cache.SharedIndexInformer {
	src = source.Tweak(src, options.TweakListOptions)
	if options.take != nil {
		options.take(src)
		return nil
	}
	if options.namespaces != nil {
		src = source.InNamespaces(options.namespaces, options.in)
	}
	return adapt(core.New(core.Source[any]{Objects: sourceOf{src.Objects, objects}}, coreOptions(resource, options)), resource, options)
}

// sourceOf is a source whose description has the type of its objects.
type sourceOf struct {
	core.Objects
	objects reflect.Type
}

func (s sourceOf) Describe() core.SourceInfo {
	about := s.Objects.Describe()
	about.Type = s.objects
	return about
}

func adapt(informer *core.Informer[any], resource Resource, options InformerOptions) cache.SharedIndexInformer {
	addIndexes(informer, resource, options)
	return clientgocache.Untyped(informer, clientgocache.AdapterOptions{
		Resync:   options.ResyncPeriod,
		Indexers: options.Indexers,
	})
}

func coreOptions(resource Resource, options InformerOptions) core.Options[any] {
	// One that another informer of the resource has already is logged.
	identity := options.InformerName.WithResource(resource.GroupVersionResource)
	name, how := informerKey[string]{resource.String(), options.Name}.String(), options.ListWatch
	outages := &outageReporter{log: how.outages}
	return core.Options[any]{
		Name:              name,
		Resync:            options.ResyncPeriod,
		Metrics:           clientgocache.InformerMetrics(identity, nil),
		Shard:             options.Shard,
		PageSize:          how.PageSize,
		DisableWatchList:  how.DisableWatchList || !features.FeatureGates().Enabled(features.WatchListClient),
		BookmarkTimeout:   how.BookmarkTimeout,
		IdleTimeout:       how.IdleTimeout,
		WatchTimeout:      how.WatchTimeout,
		AbsentRetry:       how.AbsentRetry,
		KeepAbsent:        how.KeepAbsent,
		AbsentGrace:       how.AbsentGrace,
		Backoff:           how.Backoff,
		DropManagedFields: how.DropManagedFields,
		OnFailure:         how.onFailure(name, outages),
		OnRecovery:        outages.recovered,
	}
}

// shared returns the informer that a factory has for the type of obj, and creates
// it with newInformer if it has none.
func shared[C any](
	scope Scope[C], obj runtime.Object, namespaced bool, indexers cache.Indexers, newInformer func(C, InformerOptions) cache.SharedIndexInformer,
) cache.SharedIndexInformer {
	return scope.Factory.InformerFor(obj, func(client C, resync time.Duration) cache.SharedIndexInformer {
		options := InformerOptions{
			ResyncPeriod:     resync,
			Indexers:         indexers,
			InformerName:     scope.Factory.InformerName(),
			TweakListOptions: scope.TweakListOptions,
		}
		if f, ok := scope.Factory.(interface {
			configure(obj runtime.Object, namespaced bool, options *InformerOptions)
		}); ok {
			f.configure(obj, namespaced, &options)
		}
		return newInformer(client, options)
	})
}

// inNamespaces makes the informer follow the namespaces of its options, if it has such: what
// newInformer makes for one namespace gives the source of that.
func inNamespaces[C, I any](client C, options InformerOptions, newInformer func(C, string, InformerOptions) I) InformerOptions {
	if options.namespaces == nil {
		return options
	}
	options.in = func(namespace string) (src core.Source[any]) {
		one := options
		one.take = func(taken core.Source[any]) { src = taken }
		newInformer(client, namespace, one)
		return src
	}
	return options
}

// newObject returns an empty object of a type, which is a pointer in general.
func newObject(t reflect.Type) runtime.Object {
	if t.Kind() != reflect.Pointer {
		return nil
	}
	obj, _ := reflect.New(t.Elem()).Interface().(runtime.Object)
	return obj
}

// ToTyped returns a typed informer as such, and any other in a wrapper. The
// informer's objects must be of type T.
func ToTyped[T clientgocache.Object](informer cache.SharedIndexInformer) cache.TypedSharedIndexInformer[T] {
	return clientgocache.NewTypedSharedIndexInformer[T](informer)
}
