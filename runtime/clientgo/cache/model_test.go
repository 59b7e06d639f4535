package cache

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// TestIndexerIsClientGos does the same random things to our indexers and to
// client-go's, and asks all the same questions.
func TestIndexerIsClientGos(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for name, indexer := range map[string]func(*testing.T) Indexer{
		"of anything": func(*testing.T) Indexer { return NewIndexer(MetaNamespaceKeyFunc, Indexers{}) },
		"of pods":     func(t *testing.T) Indexer { return UntypedIndexer(podStore(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			for run := range 20 {
				rnd := rand.New(rand.NewPCG(seed, uint64(run)))
				pair := indexerPair{ours: indexer(t), theirs: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
				for step := range 100 {
					did := pair.act(rnd, fmt.Sprint(step+1))
					if diff := pair.compare(rnd); diff != "" || strings.Contains(did, "different errors") {
						t.Fatalf("seed %d, run %d, step %d: after %s (-client-go +ours):\n%s", seed, run, step, did, diff)
					}
				}
			}
		})
	}
}

type indexerPair struct {
	ours, theirs Indexer
}

var roles = []string{"web", "db", "cron"}

// someNamespace may be empty.
func someNamespace(rnd *rand.Rand) string { return []string{"", "a", "b", "c"}[rnd.IntN(4)] }

func somePod(rnd *rand.Rand, resourceVersion string) *v1.Pod {
	picked := slices.DeleteFunc(slices.Clone(roles), func(string) bool { return rnd.IntN(2) == 0 })
	return pod(someNamespace(rnd), fmt.Sprint(rnd.IntN(5)), resourceVersion, picked...)
}

// act does one thing to both, and returns what.
func (p indexerPair) act(rnd *rand.Rand, resourceVersion string) string {
	both := func(do func(Indexer) error) string {
		theirs, ours := do(p.theirs), do(p.ours)
		if fmt.Sprint(theirs) != fmt.Sprint(ours) {
			return fmt.Sprintf("different errors: client-go's %v, ours %v", theirs, ours)
		}
		return fmt.Sprint(theirs)
	}
	obj := somePod(rnd, resourceVersion)
	switch n := rnd.IntN(100); {
	case n < 30:
		return "add: " + both(func(x Indexer) error { return x.Add(obj) })
	case n < 55:
		return "update: " + both(func(x Indexer) error { return x.Update(obj) })
	case n < 70:
		return "delete: " + both(func(x Indexer) error { return x.Delete(obj) })
	case n < 76:
		var list []any
		for range rnd.IntN(12) {
			list = append(list, somePod(rnd, resourceVersion))
		}
		return "replace: " + both(func(x Indexer) error { return x.Replace(slices.Clone(list), resourceVersion) })
	case n < 84:
		var txns []Transaction
		for range rnd.IntN(6) {
			kind := []TransactionType{TransactionTypeAdd, TransactionTypeUpdate, TransactionTypeDelete}[rnd.IntN(3)]
			txns = append(txns, Transaction{Object: somePod(rnd, resourceVersion), Type: kind})
		}
		return "transaction: " + both(func(x Indexer) error {
			if err := x.(TransactionStore).Transaction(txns...); err != nil {
				return err
			}
			return nil
		})
	case n < 94:
		indexers := Indexers{}
		for name, fn := range map[string]IndexFunc{NamespaceIndex: MetaNamespaceIndexFunc, "role": byRole, "again": byRole} {
			if rnd.IntN(4) == 0 {
				indexers[name] = fn
			}
		}
		return "add indexers: " + both(func(x Indexer) error { return x.AddIndexers(indexers) })
	default:
		return "bookmark: " + both(func(x Indexer) error { x.Bookmark(resourceVersion); return nil })
	}
}

// compare asks both, and returns how the answers differ.
func (p indexerPair) compare(rnd *rand.Rand) string {
	role, namespace := roles[rnd.IntN(len(roles))], someNamespace(rnd)
	by := somePod(rnd, "")
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
		"resourceVersion": x.LastStoreSyncResourceVersion(),
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
