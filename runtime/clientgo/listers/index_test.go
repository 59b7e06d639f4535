package listers

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

var byApp = Index[*v1.Pod]{Name: "byApp", Value: func(pod *v1.Pod) string { return pod.Labels["app"] }}

// Over every indexer, with the index and without, the same objects are found.
func TestByIndex(t *testing.T) {
	plain := indexers(t)
	for name, x := range indexers(t) {
		if err := x.AddIndexers(cache.Indexers{byApp.Name: func(obj any) ([]string, error) { return []string{byApp.Value(obj.(*v1.Pod))}, nil }}); err != nil {
			t.Fatal(err)
		}
		plain[name+", indexed"] = x
	}
	for name, x := range plain {
		lister := New[*v1.Pod](x, podResource)
		for _, c := range []struct{ namespace, value, want string }{
			{"", "web", "a/1 b/1"},
			{"b", "web", "b/1"},
			{"none", "web", ""},
			{"", "", "/bare"},
			{"", "unknown", ""},
		} {
			in := NewNamespaced(lister, c.namespace)
			got, err := ByIndex(in, byApp, c.value)
			if err != nil || names(got) != c.want || (got == nil) != (c.want == "") {
				t.Errorf("%s: ByIndex(%q) in %q: %q (nil: %t), %v; want %q", name, c.value, c.namespace, names(got), got == nil, err, c.want)
			}
			if got := names(slices.Collect(AllByIndex(in, byApp, c.value))); got != c.want {
				t.Errorf("%s: AllByIndex(%q) in %q: %q, want %q", name, c.value, c.namespace, got, c.want)
			}
		}
	}
}

// ByIndex returns an error for objects of another type, and AllByIndex leaves them out.
func TestByIndexOfAnotherType(t *testing.T) {
	x := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, obj := range []any{&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}, pod("", "bare", nil)} {
		if err := x.Add(obj); err != nil {
			t.Fatal(err)
		}
	}
	lister := New[*v1.Pod](x, podResource)
	if _, err := ByIndex(lister, byApp, ""); err == nil || err.Error() != "object of type *v1.Node in the indexer: not a *v1.Pod" {
		t.Errorf("ByIndex: %v", err)
	}
	if got := names(slices.Collect(AllByIndex(lister, byApp, ""))); got != "/bare" {
		t.Errorf("AllByIndex: %s", got)
	}
}
