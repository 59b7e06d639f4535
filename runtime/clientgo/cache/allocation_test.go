package cache

import (
	"fmt"
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
	for name, indexer := range map[string]Indexer{
		"typed":   typed,
		"untyped": NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc}),
	} {
		if err := indexer.Replace(pods, "1"); err != nil {
			t.Fatal(err)
		}
		list := map[string]float64{"typed": 2, "untyped": 1}[name]
		n := 0
		for what, c := range map[string]struct {
			do    func()
			found int
			want  float64
		}{
			"GetByKey": {func() {
				if _, exists, _ := indexer.GetByKey("ns/pod-7"); exists {
					n = 1
				}
			}, 1, 0},
			"List":         {func() { n = len(indexer.List()) }, 1000, list},
			"ByIndex":      {func() { found, _ := indexer.ByIndex(NamespaceIndex, "ns"); n = len(found) }, 1000, list},
			"ByTypedIndex": {func() { found, _ := typed.ByTypedIndex(NamespaceIndex, "ns"); n = len(found) }, 1000, 1},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
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
