package cache

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Objects need not be of the API, and keys not of a namespace and a name.
func TestThreadSafeStoreOfAnything(t *testing.T) {
	calls := 0
	store := NewThreadSafeStore(Indexers{"parity": func(obj any) ([]string, error) {
		calls++
		return []string{[]string{"even", "odd"}[obj.(int)%2]}, nil
	}}, nil)
	store.Add("a/b/c", 1)
	store.Add("", 2)
	store.Update("/", 3)
	store.Add("nothing", nil)

	if calls != 3 {
		t.Errorf("the index was asked for %d objects, want 3: there is nothing to ask for nil", calls)
	}
	for key, want := range map[string]any{"a/b/c": 1, "": 2, "/": 3, "nothing": nil} {
		if got, exists := store.Get(key); got != want || !exists {
			t.Errorf("Get(%q) = %v, %t", key, got, exists)
		}
	}
	if _, exists := store.Get("a"); exists {
		t.Error("there is an a")
	}
	if keys, err := store.IndexKeys("parity", "odd"); !slices.Equal(keys, []string{"/", "a/b/c"}) || err != nil {
		t.Errorf("odd: %v, %v", keys, err)
	}
	if objs, err := store.Index("parity", 4); !slices.Equal(objs, []any{2}) || err != nil {
		t.Errorf("like 4: %v, %v", objs, err)
	}
	store.Replace(map[string]any{"a/b/c": 5, "new": 6}, "7")
	keys := store.ListKeys()
	slices.Sort(keys)
	if !slices.Equal(keys, []string{"a/b/c", "new"}) || store.LastStoreSyncResourceVersion() != "7" {
		t.Errorf("after Replace: %v at %q", keys, store.LastStoreSyncResourceVersion())
	}
}

// An object that moves from one key to another is always there once.
func TestThreadSafeStoreMakesChangesAtOnce(t *testing.T) {
	store := NewThreadSafeStore(Indexers{}, nil).(ThreadSafeStoreWithTransaction)
	store.Add("a", 1)
	move := map[string]func(from, to string){
		"transaction": func(from, to string) {
			store.Transaction(
				ThreadSafeStoreTransaction{Key: from, Transaction: Transaction{Type: TransactionTypeDelete}},
				ThreadSafeStoreTransaction{Key: to, Transaction: Transaction{Type: TransactionTypeAdd, Object: 1}})
		},
		"replace": func(_, to string) { store.Replace(map[string]any{to: 1}, "") },
	}
	for name, move := range move {
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 2000 {
				move("a", "b")
				move("b", "a")
			}
		})
		for range 2000 {
			if n := len(store.List()); n != 1 {
				t.Errorf("%s: %d objects", name, n)
				break
			}
		}
		wg.Wait()
	}
}

func TestThreadSafeStorePublishesItsResourceVersion(t *testing.T) {
	metrics := &metricsLog{}
	id := newInformerName(t).WithResource(podsResource)
	store := NewThreadSafeStore(Indexers{}, nil, WithThreadSafeStoreMetrics(id, metrics))
	store.Add("a", pod("ns", "a", "1"))
	store.DeleteWithObject("a", pod("ns", "a", "2"))
	store.Replace(map[string]any{}, "3")
	store.Bookmark("4")
	line := t.Name() + " pods version: "
	if diff := cmp.Diff([]string{line + "1", line + "2", line + "3", line + "4"}, metrics.take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
