package cache

import (
	"iter"
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
)

// difference holds the changes that turn a table's objects into a list's.
type difference struct {
	gone []item
	// changed holds the items that are new or another state, in list order.
	changed []pair
	// kept holds, in list order, what the table is to hold in the end.
	kept []item
}

// pair is an item and the object that it replaces, if there is one.
type pair struct {
	item
	old     any
	existed bool
}

// diff compares the items of a list with the objects of a store, or of one branch of it. The
// caller holds writing: then the table can be read without mu.
func diff(s *store, from *delta) difference {
	var d difference
	d.kept = lastOfEachKey(from.list.items)
	if from.from != nil {
		d.kept = slices.DeleteFunc(d.kept, func(it item) bool { return s.assignment.of(it.key, it.obj) != from.from })
	}
	same, t, form := from.list.same, s.table, s.form.Load()
	listed := make([]bool, t.Len())
	for i := range d.kept {
		it := &d.kept[i]
		row, existed := t.Find(it.key)
		if !existed {
			d.changed = append(d.changed, pair{item: *it})
			continue
		}
		listed[row] = true
		old := form.Unpack(t.At(row))
		if same.Of(old, it.obj) {
			it.obj = old
			continue
		}
		d.changed = append(d.changed, pair{item: *it, old: old, existed: true})
	}
	s.eachRow(from.from, func(row uint32) {
		if listed[row] {
			return
		}
		it := item{key: t.Key(row), obj: form.Unpack(t.At(row))}
		if from.from == nil || s.assignment.of(it.key, it.obj) == from.from {
			d.gone = append(d.gone, it)
		}
	})
	return d
}

// eachRow visits the rows of a branch, or of everything: those of a namespace by the index, since
// each of many namespaces, or names, is listed when an outage ends. It may visit rows of other
// branches too. The caller holds writing.
func (s *store) eachRow(of *branch, visit func(row uint32)) {
	if of != nil && of.scope.Name != "" {
		if row, exists := s.table.Find(of.scope); exists {
			visit(row)
		}
		return
	}
	index := s.table.Index(namespaceIndexName)
	if of == nil || of.scope.Namespace == "" || index == nil || !index.ByNamespace {
		for row := range uint32(s.table.Len()) {
			visit(row)
		}
	} else if posting := index.Find(of.scope.Namespace); posting != nil {
		for _, row := range posting.Rows() {
			visit(row)
		}
	}
}

// lastOfEachKey returns items without those that a later one of the same key
// supersedes.
func lastOfEachKey(items []item) []item {
	if !repeats(items) {
		return items
	}
	at := make(map[types.NamespacedName]int, len(items))
	for i := range items {
		at[items[i].key] = i
	}
	kept := make([]item, 0, len(at))
	for i := range items {
		if at[items[i].key] == i {
			kept = append(kept, items[i])
		}
	}
	return kept
}

// repeats reports whether two items have the same key, which servers do not let
// happen.
func repeats(items []item) bool {
	seed := rand.Uint64()
	slots := make([]uint32, 2*len(items))
	for i := range items {
		at := uint64(table.Hash(seed, items[i].key)) * uint64(len(slots)) >> 32
		for slots[at] != 0 {
			if items[slots[at]-1].key == items[i].key {
				return true
			}
			at = (at + 1) % uint64(len(slots))
		}
		slots[at] = uint32(i) + 1
	}
	return false
}

func (d *difference) size() int { return len(d.gone) + len(d.changed) }

// changes returns the difference as single changes, one after the other.
func (d *difference) changes() []Change[any] {
	changes := make([]Change[any], 0, d.size())
	for i := range d.gone {
		changes = append(changes, Change[any]{Key: d.gone[i].key, Delete: true})
	}
	for i := range d.changed {
		changes = append(changes, Change[any]{Key: d.changed[i].key, Object: d.changed[i].obj})
	}
	return changes
}

// events are those of the difference that are wanted.
func (d *difference) events(wanted eventlog.Wanted) iter.Seq[eventlog.Event] {
	return func(yield func(eventlog.Event) bool) {
		if !wanted.Changes && !wanted.Unchanged {
			return
		}
		for i := range d.gone {
			last := d.gone[i].obj
			if !yield(eventlog.Event{Kind: eventlog.Deleted, FinalStateUnknown: true, Old: last, Object: last}) {
				return
			}
		}
		changed := d.changed
		if !wanted.Unchanged {
			for i := range changed {
				if !yield(changed[i].event()) {
					return
				}
			}
			return
		}
		for i := range d.kept {
			e := eventlog.Event{Kind: eventlog.Unchanged, Object: d.kept[i].obj}
			if len(changed) > 0 && changed[0].key == d.kept[i].key {
				e, changed = changed[0].event(), changed[1:]
			}
			if !yield(e) {
				return
			}
		}
	}
}

func (p *pair) event() eventlog.Event {
	if p.existed {
		return eventlog.Event{Kind: eventlog.Updated, Old: p.old, Object: p.obj}
	}
	return eventlog.Event{Kind: eventlog.Added, Object: p.obj}
}
