package cache

import (
	"slices"
	"testing"
)

func TestUndeltaStorePushesItsContent(t *testing.T) {
	var pushed [][]any
	store := NewUndeltaStore(func(objs []any) { pushed = append(pushed, objs) }, thingKey)
	a, b := thing{Key: "a"}, thing{Key: "b"}
	store.Add(a)
	store.Update(thing{Key: "a", Version: 2})
	store.Delete(a)
	store.Replace([]any{b}, "1")
	want := [][]any{{a}, {thing{Key: "a", Version: 2}}, {}, {b}}
	if !slices.EqualFunc(pushed, want, slices.Equal[[]any]) {
		t.Errorf("got %v, want %v", pushed, want)
	}
}
