package cache

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

func pod(namespace, name, resourceVersion string, roles ...string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace:       namespace,
		Name:            name,
		ResourceVersion: resourceVersion,
		Labels:          map[string]string{"role": strings.Join(roles, ".")},
	}}
}

// byRole finds pods by each of their roles.
func byRole(obj any) ([]string, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	if m.GetLabels()["role"] == "" {
		return nil, nil
	}
	return strings.Split(m.GetLabels()["role"], "."), nil
}

func podStore(t *testing.T) core.WritableStore[*v1.Pod] {
	t.Helper()
	store, err := core.NewStore(func(p *v1.Pod) (types.NamespacedName, error) { return core.KeyOf(p) })
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func names[T any](objs []T) []string {
	var all []string
	for _, obj := range objs {
		name, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
		if err != nil {
			name = err.Error()
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
}

func TestIndexerOverTypedStore(t *testing.T) {
	store := podStore(t)
	x := TypedIndexerOf(store)
	if err := x.AddIndexers(Indexers{NamespaceIndex: MetaNamespaceIndexFunc, "role": byRole}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*v1.Pod{pod("a", "1", "1", "web"), pod("a", "2", "2", "web", "db"), pod("b", "3", "3", "db")} {
		if err := x.Add(p); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("the store is the same", func(t *testing.T) {
		if store.Len() != 3 || store.ResourceVersion() != storeVersion(x) || store.ResourceVersion() != "3" {
			t.Errorf("%d objects at %q", store.Len(), store.ResourceVersion())
		}
		if got := names(store.ListNamespace("a")); !slices.Equal(got, []string{"a/1", "a/2"}) {
			t.Errorf("namespace a: %v", got)
		}
	})
	t.Run("index by an object that is not a T", func(t *testing.T) {
		got, err := x.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: "a"})
		if err != nil || !slices.Equal(names(got), []string{"a/1", "a/2"}) {
			t.Errorf("got %v, %v", names(got), err)
		}
		var listed []any
		if err := ListAllByNamespace(x, "b", labels.Everything(), func(obj any) { listed = append(listed, obj) }); err != nil {
			t.Fatal(err)
		}
		if got := names(listed); !slices.Equal(got, []string{"b/3"}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("several values, each object once", func(t *testing.T) {
		got, err := x.TypedIndex("role", pod("", "", "", "web", "db"))
		if err != nil || !slices.Equal(names(got), []string{"a/1", "a/2", "b/3"}) {
			t.Errorf("got %v, %v", names(got), err)
		}
	})
	t.Run("keys are sorted", func(t *testing.T) {
		got, err := x.IndexKeys("role", "db")
		if err != nil || !slices.Equal(got, []string{"a/2", "b/3"}) {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("unknown index", func(t *testing.T) {
		const want = "Index with name nope does not exist"
		_, err := x.Index("nope", pod("a", "1", ""))
		wantError(t, err, want)
		_, err = x.ByIndex("nope", "a")
		wantError(t, err, want)
		_, err = x.ByTypedIndex("nope", "a")
		wantError(t, err, want)
		_, err = x.IndexKeys("nope", "a")
		wantError(t, err, want)
		if got := x.ListIndexFuncValues("nope"); got == nil || len(got) != 0 {
			t.Errorf("values of an unknown index: %#v", got)
		}
	})
	t.Run("conflict", func(t *testing.T) {
		wantError(t, x.AddIndexers(Indexers{"role": byRole, "new": byRole}), "indexer conflict: map[role:{}]")
		if got := len(x.GetIndexers()); got != 2 {
			t.Errorf("%d indexers after a conflict", got)
		}
	})
	t.Run("indexers are copied and hold the user's functions", func(t *testing.T) {
		indexers := x.GetIndexers()
		delete(indexers, "role")
		if got, err := x.GetIndexers()["role"](pod("", "", "", "db")); err != nil || !slices.Equal(got, []string{"db"}) {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("typed indexer", func(t *testing.T) {
		byName := func(p *v1.Pod) ([]string, error) { return []string{p.Name}, nil }
		if err := x.AddTypedIndexers(TypedIndexers[*v1.Pod]{"name": byName}); err != nil {
			t.Fatal(err)
		}
		got, err := x.ByTypedIndex("name", "3")
		if err != nil || !slices.Equal(names(got), []string{"b/3"}) {
			t.Errorf("got %v, %v", names(got), err)
		}
		if _, err := x.Index("name", &v1.Node{}); err == nil || !strings.Contains(err.Error(), "*v1.Node") || !strings.Contains(err.Error(), "*v1.Pod") {
			t.Errorf("index by an object of another type: %v", err)
		}
	})
}

// Indexes that the store had before are the indexer's too.
func TestIndexerFindsIndexesOfTheStore(t *testing.T) {
	store := podStore(t)
	if err := store.AddIndexes(core.NamespaceIndex[*v1.Pod](), core.Index[*v1.Pod]{Name: "name", Value: func(p *v1.Pod) string { return p.Name }}); err != nil {
		t.Fatal(err)
	}
	x := UntypedIndexer(store)
	if err := x.Add(pod("a", "1", "1")); err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string]any{"name": pod("other", "1", ""), NamespaceIndex: &metav1.ObjectMeta{Namespace: "a"}} {
		if got, err := x.Index(name, by); err != nil || !slices.Equal(names(got), []string{"a/1"}) {
			t.Errorf("index %q: got %v, %v", name, names(got), err)
		}
	}
	if got := len(x.GetIndexers()); got != 2 {
		t.Errorf("%d indexers", got)
	}
}

func TestIndexerLooksUpByKey(t *testing.T) {
	x := UntypedIndexer(podStore(t))
	if err := x.Replace([]any{pod("a", "1", "1"), pod("", "2", "2")}, "7"); err != nil {
		t.Fatal(err)
	}
	for _, by := range []any{pod("a", "1", ""), &metav1.ObjectMeta{Namespace: "a", Name: "1"}, ExplicitKey("a/1"), DeletedFinalStateUnknown{Key: "a/1"}} {
		if _, ok, err := x.Get(by); !ok || err != nil {
			t.Errorf("Get(%T): %t, %v", by, ok, err)
		}
	}
	if item, ok, err := x.GetByKey("nope"); item != nil || ok || err != nil {
		t.Errorf("GetByKey of nothing: %v, %t, %v", item, ok, err)
	}
	if _, ok, _ := x.GetByKey("2"); !ok {
		t.Error("an object without a namespace is not found by its name")
	}
	if err := x.Delete(DeletedFinalStateUnknown{Key: "a/1"}); err != nil {
		t.Error(err)
	}
	if got := x.ListKeys(); !slices.Equal(got, []string{"2"}) || storeVersion(x) != "7" {
		t.Errorf("after deleting by a tombstone: %v at %q", got, storeVersion(x))
	}
	if err := x.Delete(pod("", "2", "9")); err != nil || storeVersion(x) != "9" {
		t.Errorf("after deleting an object: %v at %q", err, storeVersion(x))
	}
	x.(interface{ Bookmark(string) }).Bookmark("11")
	if storeVersion(x) != "11" || x.Resync() != nil {
		t.Errorf("after a bookmark: %q", storeVersion(x))
	}
}

func TestIndexerRefusesOtherTypes(t *testing.T) {
	x := UntypedIndexer(podStore(t))
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	const want = "object of type *v1.Node: not a *v1.Pod"
	wantError(t, x.Add(node), want)
	wantError(t, x.Update(node), want)
	wantError(t, x.Replace([]any{node}, "1"), want)
	for _, nothing := range []any{nil, "text", 1} {
		var keyErr KeyError
		if err := x.Add(nothing); !errors.As(err, &keyErr) {
			t.Errorf("Add(%v): %v, want a KeyError", nothing, err)
		}
		if err := x.Delete(nothing); !errors.As(err, &keyErr) {
			t.Errorf("Delete(%v): %v, want a KeyError", nothing, err)
		}
		if _, _, err := x.Get(nothing); !errors.As(err, &keyErr) {
			t.Errorf("Get(%v): %v, want a KeyError", nothing, err)
		}
	}
	if n := len(x.List()); n != 0 {
		t.Errorf("%d objects", n)
	}
}

func TestTransaction(t *testing.T) {
	x := UntypedIndexer(podStore(t))
	if err := x.Add(pod("a", "old", "1")); err != nil {
		t.Fatal(err)
	}
	err := x.(TransactionStore).Transaction(
		Transaction{Type: TransactionTypeAdd, Object: pod("a", "1", "2")},
		Transaction{Type: TransactionTypeAdd, Object: "no key"},
		Transaction{Type: TransactionTypeUpdate, Object: &v1.Node{}},
		Transaction{Type: TransactionTypeUpdate, Object: pod("a", "1", "3")},
		Transaction{Type: TransactionTypeDelete, Object: pod("a", "old", "4")},
	)
	if err == nil || !slices.Equal(err.SuccessfulIndices, []int{0, 3, 4}) || err.TotalTransactions != 5 || len(err.Errors) != 2 {
		t.Errorf("got %+v", err)
	}
	if got := x.ListKeys(); !slices.Equal(got, []string{"a/1"}) || storeVersion(x) != "4" {
		t.Errorf("%v at %q", got, storeVersion(x))
	}
	if err := x.(TransactionStore).Transaction(Transaction{Type: TransactionTypeDelete, Object: pod("a", "1", "5")}); err != nil {
		t.Error(err)
	}
}

func TestStoreOfAnything(t *testing.T) {
	type thing struct{ id, text string }
	store := NewStore(func(obj any) (string, error) {
		thing, ok := obj.(thing)
		if !ok {
			return "", fmt.Errorf("a %T", obj)
		}
		return thing.id, nil
	}, WithTransformer(func(obj any) (any, error) {
		th := obj.(thing)
		if th.text == "bad" {
			return nil, errors.New("bad text")
		}
		th.text = strings.ToUpper(th.text)
		return th, nil
	}))
	for _, id := range []string{"a/b/c", "/x", "plain", ""} {
		if err := store.Add(thing{id, "text"}); err != nil {
			t.Fatal(err)
		}
		got, ok, err := store.GetByKey(id)
		if !ok || err != nil || got != any(thing{id, "TEXT"}) {
			t.Errorf("GetByKey(%q): %v, %t, %v", id, got, ok, err)
		}
	}
	keys := store.ListKeys()
	slices.Sort(keys)
	if diff := cmp.Diff([]string{"", "/x", "a/b/c", "plain"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	wantError(t, store.Add(1), "couldn't create key for object 1: a int")
	wantError(t, store.Add(nil), "couldn't create key for object <nil>: a <nil>")
	wantError(t, store.Update(thing{"a", "bad"}), "transforming: bad text")
	wantError(t, store.Replace([]any{thing{"a", "bad"}}, "1"), "transforming: bad text")
	if err := store.Replace([]any{thing{"a", "x"}, thing{"a", "y"}}, "1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{thing{"a", "Y"}}, store.List(), cmp.AllowUnexported(thing{})); diff != "" {
		t.Errorf("after Replace (-want +got):\n%s", diff)
	}
}

// An indexer is used by everybody at once; the race detector looks on.
func TestIndexerIsSafeForConcurrentUse(t *testing.T) {
	store := podStore(t)
	if err := store.AddIndexes(core.NamespaceIndex[*v1.Pod]()); err != nil {
		t.Fatal(err)
	}
	x := UntypedIndexer(store)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 200 {
				p := pod("ns", fmt.Sprint(i%7), fmt.Sprint(i), "web")
				if err := x.Update(p); err != nil {
					t.Error(err)
				}
				if i%3 == 0 {
					if err := x.Delete(p); err != nil {
						t.Error(err)
					}
				}
				if i == 100 {
					if err := x.AddIndexers(Indexers{fmt.Sprint("role", worker): byRole}); err != nil {
						t.Error(err)
					}
				}
				for name := range x.GetIndexers() {
					if _, err := x.Index(name, p); err != nil {
						t.Error(err)
					}
				}
				if _, err := x.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: "ns"}); err != nil {
					t.Error(err)
				}
				x.List()
				x.ListKeys()
			}
		})
	}
	wg.Wait()
	if got := len(x.GetIndexers()); got != 5 {
		t.Errorf("%d indexers", got)
	}
}

// An object that moves from one value to the other is found once by both.
func TestIndexOfSeveralValuesIsOneSnapshot(t *testing.T) {
	x := UntypedIndexer(podStore(t))
	if err := x.AddIndexers(Indexers{"role": byRole}); err != nil {
		t.Fatal(err)
	}
	if err := x.Add(pod("a", "1", "", "web")); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				x.Update(pod("a", "1", "", roles[i%2]))
			}
		}
	})
	for range 20_000 {
		if got, err := x.Index("role", pod("", "", "", roles[:2]...)); len(got) != 1 || err != nil {
			t.Errorf("%d objects, %v", len(got), err)
			break
		}
	}
	close(stop)
	wg.Wait()
}

// An index by namespace asks the object, whatever the keys look like.
func TestIndexByNamespaceOfStoresWithOtherKeys(t *testing.T) {
	x := NewIndexer(func(obj any) (string, error) { return obj.(*v1.Pod).Name, nil }, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	if err := x.Add(pod("a", "1", "1")); err != nil {
		t.Fatal(err)
	}
	if got, err := x.ByIndex(NamespaceIndex, "a"); !slices.Equal(names(got), []string{"a/1"}) || err != nil {
		t.Errorf("got %v, %v", names(got), err)
	}
}
