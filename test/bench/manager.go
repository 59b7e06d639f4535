package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

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
