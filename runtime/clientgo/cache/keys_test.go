package cache

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

func TestKeysAreSplitAndJoined(t *testing.T) {
	for key, want := range map[string]types.NamespacedName{
		"":        {},
		"name":    {Name: "name"},
		"ns/name": {Namespace: "ns", Name: "name"},
		"a/b/c":   {Namespace: "a", Name: "b/c"},
		"/x":      {Name: "/x"},
		"/":       {Name: "/"},
		"//x":     {Name: "//x"},
		"ns/":     {Namespace: "ns"},
	} {
		got := splitKey(key)
		if got != want {
			t.Errorf("splitKey(%q) = %#v, want %#v", key, got, want)
		}
		if back := joinKey(got); back != key {
			t.Errorf("joinKey(splitKey(%q)) = %q", key, back)
		}
	}
}

// The keys of the standard functions are the same with and without a string in between,
// whatever the names.
func TestStandardKeyFunctions(t *testing.T) {
	parts := []string{"", "a", "ns", "/", "/x", "a/b", "a/", "//"}
	for name, keyFunc := range map[string]KeyFunc{
		"MetaNamespaceKeyFunc":                           MetaNamespaceKeyFunc,
		"DeletionHandlingMetaNamespaceKeyFunc":           DeletionHandlingMetaNamespaceKeyFunc,
		"client-go MetaNamespaceKeyFunc":                 cache.MetaNamespaceKeyFunc,
		"client-go DeletionHandlingMetaNamespaceKeyFunc": cache.DeletionHandlingMetaNamespaceKeyFunc,
	} {
		split, standard := splitKeyFunc(keyFunc)
		if !standard {
			t.Errorf("%s is not taken for a standard function", name)
		}
		var objects []any
		for _, namespace := range parts {
			for _, name := range parts {
				objects = append(objects, &metav1.ObjectMeta{Namespace: namespace, Name: name})
			}
		}
		objects = append(objects, ExplicitKey("a/b"), DeletedFinalStateUnknown{Key: "a/b"}, "no object", nil)
		for _, obj := range objects {
			key, wantErr := keyFunc(obj)
			got, err := split(obj)
			if got != splitKey(key) || (err == nil) != (wantErr == nil) {
				t.Errorf("%s of %#v = %#v, %v; want %#v, %v", name, obj, got, err, splitKey(key), wantErr)
			}
		}
	}
	if _, standard := splitKeyFunc(func(any) (string, error) { return "key", nil }); standard {
		t.Error("another function is taken for a standard one")
	}
}

// An indexer with a standard key function makes no strings.
func TestUpdateAllocates(t *testing.T) {
	indexer := NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "name", ResourceVersion: "1"}}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(indexer.Add(obj))
	if n := testing.AllocsPerRun(100, func() { check(indexer.Update(obj)) }); n > 0 {
		t.Errorf("an update allocates %v times", n)
	}
}
