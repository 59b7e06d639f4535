package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/informer-gen/informer-gen/internal/podinformers"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/generated"
)

// way names a way of a program to an informer.
type way string

const (
	// direct is over a client of this runtime, or a REST client of client-go.
	direct way = ""
	// manager is through controller-runtime's cache.
	manager way = "manager"
	// importLine is an informer of NewSharedIndexInformer over NewListWatchFromClient, with client-go's
	// package cache and with this runtime's.
	importLine way = "import"
	// clientset is through the factory of client-go for its clientset, and a generated factory.
	clientset way = "clientset"
)

// informer returns an informer of pods, stock or of this runtime.
func (w way) informer(config *rest.Config, ours bool) (toolscache.SharedIndexInformer, error) {
	if w == manager {
		return newManagerInformer(config, ours)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	pods, everything := podinformers.Pods.Resource, fields.Everything()
	switch {
	case w == importLine && ours:
		lw := clientgocache.NewListWatchFromClient(client.CoreV1().RESTClient(), pods, "", everything)
		return clientgocache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, toolscache.Indexers{}), nil
	case w == importLine:
		lw := toolscache.NewListWatchFromClient(client.CoreV1().RESTClient(), pods, "", everything)
		return toolscache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, toolscache.Indexers{}), nil
	case ours: // as generated code has it
		resource := factory.Resource{GroupVersionResource: podinformers.Pods, Namespaced: true}
		objects := generated.ClientsetObjects[*v1.Pod](client, resource, "", func() generated.ResourceClient[*v1.PodList] { return client.CoreV1().Pods("") })
		return factory.NewInformer(resource, objects, factory.InformerOptions{}), nil
	default:
		return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), nil
	}
}

// managerInformer is the informer of a manager's cache, which runs with it.
type managerInformer struct {
	toolscache.SharedIndexInformer
	cache cache.Cache
}

func (m managerInformer) RunWithContext(ctx context.Context) { _ = m.cache.Start(ctx) }

// newManagerInformer returns the informer of controller-runtime's cache, stock or with
// informers of this runtime that decode what the server sends.
func newManagerInformer(config *rest.Config, ours bool) (toolscache.SharedIndexInformer, error) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(v1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	options := cache.Options{Scheme: scheme.Scheme, Mapper: mapper}
	if ours {
		streaming, informers := clientgocache.Streaming(config)
		config, options.NewInformer = streaming, informers.New
	}
	objects, err := cache.New(config, options)
	if err != nil {
		return nil, err
	}
	informer, err := objects.GetInformer(context.Background(), &v1.Pod{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	return managerInformer{informer.(toolscache.SharedIndexInformer), objects}, nil
}
