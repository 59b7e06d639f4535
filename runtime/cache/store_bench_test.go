package cache

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// The benchmarks of this file report, besides what they take, the longest time that
// the write lock was held: so long may a reader have to wait.

// benchThings returns n things of a thousand for each namespace and a hundred for each
// owner.
func benchThings(n int, version string) []*thing {
	things := make([]*thing, n)
	backing := make([]thing, n)
	for i := range things {
		t := &backing[i]
		t.Namespace, t.Name = "namespace-"+strconv.Itoa(i/1000), "thing-"+strconv.Itoa(i)
		t.UID, t.ResourceVersion = types.UID(t.Name), version
		t.GenerateName = "owner-" + strconv.Itoa(i/100)
		things[i] = t
	}
	return things
}

var benchIndexes = []Index[*thing]{
	NamespaceIndex[*thing](),
	{Name: "owner", Value: func(obj *thing) string { return obj.GenerateName }},
}

func benchStore(b *testing.B, things []*thing, indexes ...Index[*thing]) (WritableStore[*thing], *longestHold) {
	b.Helper()
	store, err := NewStore(func(obj *thing) (types.NamespacedName, error) {
		return types.NamespacedName{Namespace: obj.Namespace, Name: obj.Name}, nil
	}, indexes...)
	if err != nil {
		b.Fatal(err)
	}
	if err := store.Replace(things, "1"); err != nil {
		b.Fatal(err)
	}
	hold := &longestHold{}
	return store, hold
}

// longestHold measures for how long a lock is held.
type longestHold struct {
	since   time.Time
	longest time.Duration
}

func (h *longestHold) observe(locked bool) {
	if locked {
		h.since = time.Now()
	} else {
		h.longest = max(h.longest, time.Since(h.since))
	}
}

func (h *longestHold) report(b *testing.B) {
	b.ReportMetric(float64(h.longest.Microseconds()), "µs-held")
}

func BenchmarkStoreGet(b *testing.B) {
	things := benchThings(100_000, "1")
	store, _ := benchStore(b, things, benchIndexes...)
	i := 0
	for b.Loop() {
		t := things[i*7919%len(things)]
		_, _ = store.Get(types.NamespacedName{Namespace: t.Namespace, Name: t.Name})
		i++
	}
}

func BenchmarkStoreByIndex(b *testing.B) {
	store, _ := benchStore(b, benchThings(100_000, "1"), benchIndexes...)
	for b.Loop() {
		_, _ = store.ByIndex("owner", "owner-77")
	}
}

func BenchmarkStoreList(b *testing.B) {
	store, _ := benchStore(b, benchThings(100_000, "1"), benchIndexes...)
	for b.Loop() {
		store.List()
	}
}

func BenchmarkStoreSet(b *testing.B) {
	for _, test := range []struct {
		name string
		next func(*thing) *thing
	}{
		{"update", func(t *thing) *thing { return t }},
		{"move", func(t *thing) *thing { c := *t; c.GenerateName += "x"; return &c }},
	} {
		b.Run(test.name, func(b *testing.B) {
			things := benchThings(100_000, "1")
			var moved []*thing
			for _, t := range things {
				moved = append(moved, test.next(t))
			}
			store, _ := benchStore(b, things, benchIndexes...)
			i := 0
			for b.Loop() {
				all := things
				if i/len(things)%2 == 0 {
					all = moved
				}
				_ = store.Set(all[i%len(things)])
				i++
			}
		})
	}
}

func BenchmarkStoreAddDelete(b *testing.B) {
	things := benchThings(100_000, "1")
	store, _ := benchStore(b, nil, benchIndexes...)
	i := 0
	for b.Loop() {
		t := things[i%len(things)]
		if i/len(things)%2 == 0 {
			_ = store.Set(t)
		} else {
			store.Delete(types.NamespacedName{Namespace: t.Namespace, Name: t.Name})
		}
		i++
	}
}

func BenchmarkStoreReplace(b *testing.B) {
	things := benchThings(100_000, "1")
	store, _ := benchStore(b, things, benchIndexes...)
	for b.Loop() {
		_ = store.Replace(things, "1")
	}
}

// Many values of one object.
func BenchmarkStoreManyValues(b *testing.B) {
	values := make([]string, 4000)
	for i := range values {
		values[i] = fmt.Sprintf("value-%05d", i)
	}
	at := 0
	index := Index[*thing]{Name: "many", Values: func(*thing) ([]string, error) { return values[at : at+3000], nil }}
	store, _ := benchStore(b, benchThings(10, "1"), index)
	t := benchThings(1, "1")[0]
	for b.Loop() {
		at = (at + 1) % 1000
		_ = store.Set(t)
	}
}
