package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
)

// numbered returns n things in one namespace, whose first label is one of a hundred.
func numbered(n int, version string) []*thing {
	things := make([]*thing, n)
	for i := range things {
		things[i] = newThing("ns", strconv.Itoa(i), version, "label-"+strconv.Itoa(i%100))
	}
	return things
}

func newThingStore(t *testing.T, things []*thing, indexes ...Index[*thing]) WritableStore[*thing] {
	t.Helper()
	store, err := NewStore(func(obj *thing) (types.NamespacedName, error) { return KeyOf(obj) }, indexes...)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Replace(things, "1"); err != nil {
		t.Fatal(err)
	}
	return store
}

// listOf is the delta of a list.
func listed(things []*thing) []delta {
	list := &wholeList{}
	for _, obj := range things {
		key, _ := KeyOf(obj)
		list.items = append(list.items, item{key, protocol.Received{Object: obj}})
	}
	return []delta{{kind: replaced, resourceVersion: "2", list: list}}
}

// reading is a fanout whose logs have readers.
type reading struct {
	fanout
	changes, everything eventlog.Cursor
}

// newReading returns one of a store that nobody reads yet.
func newReading(s *Store[*thing]) *reading {
	return &reading{fanout: fanout{store: &s.core, received: func([]delta) {}, synced: make(chan struct{})}}
}

// want opens cursors for events that are not wanted yet.
func (r *reading) want(more eventlog.Wanted) {
	now := r.wanted()
	if more.Changes && !now.Changes {
		r.logs.Changes.Open(&r.changes)
	}
	if more.Unchanged && !now.Unchanged {
		r.logs.Everything.Open(&r.everything)
	}
}

// read returns how many events a cursor has.
func read(c *eventlog.Cursor) (n int) {
	for ; c.Ready() > 0; n++ {
		c.Next()
	}
	return n
}

// Index functions are user code, and readers don't wait for them.
func TestIndexFunctionsRunUnlocked(t *testing.T) {
	things := numbered(100, "1")
	var store WritableStore[*thing]
	calls, locked := 0, 0
	index := Index[*thing]{Name: "checks", Value: func(*thing) string {
		if store.Store == nil {
			return ""
		}
		calls++
		if !store.core.mu.TryRLock() {
			locked++
			return ""
		}
		store.core.mu.RUnlock()
		return ""
	}}
	store = newThingStore(t, things, index)
	newer := numbered(100, "2")
	key, _ := KeyOf(newer[0])
	for name, write := range map[string]func(){
		"Set":     func() { _ = store.Set(newer[0]) },
		"Apply":   func() { store.Apply([]Change[*thing]{{Key: key, Object: newer[0]}}, "") },
		"Replace": func() { _ = store.Replace(things, "") },
		"event": func() {
			store.core.commit([]delta{{kind: set, key: key, Received: protocol.Received{Object: newer[0]}}}, &newReading(store.Store).fanout)
		},
		"relist, few changes": func() {
			store.core.commit(listed(append(newer[:1:1], things[1:]...)), &newReading(store.Store).fanout)
		},
		"relist, many changes": func() { store.core.commit(listed(newer), &newReading(store.Store).fanout) },
	} {
		_ = store.Replace(things, "")
		if calls, locked = 0, 0; true {
			write()
		}
		if calls == 0 || locked > 0 {
			t.Errorf("%s: %d of %d calls with the store locked", name, locked, calls)
		}
	}
}

// Under the write lock nothing is copied that is as large as the store. What is
// copied is counted in bytes that are allocated there.
func TestNothingLargeUnderTheLock(t *testing.T) {
	const size, limit = 100_000, 200_000
	things := numbered(size, "1")
	half := slices.Clone(things)
	for i := range size/2 - 1 {
		half[i] = newThing("ns", strconv.Itoa(i), "2", "other-"+strconv.Itoa(i%1000))
	}
	added := newThing("ns", "added", "2", "label-1")
	var changes []Change[*thing]
	for _, obj := range half[:size/4] {
		key, _ := KeyOf(obj)
		changes = append(changes, Change[*thing]{Key: key, Object: obj})
	}
	for name, write := range map[string]func(WritableStore[*thing]){
		"add": func(s WritableStore[*thing]) { _ = s.Set(added) },
		"relist": func(s WritableStore[*thing]) {
			all := newReading(s.Store)
			all.want(eventlog.Wanted{Changes: true, Unchanged: true})
			s.core.commit(listed(half), &all.fanout)
		},
		"apply": func(s WritableStore[*thing]) { s.Apply(changes, "2") },
		"delete after snapshots": func(s WritableStore[*thing]) {
			s.Snapshot()
			_, _ = s.SnapshotByIndex(namespaceIndexName, "ns")
			s.Delete(types.NamespacedName{Namespace: "ns", Name: "7"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := newThingStore(t, things, NamespaceIndex[*thing](), byLabel)
			allocated := &allocatedUnderLock{}
			store.core.mu.Observe = allocated.observe
			write(store)
			if allocated.most > limit {
				t.Errorf("%d bytes were allocated under the lock", allocated.most)
			}
		})
	}
}

// allocatedUnderLock counts bytes.
type allocatedUnderLock struct{ before, most uint64 }

func (a *allocatedUnderLock) observe(locked bool) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if locked {
		a.before = m.TotalAlloc
	} else {
		a.most = max(a.most, m.TotalAlloc-a.before)
	}
}

// A snapshot that is taken when everything was prepared is not changed either.
func TestSnapshotBetweenPrepareAndLock(t *testing.T) {
	things := numbered(table.LongCopy+1, "1")
	store := newThingStore(t, things, NamespaceIndex[*thing]())
	for name, snapshot := range map[string]func() Snapshot[*thing]{
		"all": store.Snapshot,
		"index": func() Snapshot[*thing] {
			hits, _ := store.SnapshotByIndex(namespaceIndexName, "ns")
			return hits
		},
	} {
		st, next := &table.Staging{}, newThing("ns", "0", "2")
		key, _ := KeyOf(next)
		found := st.Set(store.core.table, key, store.core.pack(protocol.Received{Object: next}))
		st.Prepare(store.core.table)
		kept := snapshot()
		if st.Install(store.core.table) {
			t.Fatalf("%s: installed in spite of a snapshot", name)
		}
		st.Prepare(store.core.table)
		if !st.Install(store.core.table) {
			t.Fatalf("%s: not installed, though prepared", name)
		}
		st.CommitSet(store.core.table, key, found)
		if slices.Contains(slices.Collect(kept.All()), next) {
			t.Errorf("%s: a snapshot was changed", name)
		}
	}
}

// A handler that joins while events are staged gets them.
func TestStagedAgain(t *testing.T) {
	things := numbered(10, "1")
	store := newThingStore(t, things)
	newer := append(numbered(1, "2"), things[1:9]...)
	for _, test := range []struct {
		wants                       []eventlog.Wanted // in turn
		changes, everything, stages int
	}{
		{[]eventlog.Wanted{{}}, 0, 0, 1},
		{[]eventlog.Wanted{{}, {Changes: true}}, 2, 0, 2},
		{[]eventlog.Wanted{{Changes: true}, {Changes: true, Unchanged: true}}, 2, 10, 2},
	} {
		_ = store.Replace(things, "1")
		r := newReading(store.Store)
		r.want(test.wants[0])
		stages := 0
		store.core.mu.Observe = func(locked bool) {
			if locked {
				r.want(test.wants[len(test.wants)-1])
				stages++
			}
		}
		store.core.commit(listed(newer), &r.fanout)
		store.core.mu.Observe = nil
		changes, everything := read(&r.changes), read(&r.everything)
		if changes != test.changes || everything != test.everything || stages != test.stages {
			t.Errorf("%v: %d and %d events, staged %d times; want %d, %d, %d", test.wants, changes, everything, stages, test.changes, test.everything, test.stages)
		}
		if store.Len() != 9 {
			t.Errorf("%d objects", store.Len())
		}
	}
}

// An object with many values is changed at the cost of the values that change.
func TestManyValues(t *testing.T) {
	const n = 4000
	var values []string
	index := Index[*thing]{Name: "many", Values: func(*thing) ([]string, error) { return values, nil }}
	for i := range n {
		values = append(values, fmt.Sprint("value-", i))
	}
	obj := newThing("ns", "a", "1")
	store := newThingStore(t, []*thing{obj, newThing("ns", "b", "1")}, index)
	original := slices.Clone(values)
	other := 0
	for name, change := range map[string]func(){
		"same":  func() {},
		"order": func() { slices.Reverse(values) },
		"one":   func() { other++; values = append(original[:n-1:n-1], fmt.Sprint("other-", other)) },
	} {
		if got := testing.AllocsPerRun(10, func() { change(); _ = store.Set(obj) }); got > 20 {
			t.Errorf("%s: %v allocations", name, got)
		}
		checkTable(t, store.Store)
	}
}

// A store that is large enough for everything to be prepared behaves like a map.
func TestLargeStoreModel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	store := newThingStore(t, nil, NamespaceIndex[*thing](), byInitial, byLabel)
	m := model{}
	version := 0
	object := func() *thing {
		version++
		labels := slices.Repeat([]string{""}, random.IntN(6))
		for i := range labels {
			labels[i] = strconv.Itoa(random.IntN(30))
		}
		return newThing("ns", strconv.Itoa(random.IntN(20_000)), strconv.Itoa(version), labels...)
	}
	put := func(obj *thing) types.NamespacedName {
		key, _ := KeyOf(obj)
		m[key] = obj
		return key
	}
	apply := func(n, deletions int) {
		var changes []Change[*thing]
		for range n {
			obj := object()
			key := put(obj)
			changes = append(changes, Change[*thing]{Key: key, Object: obj, Delete: random.IntN(10) < deletions})
			if changes[len(changes)-1].Delete {
				delete(m, key)
			}
		}
		store.Apply(changes, "")
	}
	relist := func(changed int) {
		list := store.List()
		for range changed {
			list = append(list, object())
		}
		clear(m)
		for _, obj := range list {
			put(obj)
		}
		store.core.commit(listed(list), &newReading(store.Store).fanout)
	}
	type kept struct {
		snapshot Snapshot[*thing]
		copied   []*thing
	}
	var snapshots []kept
	for round, step := range []func(){
		func() { apply(30_000, 1) }, func() { apply(100, 3) }, func() { relist(300) }, func() { apply(3000, 9) },
		func() { relist(9000) }, func() { relist(0) },
	} {
		step()
		for range 500 {
			obj := object()
			_ = store.Set(obj)
			put(obj)
			key, _ := KeyOf(object())
			store.Delete(key)
			delete(m, key)
			if random.IntN(100) == 0 {
				all := store.Snapshot()
				hits, _ := store.SnapshotByIndex(namespaceIndexName, "ns")
				snapshots = append(snapshots, kept{all, slices.Collect(all.All())}, kept{hits, slices.Collect(hits.All())})
			}
		}
		checkTable(t, store.Store)
		for _, s := range snapshots {
			if !slices.Equal(slices.Collect(s.snapshot.All()), s.copied) {
				t.Fatalf("round %d: a snapshot was changed", round)
			}
		}
		snapshots = nil
	}
	m.check(t, store.Store)
}
