package cache

import (
	"slices"
	"testing"
)

func TestUndeltaStorePushesItsContent(t *testing.T) {
	var pushed [][]any
	store := NewUndeltaStore(func(objs []any) { pushed = append(pushed, objs) }, MetaNamespaceKeyFunc)
	a, newer, b := pod("ns", "a", "1"), pod("ns", "a", "2"), pod("ns", "b", "1")
	for _, err := range []error{store.Add(a), store.Update(newer), store.Delete(a), store.Replace([]any{b}, "1")} {
		if err != nil {
			t.Error(err)
		}
	}
	want := [][]any{{a}, {newer}, {}, {b}}
	if !slices.EqualFunc(pushed, want, slices.Equal[[]any]) {
		t.Errorf("got %v, want %v", pushed, want)
	}
}
