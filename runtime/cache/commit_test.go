package cache

import (
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// A reader sees none or all of the changes that are made together.
func TestApplyAtOnce(t *testing.T) {
	store, err := NewStore(func(obj *thing) (types.NamespacedName, error) { return KeyOf(obj) }, byLabel)
	if err != nil {
		t.Fatal(err)
	}
	a, b := newThing("ns", "a", "1", "labelled"), newThing("ns", "b", "2", "labelled")
	keyA, keyB := types.NamespacedName{Namespace: "ns", Name: "a"}, types.NamespacedName{Namespace: "ns", Name: "b"}
	var writer sync.WaitGroup
	writer.Go(func() {
		for range 200 {
			store.Apply([]Change[*thing]{{Key: keyA, Object: a}, {Key: keyB, Object: b}, {Key: keyB, Delete: true}, {Key: keyB, Object: b}}, "3")
			store.Apply([]Change[*thing]{{Key: keyB, Delete: true}, {Key: keyA, Delete: true}}, "")
		}
	})
	for range 200 {
		if n := store.Len(); n == 1 {
			t.Fatal("saw one of two objects")
		}
		if found, _ := store.ByIndex(byLabel.Name, "labelled"); len(found) == 1 {
			t.Fatal("saw one of two objects in the index")
		}
	}
	writer.Wait()
	if n, rv := store.Len(), store.ResourceVersion(); n != 0 || rv != "3" {
		t.Errorf("%d objects at %q", n, rv)
	}
}

// A store that is replaced by hand holds what it was given, also where a list
// of the API would say nothing new.
func TestReplaceIsExact(t *testing.T) {
	store, err := NewStore(func(obj *thing) (types.NamespacedName, error) { return KeyOf(obj) }, byLabel)
	if err != nil {
		t.Fatal(err)
	}
	first, twin := newThing("ns", "a", "1"), newThing("ns", "a", "1", "labelled")
	for _, list := range [][]*thing{{first}, {twin}, {twin, first}} {
		if err := store.Replace(list, "1"); err != nil {
			t.Fatal(err)
		}
		last := list[len(list)-1]
		if got := store.List(); len(got) != 1 || got[0] != last {
			t.Errorf("got %v, want the last one given", got)
		}
		found, _ := store.ByIndex(byLabel.Name, "labelled")
		if want := len(last.Labels); len(found) != want {
			t.Errorf("%d objects in the index, want %d", len(found), want)
		}
	}
}
