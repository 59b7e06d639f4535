package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
)

// Long reads let others run: a few of them, which take far less than the 10 ms
// after which the scheduler would.
func TestLongReadsGiveWay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	store, err := NewStore(func(obj *thing) (types.NamespacedName, error) { return KeyOf(obj) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range longRead + 1 {
		_ = store.Set(newThing("ns", fmt.Sprint(i), "1"))
	}
	for name, read := range map[string]func(){
		"List": func() { store.List() },
		"All": func() {
			for range store.All() {
			}
		},
	} {
		var ran atomic.Bool
		go ran.Store(true)
		for n := 0; n < 50 && !ran.Load(); n++ {
			read()
		}
		if !ran.Load() {
			t.Errorf("%s did not give way", name)
		}
	}
}

// Readers that need no lock see whole batches of changes, whatever else is changed by
// them: what was read of one object, the next one is not older.
func TestGetSeesWholeBatches(t *testing.T) {
	t.Run("pointers", func(t *testing.T) { getBatches(t, func(obj *thing) *thing { return obj }) })
	t.Run("interfaces", func(t *testing.T) { getBatches(t, func(obj *thing) any { return obj }) })
	t.Run("structs", func(t *testing.T) { getBatches(t, func(obj *thing) struct{ *thing } { return struct{ *thing }{obj} }) })
}

func getBatches[T any](t *testing.T, of func(*thing) T) {
	store, err := NewStore(func(obj T) (types.NamespacedName, error) { return KeyOf(obj) })
	if err != nil {
		t.Fatal(err)
	}
	const first, second = "b", "a"
	key := func(name string) types.NamespacedName { return types.NamespacedName{Namespace: "ns", Name: name} }
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			seen := 0
			for !done.Load() {
				runtime.Gosched() // the writer's turn
				for _, name := range []string{first, second} {
					obj, ok := store.Get(key(name))
					if !ok {
						continue
					}
					m, err := meta.Accessor(obj)
					if err != nil || m.GetName() != name {
						t.Errorf("%s: got %v, %v", name, obj, err)
						return
					}
					version, _ := strconv.Atoi(m.GetResourceVersion())
					if version < seen {
						t.Errorf("%s at %d after %d", name, version, seen)
						return
					}
					seen = version
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for version := range 3000 {
		at := strconv.Itoa(version)
		batch := []Change[T]{{Key: key(second), Object: of(newThing("ns", second, at))}}
		for range random.IntN(20) { // rows come, move and go
			name := fmt.Sprint("other-", random.IntN(100))
			batch = append(batch, Change[T]{Key: key(name), Object: of(newThing("ns", name, at)), Delete: random.IntN(3) == 0})
		}
		if random.IntN(10) == 0 {
			batch = append(batch, Change[T]{Key: key(first), Delete: true}, Change[T]{Key: key(second), Delete: true})
		}
		batch = append(batch,
			Change[T]{Key: key(first), Object: of(newThing("ns", first, at))},
			Change[T]{Key: key(second), Object: of(newThing("ns", second, at))})
		switch random.IntN(20) {
		case 0:
			_ = store.Replace([]T{batch[len(batch)-1].Object, batch[len(batch)-2].Object}, at)
		case 1:
			store.List()
			store.Snapshot() // the next write is in other memory
			fallthrough
		default:
			store.Apply(batch, at)
		}
	}
	done.Store(true)
	readers.Wait()
}
