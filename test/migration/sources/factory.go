package sources

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	informers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// Spread is a controller on a generated factory: it finds nodes without pods.
type Spread struct {
	factory informers.SharedInformerFactory
	nodes   corelisters.NodeLister
	pods    cache.SharedIndexInformer
}

func NewSpread(client kubernetes.Interface) (*Spread, error) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTransform(stripManagedFields),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "app=web" }),
	)
	pods := factory.Core().V1().Pods()
	s := &Spread{factory: factory, nodes: factory.Core().V1().Nodes().Lister(), pods: pods.Informer()}
	return s, s.pods.AddIndexers(cache.Indexers{byNode: podNode})
}

// Start runs the informers until ctx ends and waits for their sync.
func (s *Spread) Start(ctx context.Context) error {
	s.factory.Start(ctx.Done())
	for informer, ok := range s.factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return errors.New(informer.String() + " is not in sync")
		}
	}
	return nil
}

// Stop returns when nothing runs any more.
func (s *Spread) Stop() { s.factory.Shutdown() }

// Empty lists the nodes without pods.
func (s *Spread) Empty() ([]string, error) {
	nodes, err := s.nodes.List(labels.Everything())
	var empty []string
	for _, node := range nodes {
		pods, err := s.pods.GetIndexer().ByIndex(byNode, node.Name)
		if err != nil {
			return nil, err
		}
		if len(pods) == 0 {
			empty = append(empty, node.Name)
		}
	}
	return empty, err
}

// Labels gets the labels of a pod by the name of its resource only.
func (s *Spread) Labels(namespace, name string) (map[string]string, error) {
	generic, err := s.factory.ForResource(v1.SchemeGroupVersion.WithResource("pods"))
	if err != nil {
		return nil, err
	}
	obj, err := generic.Lister().ByNamespace(namespace).Get(name)
	if err != nil {
		return nil, err
	}
	return obj.(*v1.Pod).Labels, nil
}

// Names lists the objects of a resource, by the dynamic client and by the
// metadata client, with one informer each.
func Names(ctx context.Context, client dynamic.Interface, metadataClient metadata.Interface, resource schema.GroupVersionResource) ([]string, error) {
	objects := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, "a", nil)
	metadatas := metadatainformer.NewSharedInformerFactoryWithOptions(metadataClient, 0, metadatainformer.WithTransform(stripManagedFields))
	listers := []cache.GenericLister{objects.ForResource(resource).Lister(), metadatas.ForResource(resource).Lister()}
	objects.Start(ctx.Done())
	metadatas.Start(ctx.Done())
	if !objects.WaitForCacheSync(ctx.Done())[resource] || !metadatas.WaitForCacheSync(ctx.Done())[resource] {
		return nil, errors.New("not in sync")
	}
	var names []string
	for _, lister := range listers {
		all, err := lister.ByNamespace("a").List(labels.Everything())
		if err != nil {
			return nil, err
		}
		for _, obj := range all {
			names = append(names, key(obj))
		}
	}
	return names, nil
}
