package main

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// writes are changes of one store that nobody reads meanwhile: of the typed store, and of client-go's
// NewIndexer on this runtime. Times are per object, except for changes of the whole store.
func writes(s scale) []workload {
	var all []workload
	for _, indexes := range s.indexes {
		all = append(all, changes(s.written, indexes)...)
	}
	return append(all, wholes(s.written)...)
}

// writable is a store as writers see it.
type writable struct {
	add, update, remove func(*thing)
	replace             func([]*thing)
	addIndex            func(name string)
}

// writableOf makes an empty store with so many indexes.
type writableOf func(b *testing.B, indexes int) writable

func theirWritable(_ *testing.B, indexes int) writable { return untypedWritable(theirStore(indexes)) }

func ourDropIn(_ *testing.B, indexes int) writable {
	return untypedWritable(clientgocache.NewIndexer(toolscache.MetaNamespaceKeyFunc, indexers(indexes)))
}

func untypedWritable(indexer toolscache.Indexer) writable {
	return writable{
		add:     func(t *thing) { _ = indexer.Add(t) },
		update:  func(t *thing) { _ = indexer.Update(t) },
		remove:  func(t *thing) { _ = indexer.Delete(t) },
		replace: func(all []*thing) { _ = indexer.Replace(untyped(all), "2") },
		addIndex: func(name string) {
			_ = indexer.AddIndexers(toolscache.Indexers{name: indexers(2)[indexName(1)]})
		},
	}
}

func ourWritable(b *testing.B, indexes int) writable {
	store := ourStore(b, indexes)
	set := func(t *thing) { _ = store.Set(t) }
	return writable{
		add:     set,
		update:  set,
		remove:  func(t *thing) { store.Delete(types.NamespacedName{Namespace: t.Namespace, Name: t.Name}) },
		replace: func(all []*thing) { _ = store.Replace(all, "2") },
		addIndex: func(name string) {
			index := typedIndexes(2)[1]
			index.Name = name
			_ = store.AddIndexes(index)
		},
	}
}

// comparing measures a write on client-go's store and on the typed one and, at
// the number of indexes that the goals are about, on a drop-in indexer too.
func comparing(name string, indexes int, measured func(writableOf) func(*testing.B), goal ...measure) []workload {
	store := workload{
		name:   fmt.Sprintf("writes/store/%s/indexes=%d", name, indexes),
		theirs: measured(theirWritable), ours: measured(ourWritable),
	}
	if indexes != goalIndexes {
		store.rounds = 3
		return []workload{store}
	}
	store.show = goal
	return []workload{store, {
		name:   fmt.Sprintf("writes/indexer/%s/indexes=%d", name, indexes),
		theirs: store.theirs, ours: measured(ourDropIn),
	}}
}

const goalIndexes = 2

var updateGoal = []measure{{unit: nanoseconds, times: 2}, {unit: allocations, atMost: 1}}

// changes are changes of single objects.
func changes(n, indexes int) []workload {
	all := slices.Concat(
		comparing("add", indexes, func(of writableOf) func(*testing.B) { return adding(of, n, indexes) }),
		comparing("update", indexes, func(of writableOf) func(*testing.B) { return updating(of, n, indexes, false) }, updateGoal...),
		comparing("delete", indexes, func(of writableOf) func(*testing.B) { return deleting(of, n, indexes) }))
	if indexes > 1 { // the first is by namespace, which does not change
		all = append(all,
			comparing("update-index", indexes, func(of writableOf) func(*testing.B) { return updating(of, n, indexes, true) })...)
	}
	return all
}

func adding(of writableOf, n, indexes int) func(*testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			store := of(b, indexes)
			for _, t := range things(n) {
				store.add(t)
			}
		}
		perObject(b, n)
	}
}

func deleting(of writableOf, n, indexes int) func(*testing.B) {
	return func(b *testing.B) {
		store := of(b, indexes)
		for b.Loop() {
			b.StopTimer()
			store.replace(things(n))
			b.StartTimer()
			for _, t := range things(n) {
				store.remove(t)
			}
		}
		perObject(b, n)
	}
}

// perObject reports the time that each of n objects took.
func perObject(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), nanoseconds)
}

// updating gives each object in turn its next version.
func updating(of writableOf, n, indexes int, move bool) func(*testing.B) {
	return func(b *testing.B) {
		versions := versionsOf(n, move)
		store := of(b, indexes)
		store.replace(things(n))
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			store.update(versions[i/n%2][i%n])
		}
	}
}

// wholes are changes of a whole store.
func wholes(n int) []workload {
	all := comparing(fmt.Sprintf("replace=%d/changed=100%%", n), goalIndexes, func(of writableOf) func(*testing.B) {
		return replacing(of, func() [][]*thing { return versionsOf(n, false) })
	}, measure{unit: nanoseconds, times: 2})
	all = append(all, comparing(fmt.Sprintf("replace=%d/changed=1%%", n), goalIndexes, func(of writableOf) func(*testing.B) {
		return replacing(of, func() [][]*thing {
			some := slices.Clone(things(n))
			copy(some, versionsOf(n, false)[0][:n/100])
			return [][]*thing{some, things(n)}
		})
	})...)
	all = append(all, comparing(fmt.Sprintf("replace=%d/changed=0", n), goalIndexes, func(of writableOf) func(*testing.B) {
		return replacing(of, func() [][]*thing { return [][]*thing{things(n)} })
	})...)
	return append(all, comparing(fmt.Sprintf("index=%d", n), goalIndexes, func(of writableOf) func(*testing.B) {
		return indexing(of, n)
	})...)
}

// replacing replaces one list by the next, and the last by the first.
func replacing(of writableOf, lists func() [][]*thing) func(*testing.B) {
	return func(b *testing.B) {
		lists := lists()
		store := of(b, goalIndexes)
		store.replace(lists[len(lists)-1])
		for i := 0; b.Loop(); i++ {
			store.replace(lists[i%len(lists)])
		}
	}
}

// indexing adds an index to a store of n.
func indexing(of writableOf, n int) func(*testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			store := of(b, goalIndexes)
			store.replace(things(n))
			b.StartTimer()
			store.addIndex("another")
		}
	}
}
