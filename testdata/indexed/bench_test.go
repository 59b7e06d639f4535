package indexed_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	"github.com/informer-gen/informer-gen/runtime/factory"
	v1 "github.com/informer-gen/informer-gen/testdata/indexed/api/v1"
	fleetlisters "github.com/informer-gen/informer-gen/testdata/indexed/generated/listers/fleet/v1"
)

// manyMachines are 100,000 in 10 namespaces, of which 100 are in each zone, 10 in each
// namespace.
func manyMachines() []*v1.Machine {
	all := make([]*v1.Machine, 100_000)
	for i := range all {
		disk := v1.Disk{Class: fmt.Sprint("class-", i%1000)}
		all[i] = &v1.Machine{
			ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("namespace-", i%10), Name: fmt.Sprint("machine-", i)},
			Spec:       v1.MachineSpec{Zone: fmt.Sprint("zone-", i/10%1000), Disks: []v1.Disk{disk}},
		}
	}
	return all
}

func newStore(b *testing.B, machines []*v1.Machine, indexes ...listers.Index[*v1.Machine]) core.WritableStore[*v1.Machine] {
	b.Helper()
	store, err := core.NewStore(func(m *v1.Machine) (types.NamespacedName, error) { return core.KeyOf(m) }, core.NamespaceIndex[*v1.Machine]())
	if err != nil {
		b.Fatal(err)
	}
	for _, index := range indexes {
		if err := store.AddIndexes(factory.CoreIndex(index)); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.Replace(machines, ""); err != nil {
		b.Fatal(err)
	}
	return store
}

// BenchmarkFind finds 100 of 100,000 machines, or 10 of them in one namespace.
func BenchmarkFind(b *testing.B) {
	machines := manyMachines()
	indexer := cache.UntypedIndexer(newStore(b, machines, fleetlisters.MachineByZone))
	plain := cache.UntypedIndexer(newStore(b, machines))
	for _, c := range []struct {
		name    string
		indexer toolscache.Indexer
	}{{"index", indexer}, {"no index", plain}} {
		lister := fleetlisters.NewMachineLister(c.indexer)
		for namespace, in := range map[string]fleetlisters.MachineIndexLister{"all": lister, "one": lister.Machines("namespace-3")} {
			b.Run(c.name+"/"+namespace+"/slice", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if found, err := in.ByZone("zone-7"); err != nil || len(found) == 0 {
						b.Fatal(len(found), err)
					}
				}
			})
			b.Run(c.name+"/"+namespace+"/iterator", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for range in.AllByZone("zone-7") {
					}
				}
			})
		}
	}
}

// BenchmarkIndexHeap measures what an index takes for an object.
func BenchmarkIndexHeap(b *testing.B) {
	machines := manyMachines()
	heapOf := func(indexes ...listers.Index[*v1.Machine]) float64 {
		before := heapInUse()
		store := newStore(b, machines, indexes...)
		heap := heapInUse() - before
		runtime.KeepAlive(store)
		return heap
	}
	for _, index := range []listers.Index[*v1.Machine]{fleetlisters.MachineByZone, fleetlisters.MachineByDiskClass} {
		b.Run(index.Name, func(b *testing.B) {
			heap := 0.0
			for b.Loop() {
				heap += heapOf(index) - heapOf()
			}
			b.ReportMetric(heap/float64(b.N*len(machines)), "B/object")
		})
		b.Run(index.Name+"/values", func(b *testing.B) {
			b.ReportAllocs()
			machine := slices.MaxFunc(machines, func(a, b *v1.Machine) int { return len(a.Name) - len(b.Name) })
			untyped := factory.CoreIndex(index)
			for b.Loop() {
				if untyped.Value != nil {
					untyped.Value(machine)
				} else if _, err := untyped.Values(machine); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	runtime.KeepAlive(machines)
}

// heapInUse is the size of all objects that are reachable.
func heapInUse() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
