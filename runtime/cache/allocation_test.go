package cache_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// What reading and writing a store costs in allocations.
func TestAllocations(t *testing.T) {
	var things []*thing
	for i := range 1000 {
		things = append(things, newThing(fmt.Sprintf("n%d", i)))
	}
	store := must[cache.WritableStore[*thing]](t)(cache.NewStore(
		func(obj *thing) (types.NamespacedName, error) { return cache.KeyOf(obj) },
		cache.NamespaceIndex[*thing](), cache.Index[*thing]{Name: "last", Value: lastOf}))
	if err := store.Replace(things, "1"); err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, test := range map[string]struct {
		do   func()
		want float64
	}{
		"Get":           {func() { _, _ = store.Get(keyOf("n7")) }, 0},
		"List":          {func() { n += len(store.List()) }, 1},
		"ListNamespace": {func() { n += len(store.ListNamespace("ns")) }, 1},
		"ByIndex":       {func() { found, _ := store.ByIndex("last", "7"); n += len(found) }, 1},
		"All": {func() {
			for range store.All() {
				n++
			}
		}, 0},
		"Namespace": {func() {
			for range store.Namespace("ns") {
				n++
			}
		}, 0},
		"Set": {func() { _ = store.Set(things[7]) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			// A write after a read that shares the memory makes a copy, once.
			_ = store.Set(things[7])
			if got := testing.AllocsPerRun(100, test.do); got > test.want {
				t.Errorf("%v allocations, want %v", got, test.want)
			}
		})
	}
}
