package cache

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// difference holds the changes between the objects of a store and a list.
type difference struct {
	// changes make the store equal to the list. Deletions come first, then new and changed objects in the
	// order of the list. old has the object that each change replaces, or nil.
	changes []change
	old     []any
	// kept holds the final content of the store, in the order of the list.
	kept []item
	// sequence says which of the lost objects were released, and not deleted. Nil means that all were
	// deleted.
	sequence *decoding.Sequence
	// quiet is set if unchanged objects cause no event for any handler.
	quiet bool
}

// diff compares the items of a list with the stored objects of the list's scope. The caller holds writing,
// so that the table can be read without mu.
func diff(s *store, from *delta) difference {
	kept := table.LastOfEachKey(from.list.items, func(it *item) types.NamespacedName { return it.key })
	var gone, changed difference
	same, t, form := from.list.same, s.table, s.form.Load()
	listed := make([]bool, t.Len())
	for i := range kept {
		it := &kept[i]
		var old any
		if row, existed := t.Find(it.key); existed {
			listed[row] = true
			stored := form.Received(t.At(row))
			if same.Of(stored, it.Received) {
				it.Received = stored
				continue
			}
			old = stored.Object
		}
		changed.add(change{item: *it}, old)
	}
	s.eachRow(from.from, func(row uint32) {
		if listed[row] {
			return
		}
		gone.add(change{item: item{key: t.Key(row)}, remove: true}, form.Unpack(t.At(row)))
	})
	return difference{
		changes: slices.Insert(changed.changes, 0, gone.changes...), old: slices.Insert(changed.old, 0, gone.old...), kept: kept,
		sequence: from.list.sequence, quiet: from.list.quiet(),
	}
}

func (d *difference) add(c change, old any) {
	d.changes, d.old = append(d.changes, c), append(d.old, old)
}

// eachRow visits the rows of a scope. It finds the rows of a namespace by the index, if there is one, since
// each of many namespaces is listed when an outage ends. The caller holds writing.
func (s *store) eachRow(of *scope, visit func(row uint32)) {
	if of != nil && of.key.Name != "" {
		if row, exists := s.table.Find(of.key); exists {
			visit(row)
		}
		return
	}
	if index := s.table.Index(namespaceIndexName); !of.everything() && index != nil && index.ByNamespace {
		if posting := index.Find(of.key.Namespace); posting != nil {
			for _, row := range posting.Rows() {
				visit(row)
			}
		}
		return
	}
	for row := range uint32(s.table.Len()) {
		if of.has(s.table.Key(row)) {
			visit(row)
		}
	}
}

// losses returns the removal of all stored objects of the scopes that d removes. The caller holds writing.
func losses(s *store, d *delta) (gone difference) {
	form := s.form.Load()
	for _, scope := range d.list.gone {
		s.eachRow(scope, func(row uint32) {
			gone.add(change{item: item{key: s.table.Key(row)}, remove: true}, form.Unpack(s.table.At(row)))
		})
	}
	return gone
}

// events returns the events of the difference that handlers want.
func (d *difference) events(wanted eventlog.Wanted) iter.Seq[eventlog.Event] {
	return func(yield func(eventlog.Event) bool) {
		if !wanted.Changes && !wanted.Unchanged {
			return
		}
		unchanged := wanted.Unchanged && !d.quiet
		next := 0
		for ; next < len(d.changes) && (d.changes[next].remove || !unchanged); next++ {
			if !yield(d.event(next)) {
				return
			}
		}
		if !unchanged {
			return
		}
		for i := range d.kept {
			e := eventlog.Event{Kind: eventlog.Unchanged, Object: d.kept[i].Object}
			if next < len(d.changes) && d.changes[next].key == d.kept[i].key {
				e = d.event(next)
				next++
			}
			if !yield(e) {
				return
			}
		}
	}
}

// event returns the event of a change.
func (d *difference) event(i int) eventlog.Event {
	switch c, old := &d.changes[i], d.old[i]; {
	case c.remove:
		return eventlog.Event{Kind: eventlog.Deleted, FinalStateUnknown: true, Released: d.sequence.Excludes(old), Old: old, Object: old}
	case old != nil:
		return eventlog.Event{Kind: eventlog.Updated, Old: old, Object: c.Object}
	default:
		return eventlog.Event{Kind: eventlog.Added, Object: c.Object}
	}
}
