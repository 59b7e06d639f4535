package sources

import (
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// funcs is a handler that records every event.
func funcs(c *PodCounter) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj interface{}) { c.record("add %s", key(obj)) },
		UpdateFunc: func(oldObj, newObj interface{}) { c.record("update %s", key(newObj)) },
		DeleteFunc: func(obj interface{}) { c.record("delete %s", key(obj)) },
	}
}

// countingStore is a store of one's own for a reflector: it counts what is
// written to it.
type countingStore struct {
	cache.Store
	replaced, written atomic.Int64
}

func newCountingStore() *countingStore {
	return &countingStore{Store: cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)}
}

func (s *countingStore) Replace(list []interface{}, resourceVersion string) error {
	s.replaced.Add(1)
	return s.Store.Replace(list, resourceVersion)
}

func (s *countingStore) Add(obj interface{}) error {
	s.written.Add(1)
	return s.Store.Add(obj)
}

// Mirror keeps a store up to date with the pods, with a reflector and nothing else.
func Mirror(lw cache.ListerWatcher, stopCh <-chan struct{}) *countingStore {
	store := newCountingStore()
	reflector := cache.NewReflector(lw, &v1.Pod{}, store, 0)
	go reflector.Run(stopCh)
	return store
}

// Unshared is an informer with one handler, in each of the ways to make one.
var Unshared = map[string]func(cache.ListerWatcher, cache.ResourceEventHandler) (cache.Store, cache.Controller){
	"NewInformer": func(lw cache.ListerWatcher, h cache.ResourceEventHandler) (cache.Store, cache.Controller) {
		return cache.NewInformer(lw, &v1.Pod{}, 0, h)
	},
	"NewIndexerInformer": func(lw cache.ListerWatcher, h cache.ResourceEventHandler) (cache.Store, cache.Controller) {
		return cache.NewIndexerInformer(lw, &v1.Pod{}, 0, h, cache.Indexers{byNode: podNode})
	},
	"NewTransformingInformer": func(lw cache.ListerWatcher, h cache.ResourceEventHandler) (cache.Store, cache.Controller) {
		return cache.NewTransformingInformer(lw, &v1.Pod{}, 0, h, stripManagedFields)
	},
	"NewInformerWithOptions": func(lw cache.ListerWatcher, h cache.ResourceEventHandler) (cache.Store, cache.Controller) {
		return cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: lw, ObjectType: &v1.Pod{}, Handler: h})
	},
	"New": func(lw cache.ListerWatcher, h cache.ResourceEventHandler) (cache.Store, cache.Controller) {
		store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
		queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: store, EmitDeltaTypeReplaced: true})
		return store, cache.New(&cache.Config{
			Queue:         queue,
			ListerWatcher: lw,
			ObjectType:    &v1.Pod{},
			Process: func(obj interface{}, isInInitialList bool) error {
				return apply(store, obj.(cache.Deltas), h, isInInitialList)
			},
		})
	},
}

// apply does what a queue of deltas says.
func apply(store cache.Store, deltas cache.Deltas, h cache.ResourceEventHandler, isInInitialList bool) error {
	for _, d := range deltas {
		if d.Type == cache.Deleted {
			if err := store.Delete(d.Object); err != nil {
				return err
			}
			h.OnDelete(d.Object)
			continue
		}
		old, exists, err := store.Get(d.Object)
		if err != nil {
			return err
		}
		if exists {
			if err := store.Update(d.Object); err != nil {
				return err
			}
			h.OnUpdate(old, d.Object)
			continue
		}
		if err := store.Add(d.Object); err != nil {
			return err
		}
		h.OnAdd(d.Object, isInInitialList)
	}
	return nil
}
