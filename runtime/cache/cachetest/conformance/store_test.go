package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// storeCases are about stores and their indexes.
var storeCases = []testCase{
	{statement: "S1", title: "a value that no object has any more leaves the index", test: func(t *T) {
		x := t.newIndexer(roles())
		t.check(x.Add(withRoles(podAt("a", "1"), "web")))
		t.check(x.Update(withRoles(podAt("a", "2"), "web")))
		t.equal("values", x.ListIndexFuncValues("roles"), []string{"web"})
		t.check(x.Update(withRoles(podAt("a", "3"), "db")))
		t.equal("values", x.ListIndexFuncValues("roles"), []string{"db"})
		t.check(x.Delete(podAt("a", "4")))
		t.equal("values", x.ListIndexFuncValues("roles"), []string{})
	}},

	{statement: "S2", title: "an object that an index function fails for is stored, and left out of that index", test: func(t *T) {
		indexers := roles()
		indexers["failing"] = func(any) ([]string, error) { return nil, errors.New("no value") }
		x := t.newIndexer(indexers)
		t.check(x.Add(withRoles(podAt("a", "1"), "web")))
		t.equal("store", stored(x), []string{"a@1"})
		t.equal("other index", t.byIndex(x, "web"), []string{"a@1"})
		t.equal("values", x.ListIndexFuncValues("failing"), []string{})
	}},

	{statement: "S3", title: "a lookup in an unknown index is an error", test: func(t *T) {
		x := t.newIndexer(roles())
		_, byIndex := x.ByIndex("none", "web")
		_, index := x.Index("none", podAt("a", "1"))
		_, keys := x.IndexKeys("none", "web")
		for _, err := range []error{byIndex, index, keys} {
			if err == nil || err.Error() != "Index with name none does not exist" {
				t.Errorf("error is %v", err)
			}
		}
		t.equal("values", len(x.ListIndexFuncValues("none")), 0)
	}},

	{statement: "S4", title: "an index that is added later has the existing objects", test: func(t *T) {
		x := t.newIndexer(cache.Indexers{})
		t.check(x.Add(withRoles(podAt("a", "1"), "web")))
		t.check(x.AddIndexers(roles()))
		t.equal("index", t.byIndex(x, "web"), []string{"a@1"})
	}},

	{statement: "S4", title: "of several indexes none is added if one exists", test: func(t *T) {
		x := t.newIndexer(roles())
		more := roles()
		more["more"] = more["roles"]
		if err := x.AddIndexers(more); err == nil || err.Error() != "indexer conflict: map[roles:{}]" {
			t.Errorf("error is %v", err)
		}
		t.equal("indexes", slices.Collect(maps.Keys(x.GetIndexers())), []string{"roles"})
	}},

	{statement: "S4", title: "an informer that was created without indexes accepts one", test: func(t *T) {
		informer := t.newInformer(t.newFeed(emptyList("1")), cache.SharedIndexInformerOptions{})
		t.check(informer.AddIndexers(roles()))
		t.equal("indexes", slices.Collect(maps.Keys(informer.GetIndexer().GetIndexers())), []string{"roles"})
	}},

	{statement: "S4", title: "the result of GetIndexers is a copy", test: func(t *T) {
		x := t.newIndexer(roles())
		delete(x.GetIndexers(), "roles")
		t.equal("indexes", slices.Collect(maps.Keys(x.GetIndexers())), []string{"roles"})
	}},

	{statement: "S5", title: "keys of an index are sorted", test: func(t *T) {
		x := t.newIndexer(roles())
		for _, name := range []string{"c", "a", "d", "b"} {
			t.check(x.Add(withRoles(podAt(name, "1"), "web")))
		}
		keys, err := x.IndexKeys("roles", "web")
		t.check(err)
		t.equal("keys", keys, []string{"ns/a", "ns/b", "ns/c", "ns/d"})
	}},

	{statement: "S6", title: "an object that matches by two values is found once", test: func(t *T) {
		x := t.newIndexer(roles())
		t.check(x.Add(withRoles(podAt("a", "1"), "web", "db")))
		t.check(x.Add(withRoles(podAt("b", "2"), "db")))
		found, err := x.Index("roles", withRoles(podAt("z", "3"), "web", "db"))
		t.check(err)
		t.equal("found", describeAll(found), []string{"a@1", "b@2"})
	}},

	{statement: "S7", title: "the version of a store is that of its last change", test: func(t *T) {
		x := t.newIndexer(roles())
		for _, step := range []struct {
			do   func() error
			want string
		}{
			{func() error { return nil }, ""},
			{func() error { return x.Add(podAt("a", "5")) }, "5"},
			{func() error { return x.Update(podAt("a", "6")) }, "6"},
			{func() error { return x.Add(podAt("b", "7")) }, "7"},
			{func() error { return x.Delete(podAt("b", "8")) }, "8"},
			{func() error { return x.Delete(cache.DeletedFinalStateUnknown{Key: "ns/a"}) }, "8"},
			{func() error { return x.Replace([]any{podAt("a", "4")}, "10") }, "10"},
			{func() error { t.versioned(x).Bookmark("11"); return nil }, "11"},
		} {
			t.check(step.do())
			t.equal("version", t.versionOf(x), step.want)
		}
	}},

	{statement: "S7", title: "an object that is older than the version of a store leaves it, a list does not", test: func(t *T) {
		x := t.newIndexer(roles())
		t.check(x.Add(podAt("a", "10")))
		t.check(x.Add(podAt("b", "9")))
		t.equal("version after an object", t.versionOf(x), "10")
		t.check(x.Replace([]any{podAt("a", "2")}, "3"))
		t.equal("version after a list", t.versionOf(x), "3")
	}},

	{statement: "S8", title: "a replaced store holds the new objects and no others, in its indexes too", test: func(t *T) {
		x := t.newIndexer(roles())
		t.check(x.Add(withRoles(podAt("a", "1"), "web")))
		t.check(x.Add(withRoles(podAt("b", "2"), "web")))
		t.check(x.Replace([]any{withRoles(podAt("b", "2"), "db"), withRoles(podAt("c", "3"), "web")}, "3"))
		t.equal("store", stored(x), []string{"b@2", "c@3"})
		t.equal("index", t.byIndex(x, "web"), []string{"c@3"})
		t.equal("values", slices.Sorted(slices.Values(x.ListIndexFuncValues("roles"))), []string{"db", "web"})
	}},

	{statement: "S9", title: "a query is answered from one state", outside: true, test: func(t *T) {
		x := t.newIndexer(roles())
		state := func(version string) []any {
			return []any{withRoles(podAt("a", version), "web"), withRoles(podAt("b", version), "web")}
		}
		t.check(x.Replace(state("0"), "0"))
		var writer sync.WaitGroup
		writer.Go(func() {
			for i := range 1000 {
				if err := x.Replace(state(fmt.Sprint(i)), ""); err != nil {
					t.Error(err)
				}
			}
		})
		defer writer.Wait()
		for range 1000 {
			for _, got := range [][]string{stored(x), t.byIndex(x, "web")} {
				if len(got) != 2 || strings.TrimPrefix(got[0], "a") != strings.TrimPrefix(got[1], "b") {
					t.Fatalf("got %v", got)
				}
			}
		}
	}},

	{statement: "S10", title: "operations of a transaction that fail are reported, and the others are done", test: func(t *T) {
		x := t.newIndexer(roles())
		t.check(x.Add(podAt("b", "1")))
		err := t.transact(x,
			clientgocache.Transaction{Type: clientgocache.TransactionTypeAdd, Object: podAt("a", "2")},
			clientgocache.Transaction{Type: clientgocache.TransactionTypeAdd, Object: "an object without a key"},
			clientgocache.Transaction{Type: clientgocache.TransactionTypeDelete, Object: podAt("b", "3")},
			clientgocache.Transaction{Type: clientgocache.TransactionTypeUpdate, Object: podAt("a", "4")},
		)
		if err == nil || err.TotalTransactions != 4 || len(err.Errors) != 1 {
			t.Fatalf("error is %v", err)
		}
		t.equal("done", err.SuccessfulIndices, []int{0, 2, 3})
		t.equal("store", stored(x), []string{"a@4"})
		t.equal("version", t.versionOf(x), "4")
	}},

	{statement: "S10", title: "a store transforms its objects, but not in a transaction", test: func(t *T) {
		x := t.newTransformingIndexer(func(obj any) (any, error) { return withRoles(obj.(*v1.Pod).DeepCopy(), "transformed"), nil })
		t.check(x.Add(podAt("a", "1")))
		t.check(x.Update(podAt("b", "2")))
		t.equal("index", t.byIndex(x, "transformed"), []string{"a@1", "b@2"})
		t.check(x.Replace([]any{podAt("c", "3")}, "3"))
		t.equal("index", t.byIndex(x, "transformed"), []string{"c@3"})
		if err := t.transact(x, clientgocache.Transaction{Type: clientgocache.TransactionTypeAdd, Object: podAt("d", "4")}); err != nil {
			t.Error(err)
		}
		t.equal("index", t.byIndex(x, "transformed"), []string{"c@3"})
	}},
}

// transact makes changes to a store at once.
func (t *T) transact(x cache.Store, changes ...clientgocache.Transaction) *clientgocache.TransactionError {
	store, ok := x.(clientgocache.TransactionStore)
	if !ok {
		t.Fatalf("%T has no transactions", x)
	}
	return store.Transaction(changes...)
}

// newIndexer returns an indexer of pods.
func (t *T) newIndexer(indexers cache.Indexers) cache.Indexer {
	t.Helper()
	if t.impl.NewIndexer == nil {
		t.Fatal("there is no NewIndexer")
	}
	return t.impl.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, indexers, nil)
}

func (t *T) newTransformingIndexer(transform cache.TransformFunc) cache.Indexer {
	t.Helper()
	if t.impl.NewIndexer == nil {
		t.Fatal("there is no NewIndexer")
	}
	return t.impl.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, roles(), transform)
}

// roles are indexers with one index, "roles", by which a pod has any number of
// values.
func roles() cache.Indexers {
	return cache.Indexers{"roles": func(obj any) ([]string, error) {
		return strings.Fields(obj.(*v1.Pod).Annotations["roles"]), nil
	}}
}

func withRoles(p *v1.Pod, roles ...string) *v1.Pod {
	p.Annotations = map[string]string{"roles": strings.Join(roles, " ")}
	return p
}

// byIndex describes what the index by role finds.
func (t *T) byIndex(x cache.Indexer, role string) []string {
	t.Helper()
	objs, err := x.ByIndex("roles", role)
	t.check(err)
	return describeAll(objs)
}
