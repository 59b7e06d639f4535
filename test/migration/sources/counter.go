package sources

import (
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const byNode = "byNode"

// PodCounter is a controller without types and without a factory: it tells how
// many pods there are on each node.
type PodCounter struct {
	informer cache.SharedIndexInformer
	handler  cache.ResourceEventHandlerRegistration
	lister   corelisters.PodLister

	mu     sync.Mutex
	events []string
	errors int
}

func NewPodCounter(lw cache.ListerWatcher) (*PodCounter, error) {
	c := &PodCounter{informer: cache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})}
	c.lister = corelisters.NewPodLister(c.informer.GetIndexer())
	if err := c.informer.AddIndexers(cache.Indexers{byNode: podNode}); err != nil {
		return nil, err
	}
	if err := c.informer.SetTransform(stripManagedFields); err != nil {
		return nil, err
	}
	if err := c.informer.SetWatchErrorHandler(c.failed); err != nil {
		return nil, err
	}
	var err error
	c.handler, err = c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: scheduled,
		Handler: cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(obj interface{}, isInInitialList bool) {
				c.record("add %s %v", key(obj), isInInitialList)
			},
			UpdateFunc: func(oldObj, newObj interface{}) {
				if oldObj.(*v1.Pod).ResourceVersion == newObj.(*v1.Pod).ResourceVersion {
					return // a resync
				}
				c.record("update %s", key(newObj))
			},
			DeleteFunc: c.deleted,
		},
	})
	return c, err
}

func podNode(obj interface{}) ([]string, error) {
	pod, ok := obj.(*v1.Pod)
	if !ok {
		return nil, fmt.Errorf("not a pod: %T", obj)
	}
	if pod.Spec.NodeName == "" {
		return nil, nil
	}
	return []string{pod.Spec.NodeName}, nil
}

func stripManagedFields(obj interface{}) (interface{}, error) {
	if pod, ok := obj.(*v1.Pod); ok {
		pod.ManagedFields = nil
	}
	return obj, nil
}

// scheduled reports whether the object is a pod on a node. It looks into tombstones, which hold the last
// known state.
func scheduled(obj interface{}) bool {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	pod, ok := obj.(*v1.Pod)
	return ok && pod.Spec.NodeName != ""
}

func key(obj interface{}) string {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return err.Error()
	}
	return key
}

func (c *PodCounter) deleted(obj interface{}) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		c.record("lost %s %s", tombstone.Key, tombstone.Obj.(*v1.Pod).Spec.NodeName)
		return
	}
	c.record("delete %s", key(obj))
}

func (c *PodCounter) record(format string, args ...interface{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, fmt.Sprintf(format, args...))
}

func (c *PodCounter) failed(r *cache.Reflector, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors++
}

// Start runs the informer and reports whether it came in sync.
func (c *PodCounter) Start(stopCh <-chan struct{}) bool {
	go c.informer.Run(stopCh)
	return cache.WaitForNamedCacheSync("pod-counter", stopCh, c.informer.HasSynced, c.handler.HasSynced)
}

// OnNode counts the pods of a node.
func (c *PodCounter) OnNode(node string) (int, error) {
	pods, err := c.informer.GetIndexer().ByIndex(byNode, node)
	return len(pods), err
}

// InNamespace counts the pods of a namespace.
func (c *PodCounter) InNamespace(namespace string) (int, error) {
	pods, err := c.lister.Pods(namespace).List(labels.Everything())
	return len(pods), err
}

// Events returns the calls of the handler since its last call.
func (c *PodCounter) Events() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	events := c.events
	c.events = nil
	return events
}
