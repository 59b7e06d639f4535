package cache

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// assignment says to which part of an informer each object belongs, so that what comes late
// from a part that has lost it changes nothing. It is immutable. Others take its place as
// deltas, in order with those of the parts.
type assignment struct {
	// byNamespace has the parts of an informer of several namespaces.
	byNamespace map[string]*part
	// part has the objects whose hash, by a function, is in ranges, if the informer has a shard.
	part   *part
	by     shard.By
	ranges shard.Ranges
	// ended are the parts that the assignment before had, and this one has not.
	ended []*part
	// cause is that of objects that belong to no part any more.
	cause *cause.Cause
}

// of returns the part of an object, or nil.
func (a *assignment) of(key types.NamespacedName, obj any) *part {
	if a.byNamespace != nil {
		return a.byNamespace[key.Namespace]
	}
	m, err := meta.Accessor(obj)
	if err != nil || !a.ranges.Contains(a.by.Hash(m)) {
		return nil
	}
	return a.part
}

// classify returns what a delta of a part is to a store with that object of its key: another
// kind of delta, if the part does not have the object any more, or has lost it by this change.
func (a *assignment) classify(d *delta, stored any, exists bool) deltaKind {
	mine := exists && a.of(d.key, stored) == d.from
	switch {
	case d.kind != set && d.kind != deleted:
		return d.kind
	case d.kind == set && a.of(d.key, d.obj) == d.from:
		return set
	case mine && d.kind == set:
		return departed
	case mine:
		return deleted
	}
	return noChange
}

// upcoming are the changes of a batch to a table, by key: nil is a deletion.
type upcoming map[types.NamespacedName]any

// find returns the object that a store will have for a key.
func (u upcoming) find(s *store, key types.NamespacedName) (obj any, exists bool) {
	if obj, changed := u[key]; changed {
		return obj, obj != nil
	}
	row, exists := s.table.Find(key)
	if !exists {
		return nil, false
	}
	return s.form.Load().Unpack(s.table.At(row)), true
}

// admit makes a delta what it is to the store behind those of upcoming. The caller holds
// writing.
func (s *store) admit(d *delta, after upcoming) {
	stored, exists := after.find(s, d.key)
	switch d.kind = s.parts.classify(d, stored, exists); d.kind {
	case set:
		after[d.key] = d.obj
	case deleted:
		after[d.key] = nil
	}
}

// admits reports whether an item of a list of a part is to be in the store. The caller holds
// writing.
func (s *store) admits(list *delta, it item) bool { return s.parts.of(it.key, it.obj) == list.from }

// without returns what the store has to lose by a delta: the objects that belong to no part
// any more, or the one that has left its part. The caller holds writing.
func (s *store) without(d *delta) (gone difference, why *cause.Cause) {
	form := s.form.Load()
	lose := func(row uint32) {
		gone.gone = append(gone.gone, item{key: s.table.Key(row), obj: form.Unpack(s.table.At(row))})
	}
	if d.kind == departed {
		if row, exists := s.table.Find(d.key); exists {
			lose(row)
		}
		return gone, s.parts.cause
	}
	s.parts = d.list.assignment
	if s.parts.byNamespace != nil && len(s.parts.ended) == 0 {
		return gone, s.parts.cause // namespaces have only come
	}
	for row := range uint32(s.table.Len()) {
		if s.parts.of(s.table.Key(row), form.Unpack(s.table.At(row))) == nil {
			lose(row)
		}
	}
	return gone, s.parts.cause
}

// remove takes out of the store what a delta makes it lose. The batch is that delta alone.
// The caller holds writing.
func (s *store) remove(batch []delta, to observer) {
	d := &batch[0]
	change, why := s.without(d)
	changes := change.changes()
	fresh := s.patch(changes)
	s.lockWith(&change, why, to)
	defer s.unlock()
	to.applying(batch)
	s.makeChanges(changes, fresh)
	s.advance(d.resourceVersion)
	to.relisted()
	if d.kind == assigned {
		for _, part := range d.list.assignment.ended {
			to.settled(part)
		}
	}
	to.committed()
}
