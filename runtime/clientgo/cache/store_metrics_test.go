package cache

import "testing"

// Whatever writes to a store, the version that the store has then is published.
func TestStoreMetrics(t *testing.T) {
	metrics := &metricsLog{}
	store := NewStore(MetaNamespaceKeyFunc, WithStoreMetrics(newInformerName(t).WithResource(podsResource), metrics))
	for _, c := range []struct {
		name  string
		write func() error
		want  string
	}{
		{"add", func() error { return store.Add(pod("ns", "a", "1")) }, "1"},
		{"update", func() error { return store.Update(pod("ns", "a", "2")) }, "2"},
		{"delete", func() error { return store.Delete(pod("ns", "a", "3")) }, "3"},
		{"replace", func() error { return store.Replace([]any{pod("ns", "b", "1")}, "4") }, "4"},
		{"bookmark", func() error { store.(interface{ Bookmark(string) }).Bookmark("5"); return nil }, "5"},
		{"transaction", func() error {
			if err := store.(TransactionStore).Transaction(Transaction{Object: pod("ns", "c", "6"), Type: TransactionTypeAdd}); err != nil {
				return err
			}
			return nil
		}, "6"},
	} {
		if err := c.write(); err != nil {
			t.Fatal(err)
		}
		same(t, c.name, metrics.take(), []string{"TestStoreMetrics pods version: " + c.want})
	}
}

// Without a reserved identity there are no metrics.
func TestStoreMetricsNeedAReservedIdentity(t *testing.T) {
	metrics := &metricsLog{}
	store := NewStore(MetaNamespaceKeyFunc, WithStoreMetrics(InformerNameAndResource{}, metrics))
	if err := store.Add(pod("ns", "a", "1")); err != nil {
		t.Fatal(err)
	}
	same(t, "metrics", metrics.take(), nil)
}
