package cache

import "iter"

// fanout joins the handlers to the store: it is the observer through which the
// store's changes get into the event log, and where handlers come and go.
type fanout[T any] struct {
	store *Store[T]
	log   eventLog[T]
	clock clock
	// changed rings after each commit, when the store is unlocked.
	changed bell
	// detector is nil unless mutations are to be found.
	detector *mutationDetector[T]
	// staged holds the events of a list that is about to be committed. It is
	// guarded by the lock of writers.
	staged chain[T]

	// What is below is guarded by the write lock of the store.

	// listeners are those that were not removed.
	listeners map[*listener[T]]bool
	// unchanged counts those that want to know what a relist found as it was.
	unchanged int
	// listed is set, and synced closed, once the store holds a whole list.
	listed bool
	synced chan struct{}
}

// emit is called for each change, with the store locked.
func (f *fanout[T]) emit(e event[T]) {
	if f.detector != nil && e.kind <= updated {
		f.detector.add(e.obj)
	}
	f.log.append(e)
}

// wanted is called with the store locked.
func (f *fanout[T]) wanted() wanted {
	return wanted{changes: f.log.cursors > 0 || f.detector != nil, unchanged: f.unchanged > 0}
}

// stage takes the events of a list, before the store is locked.
func (f *fanout[T]) stage(events iter.Seq[event[T]]) {
	f.staged = chain[T]{}
	for e := range events {
		if f.detector != nil && e.kind <= updated {
			f.detector.add(e.obj)
		}
		e.at = f.log.now
		f.staged.append(e)
	}
}

// committed is called after changes, with the store locked.
func (f *fanout[T]) committed() { f.log.show() }

// relisted is called after the changes of each list, with the store locked.
// After the first one, all handlers that wait for it join.
func (f *fanout[T]) relisted() {
	f.log.appendChain(&f.staged)
	f.staged = chain[T]{}
	if f.listed {
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
	l.initial = f.store.table.objects.snapshot()
	f.log.open(&l.cursor)
	l.toReplay.Store(int64(len(l.initial)))
	l.passed.Store(l.cursor.passed)
	l.open = true
	close(l.joined)
}

// add registers a listener. It joins at once if the store holds a list.
func (f *fanout[T]) add(l *listener[T]) {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.listeners[l] = true
	if l.options.Unchanged {
		f.unchanged++
	}
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
	if l.options.Unchanged {
		f.unchanged--
	}
	if l.open {
		f.log.close(&l.cursor)
	}
}

// cut returns the content of the store and how many events of the log led to it.
func (f *fanout[T]) cut() ([]T, uint64) {
	f.store.mu.RLock()
	defer f.store.mu.RUnlock()
	return f.store.table.objects.snapshot(), f.log.appended
}
