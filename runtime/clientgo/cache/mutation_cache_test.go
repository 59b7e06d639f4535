//go:build !before37

package cache

import (
	"slices"
	"testing"

	"k8s.io/klog/v2"
)

// client-go's mutation cache takes our indexers, as store and as indexer.
func TestMutationCacheOverOurIndexer(t *testing.T) {
	x := NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	if err := x.Replace([]any{pod("ns", "a", "1"), pod("ns", "b", "5")}, "5"); err != nil {
		t.Fatal(err)
	}
	c := NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), x, MutationCacheOptions{Indexer: x, IncludeAdds: true})
	versions := func() []string {
		t.Helper()
		objs, err := c.ByIndex(NamespaceIndex, "ns")
		if err != nil {
			t.Fatal(err)
		}
		all := make([]string, len(objs))
		for i, obj := range objs {
			all[i] = resourceVersionOf(obj)
		}
		slices.Sort(all)
		return all
	}
	for _, step := range []struct {
		what string
		does func()
		want []string
	}{
		{"at first", func() {}, []string{"1", "5"}},
		{"an update that is ahead, and an add", func() { c.Mutation(pod("ns", "a", "7")); c.Mutation(pod("ns", "c", "8")) }, []string{"5", "7", "8"}},
		{"the store catches up", func() { x.Update(pod("ns", "a", "9")); x.Add(pod("ns", "c", "8")) }, []string{"5", "8", "9"}},
		{"a deletion", func() { x.Delete(pod("ns", "c", "10")); c.OnDelete(pod("ns", "c", "10")) }, []string{"5", "9"}},
	} {
		step.does()
		if got := versions(); !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, want %v", step.what, got, step.want)
		}
	}
}
