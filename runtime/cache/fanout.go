package cache

import "iter"

// fanout joins the handlers to the store: it is the observer through which the
// store's changes get into the event log, and where handlers come and go.
type fanout[T any] struct {
	store *Store[T]
	clock clock
	// changes is the log of handlers that do not want to know what a relist found
	// unchanged, and everything that of those that do. An event of the one log never
	// waits for a handler of the other.
	changes, everything eventLog[T]
	// now is when what is emitted happened. It is set by the one goroutine that
	// commits.
	now uint32
	// changed rings after each commit, when the store is unlocked.
	changed bell
	// detector is nil unless mutations are to be found.
	detector *mutationDetector[T]
	// stagedChanges and stagedEverything hold the events of a list that is about to be
	// committed, for each log. They are guarded by the lock of writers.
	stagedChanges, stagedEverything chain[T]

	// What is below is guarded by the write lock of the store.

	// listeners are those that were not removed.
	listeners map[*listener[T]]bool
	// listed is set, and synced closed, once the store holds a whole list.
	listed bool
	synced chan struct{}
}

// emit is called for each change, with the store locked.
func (f *fanout[T]) emit(e event[T]) {
	if f.detector != nil && e.kind <= updated {
		f.detector.add(e.obj)
	}
	e.at = f.now
	if f.changes.cursors > 0 && e.kind != unchanged {
		f.changes.append(e)
	}
	if f.everything.cursors > 0 {
		f.everything.append(e)
	}
}

// wanted is called with the store locked.
func (f *fanout[T]) wanted() wanted {
	return wanted{changes: f.changes.cursors > 0 || f.detector != nil, unchanged: f.everything.cursors > 0}
}

// stage takes the events of a list, before the store is locked.
func (f *fanout[T]) stage(wanted wanted, events iter.Seq[event[T]]) {
	f.stagedChanges, f.stagedEverything = chain[T]{}, chain[T]{}
	for e := range events {
		if f.detector != nil && e.kind <= updated {
			f.detector.add(e.obj)
		}
		e.at = f.now
		if wanted.changes && e.kind != unchanged {
			f.stagedChanges.append(e)
		}
		if wanted.unchanged {
			f.stagedEverything.append(e)
		}
	}
}

// committed is called after changes, with the store locked.
func (f *fanout[T]) committed() {
	f.changes.show()
	f.everything.show()
}

// relisted is called after the changes of each list, with the store locked.
// After the first one, all handlers that wait for it join.
func (f *fanout[T]) relisted() {
	f.changes.appendChain(&f.stagedChanges)
	f.everything.appendChain(&f.stagedEverything)
	f.stagedChanges, f.stagedEverything = chain[T]{}, chain[T]{}
	if f.listed {
		for l := range f.listeners {
			l.exempt()
		}
		return
	}
	f.listed = true
	close(f.synced)
	for l := range f.listeners {
		f.join(l)
	}
}

// join gives l the content of the store and a cursor for what follows: an
// exact cut. The caller holds the write lock of the store.
func (f *fanout[T]) join(l *listener[T]) {
	l.initial = f.store.snapshot(f.store.table.Objects())
	l.log.open(&l.cursor)
	l.toReplay.Store(int64(l.initial.Len()))
	l.passed.Store(l.cursor.passed)
	l.open = true
	close(l.joined)
}

// add registers a listener. It joins at once if the store holds a list.
func (f *fanout[T]) add(l *listener[T]) {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.listeners[l] = true
	if f.listed {
		f.join(l)
	}
}

// remove forgets a listener and what only it still had to read.
func (f *fanout[T]) remove(l *listener[T]) {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	if !f.listeners[l] {
		return
	}
	delete(f.listeners, l)
	if l.open {
		l.log.close(&l.cursor)
	}
}

// cut returns the content of the store and how many events of a log led to it.
func (f *fanout[T]) cut(log *eventLog[T]) (Snapshot[T], uint64) {
	f.store.mu.RLock()
	defer f.store.mu.RUnlock()
	return f.store.snapshot(f.store.table.Objects()), log.appended
}
