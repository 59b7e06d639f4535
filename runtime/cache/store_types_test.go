package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// A store of an interface holds objects of one Go type or of several, one after the
// other or together, and its readers get what was put in.
func TestStoreOfSeveralTypes(t *testing.T) {
	ofType := []func(name string) metav1.Object{
		func(name string) metav1.Object { return newThing("ns", name, "1") },
		func(name string) metav1.Object {
			u := &unstructured.Unstructured{}
			u.SetNamespace("ns")
			u.SetName(name)
			return u
		},
		func(name string) metav1.Object { return &metav1.ObjectMeta{Namespace: "ns", Name: name} },
	}
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			store, err := NewStore(func(obj metav1.Object) (types.NamespacedName, error) { return KeyOf(obj) },
				NamespaceIndex[metav1.Object](), Index[metav1.Object]{Name: "last", Value: func(obj metav1.Object) string {
					return obj.GetName()[len(obj.GetName())-1:]
				}})
			if err != nil {
				t.Fatal(err)
			}
			stop := readers(t, store.Store)
			defer stop()
			m := map[types.NamespacedName]metav1.Object{}
			kinds := 1 + random.IntN(len(ofType))
			object := func() (types.NamespacedName, metav1.Object) {
				name := fmt.Sprint("object-", random.IntN(30))
				return types.NamespacedName{Namespace: "ns", Name: name}, ofType[random.IntN(kinds)](name)
			}
			for range 200 {
				switch random.IntN(5) {
				case 0, 1:
					key, obj := object()
					m[key] = obj
					_ = store.Set(obj)
				case 2:
					key, _ := object()
					old, existed := store.Delete(key)
					if old != m[key] || existed != (m[key] != nil) {
						t.Fatalf("deleted %v, %v; want %v", old, existed, m[key])
					}
					delete(m, key)
				case 3:
					var changes []Change[metav1.Object]
					for range random.IntN(5) {
						key, obj := object()
						changes = append(changes, Change[metav1.Object]{Key: key, Object: obj})
						m[key] = obj
					}
					store.Apply(changes, "")
				case 4:
					if random.IntN(4) > 0 {
						break
					}
					clear(m)
					var all []metav1.Object
					for range random.IntN(20) {
						key, obj := object()
						all = append(all, obj)
						m[key] = obj
					}
					_ = store.Replace(all, "")
				}
				checkTable(t, store.Store)
				want, got := map[metav1.Object]bool{}, map[metav1.Object]bool{}
				for key, obj := range m {
					want[obj] = true
					if stored, ok := store.Get(key); !ok || stored != obj {
						t.Fatalf("%v is %v, want %v", key, stored, obj)
					}
				}
				for _, list := range [][]metav1.Object{store.List(), store.ListNamespace("ns"), slices.Collect(store.All())} {
					clear(got)
					for _, obj := range list {
						got[obj] = true
					}
					if len(list) != len(m) || len(got) != len(want) {
						t.Fatalf("%d objects, want %d", len(list), len(m))
					}
					for obj := range got {
						if !want[obj] {
							t.Fatalf("%v is in the store", obj)
						}
					}
				}
			}
		})
	}
}

// readers read a store until they are stopped.
func readers(t *testing.T, store *Store[metav1.Object]) (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				name := fmt.Sprint("object-", n%30)
				if obj, ok := store.Get(types.NamespacedName{Namespace: "ns", Name: name}); ok && obj.GetName() != name {
					t.Errorf("%s is %v", name, obj)
					return
				}
				if n%10 == 0 {
					for obj := range store.Snapshot().All() {
						_ = obj.GetName()
					}
				}
			}
		})
	}
	return func() { close(done); all.Wait() }
}

// Objects of one Go type take as much memory in a store of an interface as in one of
// their type.
func TestStoreOfAnInterfaceIsSmall(t *testing.T) {
	things := numbered(10_000, "1")
	of := func(make func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		make()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	typed := of(func() { newThingStore(t, things, NamespaceIndex[*thing]()) })
	var untyped []any
	for _, obj := range things {
		untyped = append(untyped, obj)
	}
	interfaces := of(func() {
		store, _ := NewStore(func(obj any) (types.NamespacedName, error) { return KeyOf(obj) }, NamespaceIndex[any]())
		_ = store.Replace(untyped, "1")
	})
	if interfaces > typed+typed/5 {
		t.Errorf("%d bytes, %d for objects of their type", interfaces, typed)
	}
}
