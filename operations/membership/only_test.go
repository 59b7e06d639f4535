package membership

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// objects is a store of objects by name.
type objects map[string]*metav1.ObjectMeta

func (o objects) get(key types.NamespacedName) (*metav1.ObjectMeta, bool) {
	obj, ok := o[key.Name]
	return obj, ok
}

func (o objects) all() iter.Seq[*metav1.ObjectMeta] { return maps.Values(o) }

// Only reconciles what is owned, with a context that ends when it is not any more.
func TestOnly(t *testing.T) {
	alone(t, func(_ *world, r *replica) {
		wrong := errors.New("wrong")
		store := objects{"a": {Name: "a", UID: "1"}}
		key := types.NamespacedName{Name: "a"}
		calls := 0
		reconcile := Only(r.member, store.get, func(ctx context.Context, key types.NamespacedName) (string, error) {
			calls++
			if calls == 2 {
				<-ctx.Done()
			}
			return key.Name, wrong
		})
		if result, err := reconcile(r.t.Context(), key); result != "a" || err != wrong {
			t.Errorf("owned: got %q, %v", result, err)
		}
		if result, err := reconcile(r.t.Context(), types.NamespacedName{Name: "b"}); result != "" || err != nil {
			t.Errorf("not in the store: got %q, %v", result, err)
		}
		r.network.set(partitioned)
		if result, err := reconcile(r.t.Context(), key); result != "" || err != nil {
			t.Errorf("lost: got %q, %v", result, err)
		}
		if result, err := reconcile(r.t.Context(), key); result != "" || err != nil || calls != 2 {
			t.Errorf("not owned: got %q, %v, %d calls", result, err, calls)
		}
		r.network.set(faults{})
	})
}

// Enqueue adds the objects of what is gained, and no others.
func TestEnqueue(t *testing.T) {
	simulate(t, 1, func(w *world) {
		store := objects{}
		for i := range 100 {
			name := string(rune('A'+i/10)) + string(rune('0'+i%10))
			store[name] = &metav1.ObjectMeta{Name: name, UID: types.UID(name + "-4f6bd1b9-6b1a-4d4c")}
		}
		var mu sync.Mutex
		added := map[*replica][]string{}
		follow := func(r *replica) {
			Enqueue(r.member, store.all, func(keys ...types.NamespacedName) {
				mu.Lock()
				defer mu.Unlock()
				for _, key := range keys {
					added[r] = append(added[r], key.Name)
				}
			})
		}
		a, b := w.start("a", 1), w.start("b", 1)
		follow(a)
		w.balanced(20 * time.Second)
		follow(b) // owns its part already
		synctest.Wait()
		both := slices.Concat(added[a], added[b])
		slices.Sort(both)
		if !slices.Equal(both, slices.Sorted(maps.Keys(store))) || len(added[a]) < 20 || len(added[b]) < 20 {
			t.Errorf("added %q and %q", added[a], added[b])
		}
		before := len(added[a])
		b.leave()
		w.balanced(5 * time.Second)
		synctest.Wait()
		if len(added[a])-before != len(added[b]) {
			t.Errorf("%d objects were added to one when the other one left, want %d", len(added[a])-before, len(added[b]))
		}
	})
}
