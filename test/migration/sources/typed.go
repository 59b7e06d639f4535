//go:build !before37

package sources

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// TypedCounter is PodCounter with client-go's typed informers.
type TypedCounter struct {
	PodCounter
	pods cache.TypedSharedIndexInformer[*v1.Pod]
}

func NewTypedCounter(informer cache.SharedIndexInformer) (*TypedCounter, error) {
	c := &TypedCounter{pods: cache.NewTypedSharedIndexInformer[*v1.Pod](informer)}
	c.informer = c.pods
	if err := c.pods.AddTypedIndexers(cache.TypedIndexers[*v1.Pod]{
		byNode: func(pod *v1.Pod) ([]string, error) { return podNode(pod) },
	}); err != nil {
		return nil, err
	}
	var err error
	c.handler, err = c.pods.AddTypedEventHandler(cache.TypedFilteringResourceEventHandler[*v1.Pod]{
		FilterFunc: func(pod *v1.Pod) bool { return scheduled(pod) },
		Handler: cache.TypedResourceEventHandlerDetailedFuncs[*v1.Pod]{
			AddFunc:    func(pod *v1.Pod, isInInitialList bool) { c.record("add %s %v", key(pod), isInInitialList) },
			UpdateFunc: func(oldPod, newPod *v1.Pod) { c.record("update %s", key(newPod)) },
			DeleteFunc: func(deleted cache.DeletedObject[*v1.Pod]) {
				c.record("delete %s %v", deleted.GetObjectName(), deleted.FinalStateUnknown != nil)
			},
		},
	})
	return c, err
}

// NamesOnNode lists the pods of a node.
func (c *TypedCounter) NamesOnNode(node string) ([]string, error) {
	pods, err := c.pods.GetTypedIndexer().ByTypedIndex(byNode, node)
	var names []string
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	return names, err
}
