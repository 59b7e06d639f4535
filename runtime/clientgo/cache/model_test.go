package cache

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// Our indexers and client-go's are given the same actions, and asked all the same
// questions.

func TestIndexerIsClientGos(t *testing.T) { everyChoice(t, 40, 1000, indexers) }

func FuzzIndexer(f *testing.F) { fuzzChoices(f, indexers) }

func indexers(t *testing.T, c choices) {
	pair := indexerPair{ours: UntypedIndexer(podStore(t)), theirs: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
	switch c.of(3) {
	case 0:
		pair.ours = NewIndexer(MetaNamespaceKeyFunc, Indexers{})
	case 1:
		pair.ours = keyed{NewThreadSafeStore(Indexers{}, Indices{})}
		pair.theirs = keyed{cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{})}
	}
	for step := 1; len(c) > 0; step++ {
		did := pair.act(&c, fmt.Sprint(step))
		if diff := pair.compare(&c); diff != "" || strings.Contains(did, "different errors") {
			t.Fatalf("step %d: after %s (-client-go +ours):\n%s", step, did, diff)
		}
	}
}

// keyed is a ThreadSafeStore as an Indexer, under other keys than the objects' names.
type keyed struct {
	ThreadSafeStore
}

func (k keyed) key(obj any) string {
	p := obj.(*v1.Pod)
	return "//" + p.Name + "/of " + p.Namespace
}

func (k keyed) Add(obj any) error {
	k.ThreadSafeStore.Add(k.key(obj), obj)
	return nil
}

func (k keyed) Update(obj any) error {
	k.ThreadSafeStore.Update(k.key(obj), obj)
	return nil
}

func (k keyed) Delete(obj any) error {
	if obj.(*v1.Pod).Name == "0" {
		k.ThreadSafeStore.Delete(k.key(obj))
		return nil
	}
	deleteObject(k.ThreadSafeStore, k.key(obj), obj)
	return nil
}

func (k keyed) Replace(list []any, resourceVersion string) error {
	items := map[string]any{}
	for _, obj := range list {
		items[k.key(obj)] = obj
	}
	k.ThreadSafeStore.Replace(items, resourceVersion)
	return nil
}

func (k keyed) Get(obj any) (item any, exists bool, err error) { return k.GetByKey(k.key(obj)) }

func (k keyed) GetByKey(key string) (item any, exists bool, err error) {
	item, exists = k.ThreadSafeStore.Get(key)
	return item, exists, nil
}

type indexerPair struct {
	ours, theirs Indexer
}

var roles = []string{"web", "db", "cron"}

// someNamespace may be empty.
func someNamespace(c *choices) string { return []string{"", "a", "b", "c"}[c.of(4)] }

func somePod(c *choices, resourceVersion string) *v1.Pod {
	picked := slices.DeleteFunc(slices.Clone(roles), func(string) bool { return c.of(2) == 0 })
	return pod(someNamespace(c), fmt.Sprint(c.of(5)), resourceVersion, picked...)
}

// act does one thing to both, and returns what.
func (p indexerPair) act(c *choices, resourceVersion string) string {
	both := func(do func(Indexer) error) string {
		theirs, ours := do(p.theirs), do(p.ours)
		if fmt.Sprint(theirs) != fmt.Sprint(ours) {
			return fmt.Sprintf("different errors: client-go's %v, ours %v", theirs, ours)
		}
		return fmt.Sprint(theirs)
	}
	obj := somePod(c, resourceVersion)
	switch n := c.of(100); {
	case n < 30:
		return "add: " + both(func(x Indexer) error { return x.Add(obj) })
	case n < 55:
		return "update: " + both(func(x Indexer) error { return x.Update(obj) })
	case n < 70:
		return "delete: " + both(func(x Indexer) error { return x.Delete(obj) })
	case n < 76:
		var list []any
		for range c.of(12) {
			list = append(list, somePod(c, resourceVersion))
		}
		return "replace: " + both(func(x Indexer) error { return x.Replace(slices.Clone(list), resourceVersion) })
	case n < 84:
		var txns []Transaction
		for range c.of(6) {
			kind := []TransactionType{TransactionTypeAdd, TransactionTypeUpdate, TransactionTypeDelete}[c.of(3)]
			txns = append(txns, Transaction{Object: somePod(c, resourceVersion), Type: kind})
		}
		return "transaction: " + both(func(x Indexer) error { return transact(x, txns) })
	case n < 94:
		indexers := Indexers{}
		for name, fn := range map[string]IndexFunc{NamespaceIndex: MetaNamespaceIndexFunc, "role": byRole, "again": byRole} {
			if c.of(4) == 0 {
				indexers[name] = fn
			}
		}
		return "add indexers: " + both(func(x Indexer) error { return x.AddIndexers(indexers) })
	default:
		return "bookmark: " + both(func(x Indexer) error { bookmark(x, resourceVersion); return nil })
	}
}

// compare asks both, and returns how the answers differ.
func (p indexerPair) compare(c *choices) string {
	role, namespace := roles[c.of(len(roles))], someNamespace(c)
	by := somePod(c, "")
	theirs, ours := answers(p.theirs, role, namespace, by), answers(p.ours, role, namespace, by)
	if reflect.DeepEqual(theirs, ours) {
		return "" // the usual case, and quick
	}
	return cmp.Diff(theirs, ours)
}

// answers are everything that an indexer says, with lists in order, and for an
// object its address: it must be the same one.
func answers(x Indexer, role, namespace string, by *v1.Pod) map[string]any {
	sorted := func(objs []any, err error) any {
		all := make([]string, len(objs))
		for i, obj := range objs {
			all[i] = address(obj)
		}
		slices.Sort(all)
		return []any{all, objs == nil, fmt.Sprint(err)}
	}
	keys := x.ListKeys()
	slices.Sort(keys)
	indexers := []string{}
	for name, fn := range x.GetIndexers() {
		values, err := fn(by)
		indexers = append(indexers, fmt.Sprint(name, values, err))
	}
	slices.Sort(indexers)
	item, exists, err := x.Get(by)
	all := map[string]any{
		"list":            sorted(x.List(), nil),
		"keys":            keys,
		"get":             []any{address(item), exists, fmt.Sprint(err)},
		"indexers":        indexers,
		"resourceVersion": comparedVersion(x),
		"bare namespace":  sorted(x.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: namespace})),
	}
	for _, name := range []string{NamespaceIndex, "role", "again", "unknown"} {
		value := role
		if name == NamespaceIndex {
			value = namespace
		}
		values := x.ListIndexFuncValues(name)
		slices.Sort(values)
		indexKeys, keysErr := x.IndexKeys(name, value)
		all[name] = []any{values, sorted(x.ByIndex(name, value)), sorted(x.Index(name, by)), indexKeys, fmt.Sprint(keysErr)}
	}
	return all
}

func address(obj any) string {
	if p, ok := obj.(*v1.Pod); ok {
		return fmt.Sprintf("%s/%s at %p", p.Namespace, p.Name, p)
	}
	return fmt.Sprint(obj)
}

func storeVersion(store any) string {
	return store.(interface{ LastStoreSyncResourceVersion() string }).LastStoreSyncResourceVersion()
}
