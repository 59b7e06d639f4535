package bench

import (
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	clientgo "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// BenchmarkMemory measures what a store with two indexes holds per object,
// beyond the object.
func BenchmarkMemory(b *testing.B) {
	all := things(1)
	measure := func(b *testing.B, fill func() any) {
		for b.Loop() {
			before := heap()
			store := fill()
			b.ReportMetric(float64(heap()-before)/objects, "B/object")
			runtime.KeepAlive(store)
		}
		b.ReportMetric(0, "ns/op")
	}
	b.Run("client-go", func(b *testing.B) {
		measure(b, func() any {
			store := clientgo.NewIndexer(clientgo.MetaNamespaceKeyFunc, clientgo.Indexers{
				clientgo.NamespaceIndex: clientgo.MetaNamespaceIndexFunc, "owner": owner,
			})
			for _, obj := range all {
				_ = store.Add(obj)
			}
			return store
		})
	})
	b.Run("informer-gen", func(b *testing.B) {
		measure(b, func() any {
			store, _ := cache.NewStore(func(t *thing) (types.NamespacedName, error) { return cache.KeyOf(t) },
				cache.NamespaceIndex[*thing](),
				cache.Index[*thing]{Name: "owner", Value: func(t *thing) string { return t.Labels["owner"] }})
			_ = store.Replace(all, "1")
			return store
		})
	})
	runtime.KeepAlive(all)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
