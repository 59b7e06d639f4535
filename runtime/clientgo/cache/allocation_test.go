package cache

import (
	"fmt"
	"maps"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// What reading and writing a store costs in allocations: a list is the typed
// copy and client-go's form of it, or that one alone if objects are untyped in
// the store too.
func TestAllocations(t *testing.T) {
	var pods []any
	for i := range 1000 {
		pods = append(pods, &v1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: fmt.Sprint("pod-", i), ResourceVersion: "1",
		}})
	}
	store, err := core.NewStore(func(p *v1.Pod) (types.NamespacedName, error) { return core.KeyOf(p) }, core.NamespaceIndex[*v1.Pod]())
	if err != nil {
		t.Fatal(err)
	}
	typed := TypedIndexerOf(store)
	type reading struct {
		do    func()
		found int
		want  float64
	}
	n := 0
	for _, side := range []struct {
		name    string
		indexer Indexer
		// list is the cost of a list.
		list float64
		more map[string]reading
	}{
		{"typed", typed, 2, map[string]reading{
			"ByTypedIndex": {func() { found, _ := typed.ByTypedIndex(NamespaceIndex, "ns"); n = len(found) }, 1000, 1},
		}},
		{"untyped", NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc}), 1, nil},
	} {
		indexer := side.indexer
		if err := indexer.Replace(pods, "1"); err != nil {
			t.Fatal(err)
		}
		readings := map[string]reading{
			"GetByKey": {func() {
				if _, exists, _ := indexer.GetByKey("ns/pod-7"); exists {
					n = 1
				}
			}, 1, 0},
			"List":    {func() { n = len(indexer.List()) }, 1000, side.list},
			"ByIndex": {func() { found, _ := indexer.ByIndex(NamespaceIndex, "ns"); n = len(found) }, 1000, side.list},
		}
		maps.Copy(readings, side.more)
		for what, c := range readings {
			t.Run(side.name+"/"+what, func(t *testing.T) {
				n = 0
				if c.do(); n != c.found {
					t.Errorf("found %d, want %d", n, c.found)
				}
				if got := testing.AllocsPerRun(100, c.do); got > c.want {
					t.Errorf("%v allocations, want %v", got, c.want)
				}
			})
		}
	}
}
