package main

import (
	"context"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/listers"
	toolscache "k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	ourlisters "github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// maker makes informers and listers of things as one runtime does.
type maker struct {
	informer func(toolscache.ListerWatcher, toolscache.Indexers) toolscache.SharedIndexInformer
	lister   func(toolscache.Indexer) lister
}

var (
	// theirMaker does what code that code-generator wrote does.
	theirMaker = maker{
		informer: func(lw toolscache.ListerWatcher, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			return toolscache.NewSharedIndexInformer(lw, &thing{}, 0, indexers)
		},
		lister: func(indexer toolscache.Indexer) lister {
			return listers.New[*thing](indexer, thingResource.GroupResource())
		},
	}
	// ourMaker does what code that informer-gen wrote does.
	ourMaker = maker{
		informer: func(lw toolscache.ListerWatcher, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			src := source.FromListerWatcher[*thing](lw, &thing{})
			resource := factory.Resource{GroupVersionResource: thingResource, Namespaced: true}
			return factory.NewInformer(resource, src, factory.InformerOptions{Indexers: indexers})
		},
		lister: func(indexer toolscache.Indexer) lister {
			return ourlisters.New[*thing](indexer, thingResource.GroupResource())
		},
	}
	// dropIn does the same as code in which only the import of client-go's cache was changed.
	dropIn = maker{
		informer: func(lw toolscache.ListerWatcher, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			return clientgocache.NewSharedIndexInformer(lw, &thing{}, 0, indexers)
		},
		lister: ourMaker.lister,
	}
)

// script is a ListerWatcher that lists things and serves what is sent to
// events. It has no watch-list.
type script struct {
	things []*thing
	events chan watch.Event
}

func (s *script) List(metav1.ListOptions) (runtime.Object, error) {
	list := &thingList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for _, t := range s.things {
		list.Items = append(list.Items, *t)
	}
	return list, nil
}

func (s *script) Watch(metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(s.events), nil
}

func (s *script) IsWatchListSemanticsUnSupported() bool { return true }

// start runs an informer until the benchmark ends, and returns when it and its
// handlers are in sync.
func start(b *testing.B, informer toolscache.SharedIndexInformer, handlers ...toolscache.ResourceEventHandler) {
	b.Helper()
	var registrations []toolscache.ResourceEventHandlerRegistration
	for _, h := range handlers {
		registration, err := informer.AddEventHandler(h)
		check(b, err)
		registrations = append(registrations, registration)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(ctx) })
	b.Cleanup(func() {
		cancel()
		running.Wait()
	})
	if !waitForSync(ctx, informer, registrations) {
		check(b, context.Cause(ctx))
	}
}
