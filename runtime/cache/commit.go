package cache

import (
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
)

// commit applies a batch of deltas.
func (s *store) commit(batch []delta, to *fanout) {
	s.writing.Lock()
	defer s.writing.Unlock()
	for len(batch) > 0 {
		if d := &batch[0]; d.prepared() {
			s.commitPrepared(batch[:1], to)
			batch = batch[1:]
			continue
		}
		n := s.stage(batch)
		s.lock()
		to.received(batch[:n])
		for i := range batch[:n] {
			s.apply(&batch[i], to)
		}
		to.logs.Show()
		s.unlock()
		batch = batch[n:]
	}
}

// stage prepares the changes of the first deltas of a batch, as many as are applied at once, and returns
// how many these are.
func (s *store) stage(batch []delta) (n int) {
	s.widenForm(len(batch), func(i int) (protocol.Received, bool) { return batch[i].Received, batch[i].kind == set })
	form := s.form.Load()
	for n < len(batch) && s.staging.Work() < table.LongWork {
		d := &batch[n]
		if d.prepared() {
			break
		}
		switch d.kind {
		case set:
			s.staging.Add(s.table, false, d.key, form.Pack(d.Received))
			s.endIndexing(d.key)
		case deleted:
			s.staging.Add(s.table, true, d.key, nil)
			s.endIndexing(d.key)
		}
		n++
	}
	return n
}

// apply makes the staged change of one delta. The caller holds mu.
func (s *store) apply(d *delta, to *fanout) {
	switch d.kind {
	case set:
		old, existed := s.staging.CommitSet(s.table, d.key, s.staging.Next())
		if existed {
			to.emit(eventlog.Event{Kind: eventlog.Updated, Old: s.form.Load().Unpack(old), Object: d.Object})
		} else {
			to.emit(eventlog.Event{Kind: eventlog.Added, Object: d.Object})
		}
	case deleted:
		if o, existed := s.staging.CommitDelete(s.table, d.key, s.staging.Next()); existed {
			old := s.form.Load().Unpack(o)
			last := d.Object
			if last == nil {
				last = old
			}
			to.emit(eventlog.Event{Kind: eventlog.Deleted, FinalStateUnknown: d.unseen, Released: d.released, Old: old, Object: last})
		}
	}
	s.noteLeftOut(d)
	s.advanceVersion(d.resourceVersion)
}

// commitPrepared applies a delta whose changes are prepared before the store is locked. A list of the API
// becomes the content of the store. If an item is the same as the stored object, the stored object is kept.
// The events of deleted objects come first, then new and changed objects in the order of the items. batch
// has that delta alone. The caller holds writing.
func (s *store) commitPrepared(batch []delta, to *fanout) {
	d := &batch[0]
	// Only a holder of writing changes the table: it can be read without mu.
	var change difference
	done := []*scope{d.from}
	if d.kind == replaced {
		change = diff(s, d)
	} else {
		change, done = losses(s, d), d.list.gone
	}
	changes, fresh := s.prepareDifference(&change, d)
	s.lockWith(&change, d.list.cause, to)
	defer s.unlock()
	to.received(batch)
	s.makeChanges(changes, fresh)
	if d.kind == replaced && (d.from.everything() || d.list.restarted) {
		s.setVersion(d.resourceVersion)
	} else {
		s.advanceVersion(d.resourceVersion)
	}
	s.noteLeftOut(d)
	to.relisted()
	to.stopExpecting(done)
	to.logs.Show()
}

// prepareDifference prepares the changes of a difference. If it is a list of everything and changes more
// than half of the store, the table is rebuilt. The caller holds writing.
func (s *store) prepareDifference(change *difference, d *delta) (changes []change, fresh *table.Table) {
	if d.kind != replaced || !d.from.everything() || len(change.changes) <= s.table.Len()/2 {
		return change.changes, s.prepare(change.changes)
	}
	return nil, s.rebuilt(change.kept)
}

// lockWith stages those events of a difference that handlers want, and locks the store.
func (s *store) lockWith(change *difference, why *cause.Cause, to *fanout) {
	s.mu.RLock()
	wanted := to.wanted()
	s.mu.RUnlock()
	for {
		to.stage(wanted, why, change.events(wanted))
		s.lock()
		now := to.wanted()
		if now == wanted {
			return
		}
		wanted = now
		s.mu.Unlock()
	}
}
