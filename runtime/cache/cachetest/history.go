package cachetest

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// history is a linked list of what happened, in order, from base to tail. It grows at its tail. A watch is
// a position in it, which moves on without a lock. Records before the base and every watch are garbage.
type history struct {
	// base is the record of the oldest resourceVersion that can be read.
	base *record
	tail *record
}

// record is an entry of a history.
type record struct {
	kind recordKind
	// seq is the record's number in its history.
	seq uint64
	// rv is the resourceVersion after the record. Only changes raise it.
	rv uint64

	// key, before and after describe the change: before is nil for a create, and
	// after for a delete.
	key           types.NamespacedName
	before, after *version

	// err is the error with which a record of the kind ended ends watches.
	err error

	// next is set before more is closed, and read after.
	next *record
	more chan struct{}
}

// recordKind is the kind of a record.
type recordKind int

const (
	// changed is the change of one object.
	changed recordKind = iota
	// bookmarked asks the watches that are open to send a bookmark.
	bookmarked
	// ended asks the watches that are open to end with err.
	ended
)

func newHistory(rv uint64) history {
	first := &record{rv: rv, more: make(chan struct{})}
	return history{base: first, tail: first}
}

func (h *history) append(r *record) {
	r.seq = h.tail.seq + 1
	r.more = make(chan struct{})
	last := h.tail
	last.next, h.tail = r, r
	close(last.more)
}

// compact makes rv the oldest resourceVersion that can be read.
func (h *history) compact(rv uint64) {
	if rv > h.base.rv {
		h.base = h.at(rv)
	}
}

// at returns the last record that is not later than rv, which is not before the
// base.
func (h *history) at(rv uint64) *record {
	if rv >= h.tail.rv {
		return h.tail
	}
	r := h.base
	for r.next != nil && r.next.rv <= rv {
		r = r.next
	}
	return r
}

// stateAt returns the state at rv. It undoes the changes after rv in a copy of the latest state.
func (h *history) stateAt(rv uint64, latest map[types.NamespacedName]*version) map[types.NamespacedName]*version {
	if rv >= h.tail.rv {
		return latest
	}
	undone := map[types.NamespacedName]*version{}
	for r := h.at(rv).next; r != nil; r = r.next {
		if r.kind != changed {
			continue
		}
		// The first change after rv knows the state at rv.
		if _, ok := undone[r.key]; !ok {
			undone[r.key] = r.before
		}
	}
	state := make(map[types.NamespacedName]*version, len(latest))
	for key, v := range latest {
		if _, ok := undone[key]; !ok {
			state[key] = v
		}
	}
	for key, v := range undone {
		if v != nil {
			state[key] = v
		}
	}
	return state
}

// event returns the event of the change for a watch of a selection, and the object to send. It returns
// false if there is none. As on a real server, an object that leaves the selection is sent as deleted, in
// its state before.
func (r *record) event(s selection) (watch.EventType, runtime.Object, bool) {
	was := r.before != nil && s.matches(r.before.meta)
	is := r.after != nil && s.matches(r.after.meta)
	switch {
	case is && was:
		return watch.Modified, r.after.copy(), true
	case is:
		return watch.Added, r.after.copy(), true
	case was:
		return watch.Deleted, r.before.copyAt(r.rv), true
	}
	return "", nil, false
}
