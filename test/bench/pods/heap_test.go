package pods

import (
	"context"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// slimPod has the node and the phase of a pod.
type slimPod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase corev1.PodPhase `json:"phase"`
	} `json:"status"`
}

func (p *slimPod) DeepCopyObject() apiruntime.Object {
	other := *p
	p.ObjectMeta.DeepCopyInto(&other.ObjectMeta)
	return &other
}

// BenchmarkHeap has the figures of docs/memory.md: what a pod takes in an informer, by what
// the informer holds of it.
func BenchmarkHeap(b *testing.B) {
	const size = 2_000
	for _, population := range []struct {
		name string
		Population
	}{{"replicas", Population{Size: size}}, {"distinct", Population{Size: size, Distinct: true}}} {
		all := make([]*corev1.Pod, size)
		for i := range all {
			all[i] = population.Pod(i)
			all[i].ResourceVersion = "" // is the server's
		}
		server := cachetest.NewServer()
		cachetest.ServeObjects(server, corev1.SchemeGroupVersion.WithResource("pods"), all...)
		clear(all)
		b.Run(population.name+"/unshared", func(b *testing.B) {
			heap(b, server, source.ClientOptions{DisableSharing: true}, cache.Options[*corev1.Pod]{})
		})
		b.Run(population.name+"/whole", func(b *testing.B) {
			heap(b, server, source.ClientOptions{}, cache.Options[*corev1.Pod]{})
		})
		b.Run(population.name+"/without-managed-fields", func(b *testing.B) {
			heap(b, server, source.ClientOptions{}, cache.Options[*corev1.Pod]{ListWatch: cache.ListWatch{DropManagedFields: true}})
		})
		b.Run(population.name+"/slim", func(b *testing.B) {
			heap(b, server, source.ClientOptions{}, cache.Options[*slimPod]{ListWatch: cache.ListWatch{DropManagedFields: true}})
		})
		b.Run(population.name+"/metadata", func(b *testing.B) {
			heap(b, server, source.ClientOptions{}, cache.Options[*metav1.PartialObjectMetadata]{ListWatch: cache.ListWatch{DropManagedFields: true}})
		})
	}
}

// heap runs an informer until it is in sync, and reports the heap that a pod takes then.
func heap[T apiruntime.Object](b *testing.B, server *cachetest.Server, client source.ClientOptions, options cache.Options[T]) {
	var total float64
	for b.Loop() {
		before := inUse()
		c, err := source.NewClientWithOptions(&rest.Config{Transport: server, QPS: -1}, client)
		if err != nil {
			b.Fatal(err)
		}
		informer := cache.New(source.New[T](c, corev1.SchemeGroupVersion.WithResource("pods"), ""), options)
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error)
		go func() { ended <- informer.Run(ctx) }()
		if err := informer.WaitForSync(ctx); err != nil {
			b.Fatal(err)
		}
		total += (inUse() - before) / float64(informer.Store().Len())
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		runtime.KeepAlive(c)
	}
	b.ReportMetric(total/float64(b.N), "B/pod")
}

// inUse is the size of what is reachable.
func inUse() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers have freed
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
