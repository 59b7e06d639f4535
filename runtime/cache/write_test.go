package cache

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

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
