package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	shopinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	sampleinformers "github.com/informer-gen/informer-gen/testdata/samplecontroller/generated/informers/externalversions"
	samplev1alpha1 "github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/apis/samplecontroller/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/clientset/versioned"
)

// impatient are the options of an informer that makes many attempts in the time
// of a test.
func impatient[T any](name string) cache.Options[T] {
	return cache.Options[T]{
		Name: name,
		ListWatch: cache.ListWatch{
			BookmarkTimeout: 2 * time.Second,
			IdleTimeout:     time.Second,
			WatchTimeout:    2 * time.Second,
			Backoff:         &wait.Backoff{Duration: 10 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 32, Cap: 100 * time.Millisecond},
		},
	}
}

// follow runs informers of the core and of the compatibility layer, over all kinds of sources, with handlers
// of all modes that stay. What it returns ends what they run in.
func (w *world) follow(ctx context.Context, running *sync.WaitGroup) (shutdown func()) {
	one := w.wild.Config() // HTTP/1.1: one connection for each request
	one.NextProtos = []string{"http/1.1"}
	client, single, defaults := w.newClient(w.wild.Config()), w.newClient(one), w.newClient(w.mild.Config())

	list := impatient[*shopv1alpha1.Order]("orders, list")
	list.DisableWatchList, list.PageSize = true, 20
	w.subjects = append(w.subjects,
		run(ctx, running, follow("orders, watch-list", orders, cache.New(source.New[*shopv1alpha1.Order](client, orders.GroupVersionResource, ""),
			impatient[*shopv1alpha1.Order]("orders, watch-list")))),
		run(ctx, running, follow(list.Name, orders, cache.New(source.New[*shopv1alpha1.Order](single, orders.GroupVersionResource, ""), list))),
		run(ctx, running, w.oneNamespace(single)),
		run(ctx, running, w.ofNames(client)),
		run(ctx, running, w.typed(client)),
		run(ctx, running, w.clientset("foos, clientset", w.wild.Config())),
		run(ctx, running, w.clientset("foos, streaming clientset", source.NewStreaming(source.ClientOptions{}).Config(w.wild.Config()))),
		run(ctx, running, w.dynamic("shipments, dynamic", w.mild.Config(), clientgocache.NewSharedIndexInformer)),
		run(ctx, running, w.streamingDynamic()),
	)
	shop := shopinformers.NewSharedInformerFactory(defaults, 0)
	w.subjects = append(w.subjects,
		followClientgo[*shopv1alpha1.Order]("orders, factory", orders, shop.Shop().V1alpha1().Orders().Informer()),
		followClientgo[*shopv1alpha1.Warehouse]("warehouses, factory", warehouses, shop.Shop().V1alpha1().Warehouses().Informer()),
	)
	clientset, err := versioned.NewForConfig(w.mild.Config())
	if err != nil {
		w.Fatal(err)
	}
	sample := sampleinformers.NewSharedInformerFactory(clientset, time.Second)
	w.subjects = append(w.subjects,
		followClientgo[*samplev1alpha1.Foo]("foos, factory with a clientset", foos, sample.Samplecontroller().V1alpha1().Foos().Informer()))

	for _, s := range w.subjects {
		for _, m := range modes {
			if err := s.join(m, true, w.calm, w.fork()); err != nil {
				w.Fatal(err)
			}
		}
	}
	shop.StartWithContext(ctx)
	sample.StartWithContext(ctx)
	return func() {
		shop.Shutdown()
		sample.Shutdown()
	}
}

// run runs an informer that no factory runs.
func run[T runtime.Object](ctx context.Context, running *sync.WaitGroup, f *follower[T]) *follower[T] {
	running.Go(func() { _ = f.core.Run(ctx) })
	return f
}

func (w *world) oneNamespace(client *source.Client) *follower[*shopv1alpha1.Shipment] {
	name, namespace := "shipments, one namespace", "namespace-1"
	f := follow(name, shipments, cache.New(source.New[*shopv1alpha1.Shipment](client, shipments.GroupVersionResource, namespace),
		impatient[*shopv1alpha1.Shipment](name)))
	f.namespace = namespace
	return f
}

// ofNames is an informer of the names that writers give objects of a namespace: six have watches of
// their own, the others share one of metadata.
func (w *world) ofNames(client *source.Client) *follower[*shopv1alpha1.Shipment] {
	name, namespace := "shipments, names", "namespace-2"
	set := references.NewSet()
	for i := range writers {
		for j := range names {
			set.Add(types.NamespacedName{Namespace: namespace, Name: fmt.Sprintf("writer-%d-%d", i, j)})
		}
	}
	objects := references.Source[*shopv1alpha1.Shipment](client, shipments.GroupVersionResource, set, references.Options{Watches: 6})
	f := follow(name, shipments, cache.New(objects, impatient[*shopv1alpha1.Shipment](name)))
	f.namespace = namespace
	return f
}

// typed is an informer of the core under client-go's interface.
func (w *world) typed(client *source.Client) *follower[*shopv1alpha1.Warehouse] {
	name := "warehouses, adapted"
	informer := cache.New(source.New[*shopv1alpha1.Warehouse](client, warehouses.GroupVersionResource, ""), impatient[*shopv1alpha1.Warehouse](name))
	f := follow(name, warehouses, informer)
	f.clientgo = clientgocache.Typed(informer, clientgocache.AdapterOptions{Resync: time.Second})
	return f
}

// clientset is an informer that lists and watches through a clientset.
func (w *world) clientset(name string, config *rest.Config) *follower[*samplev1alpha1.Foo] {
	clientset, err := versioned.NewForConfig(config)
	if err != nil {
		w.Fatal(err)
	}
	api := clientset.SamplecontrollerV1alpha1().Foos("")
	return follow(name, foos, cache.New(source.FromClientset[*samplev1alpha1.Foo](clientset, api.List, api.Watch), impatient[*samplev1alpha1.Foo](name)))
}

// streamingDynamic is an informer that decodes what its dynamic client requests.
func (w *world) streamingDynamic() *follower[runtime.Object] {
	config, informers := clientgocache.Streaming(w.mild.Config())
	return w.dynamic("shipments, dynamic and streaming", config, informers.New)
}

// newInformer is a constructor of client-go, with its defaults.
type newInformer = func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer

// dynamic is an informer over a dynamic client.
func (w *world) dynamic(name string, config *rest.Config, newInformer newInformer) *follower[runtime.Object] {
	gv := shipments.GroupVersion()
	config = dynamic.ConfigFor(config)
	config.APIPath, config.GroupVersion = "/apis", &gv
	client, err := rest.RESTClientFor(config)
	if err != nil {
		w.Fatal(err)
	}
	lw := toolscache.NewListWatchFromClient(client, shipments.Resource, metav1.NamespaceAll, fields.Everything())
	informer := newInformer(lw, &unstructured.Unstructured{}, 0, toolscache.Indexers{})
	return followClientgo[runtime.Object](name, shipments, informer)
}

// visit lets informers come and go.
func (w *world) visit(ctx context.Context, random *rand.Rand) error {
	client, err := source.NewClient(w.wild.Config())
	if err != nil {
		return err
	}
	return every(ctx, random, 50*time.Millisecond, func() error {
		w.visits.Add(1)
		options := impatient[*shopv1alpha1.Order]("visitor")
		options.DisableWatchList = random.IntN(2) == 0
		f := follow(options.Name, orders, cache.New(source.New[*shopv1alpha1.Order](client, orders.GroupVersionResource, ""), options))
		return visit(ctx, f, time.Duration(random.Int64N(int64(2*time.Second))), random)
	})
}

func (w *world) newClient(cfg *rest.Config) *source.Client {
	w.Helper()
	client, err := source.NewClient(cfg)
	if err != nil {
		w.Fatal(err)
	}
	return client
}
