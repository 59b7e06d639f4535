package ecosystem

import (
	"context"
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	coordinationlisters "k8s.io/client-go/listers/coordination/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// newLeaseInformer is a function for the InformerFor of client-go's factory.
type newLeaseInformer func(client kubernetes.Interface, namespace string, resync time.Duration) cache.SharedIndexInformer

func leasesOverListerWatcher(client kubernetes.Interface, namespace string, resync time.Duration) cache.SharedIndexInformer {
	leases := client.CoordinationV1().Leases(namespace)
	return clientgocache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return leases.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return leases.Watch(ctx, options)
		},
	}, &coordinationv1.Lease{}, resync, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

func typedLeases(client kubernetes.Interface, namespace string, resync time.Duration) cache.SharedIndexInformer {
	leases := client.CoordinationV1().Leases(namespace)
	resource := factory.Resource{GroupVersionResource: coordinationv1.SchemeGroupVersion.WithResource("leases"), Namespaced: true}
	return factory.NewInformer(resource, source.FromClientset[*coordinationv1.Lease](client, leases.List, leases.Watch), factory.InformerOptions{
		ResyncPeriod: resync,
		Indexers:     cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
	})
}

// labeler is a controller as client-go's examples have it: a factory, a lister,
// handlers that fill a queue, workers, and a leader among the replicas. It
// labels the leases that have a holder.
type labeler struct {
	name    string
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	leases  coordinationlisters.LeaseLister
	synced  cache.InformerSynced
	queue   workqueue.TypedRateLimitingInterface[cache.ObjectName]
	leading chan struct{} // closed when it leads
}

func newLabeler(t *testing.T, name, namespace string, newInformer newLeaseInformer) *labeler {
	t.Helper()
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	l := &labeler{
		name:    name,
		client:  client,
		factory: informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)),
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		leading: make(chan struct{}),
	}
	informer := l.factory.InformerFor(&coordinationv1.Lease{}, func(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		return newInformer(client, namespace, resync)
	})
	handle, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    l.enqueue,
		UpdateFunc: func(_, obj any) { l.enqueue(obj) },
		DeleteFunc: l.enqueue,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.synced = handle.HasSynced
	l.leases = l.factory.Coordination().V1().Leases().Lister()
	return l
}

func (l *labeler) enqueue(obj any) {
	if key, err := cache.DeletionHandlingObjectToName(obj); err == nil {
		l.queue.Add(key)
	}
}

// run keeps the cache up to date, and works while it is the leader.
func (l *labeler) run(ctx context.Context) error {
	l.factory.Start(ctx.Done())
	defer l.factory.Shutdown()
	if !cache.WaitForNamedCacheSync(l.name, ctx.Done(), l.synced) {
		return fmt.Errorf("%s: cache did not sync", l.name)
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "labeler"},
			Client:     l.client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: l.name},
		},
		LeaseDuration:   2 * timeout,
		RenewDeadline:   timeout,
		RetryPeriod:     100 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks:       leaderelection.LeaderCallbacks{OnStartedLeading: l.lead, OnStoppedLeading: l.queue.ShutDown},
	})
	if err != nil {
		return err
	}
	elector.Run(ctx)
	return nil
}

func (l *labeler) lead(ctx context.Context) {
	close(l.leading)
	for range 2 {
		go wait.UntilWithContext(ctx, func(ctx context.Context) {
			for l.next(ctx) {
			}
		}, time.Second)
	}
}

// next reconciles one key, and reports whether there may be more.
func (l *labeler) next(ctx context.Context) bool {
	key, shutdown := l.queue.Get()
	if shutdown {
		return false
	}
	defer l.queue.Done(key)
	if err := l.reconcile(ctx, key); err != nil {
		l.queue.AddRateLimited(key)
		return true
	}
	l.queue.Forget(key)
	return true
}

func (l *labeler) reconcile(ctx context.Context, key cache.ObjectName) error {
	lease, err := l.leases.Leases(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || lease.Labels["held"] == held(lease) {
		return err
	}
	lease = lease.DeepCopy()
	metav1.SetMetaDataLabel(&lease.ObjectMeta, "held", held(lease))
	_, err = l.client.CoordinationV1().Leases(key.Namespace).Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

func held(lease *coordinationv1.Lease) string {
	return fmt.Sprint(lease.Spec.HolderIdentity != nil)
}

// A controller is written against client-go's generated factory, listers, queue and leader election. It
// does its work with an informer of this module in the factory, and so does the replica that takes over
// from it.
func TestControllerOfClientGo(t *testing.T) {
	for name, newInformer := range map[string]newLeaseInformer{"untyped": leasesOverListerWatcher, "typed": typedLeases} {
		t.Run(name, func(t *testing.T) {
			namespace := "labeler-" + name
			first := newLabeler(t, "first", namespace, newInformer)
			second := newLabeler(t, "second", namespace, newInformer)
			stopFirst := start(t, first.run)
			<-first.leading
			start(t, second.run)

			leases := first.client.CoordinationV1().Leases(namespace)
			t.Cleanup(func() {
				if err := leases.DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
					t.Error(err)
				}
			})
			for i := range 20 {
				lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("lease-%d", i)}}
				if i%2 == 0 {
					lease.Spec.HolderIdentity = new("somebody")
				}
				if _, err := leases.Create(t.Context(), lease, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			wantLabels(t, first, namespace, 10)

			stopFirst()
			<-second.leading
			eventually(t, func(ctx context.Context) error {
				lease, err := leases.Get(ctx, "lease-0", metav1.GetOptions{})
				if err != nil {
					return err
				}
				lease.Spec.HolderIdentity = nil
				_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
				return err
			})
			if err := leases.Delete(t.Context(), "lease-2", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			wantLabels(t, second, namespace, 8)
		})
	}
}

// wantLabels waits until so many leases are labelled as held, all others as not,
// and the lister of the controller sees it too.
func wantLabels(t *testing.T, l *labeler, namespace string, want int) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		all, err := l.client.CoordinationV1().Leases(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		counts := map[string]int{}
		for _, lease := range all.Items {
			if lease.Labels["held"] != held(&lease) {
				return fmt.Errorf("%s is labelled held=%s", lease.Name, lease.Labels["held"])
			}
			counts[held(&lease)]++
		}
		cached, err := l.leases.Leases(namespace).List(labels.SelectorFromSet(labels.Set{"held": "true"}))
		if err != nil || counts["true"] != want || len(cached) != want {
			return fmt.Errorf("%v leases are held, of which the lister sees %d, want %d: %v", counts, len(cached), want, err)
		}
		return nil
	})
}
