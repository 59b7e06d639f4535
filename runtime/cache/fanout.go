package cache

import (
	"iter"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/mutation"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/progress"
)

// joinedLate and firstList are the causes of initial objects.
var (
	joinedLate = cause.Cause{Kind: cause.Join}
	firstList  = cause.Cause{Kind: cause.List}
)

// fanout joins the handlers to the store: through it the store's changes get into the event
// log, and handlers come and go. It gets the changes while mu of the store is held: nobody can
// read a change that it has not got, or the other way round.
type fanout struct {
	store *store
	clock progress.Clock
	// logs has Changes for handlers without HandlerOptions.Unchanged, and Everything for those
	// with it.
	logs eventlog.Logs
	// now is when what is emitted happened. It is set by the one goroutine that
	// commits.
	now uint32
	// received counts deltas in the status, when the store is locked and they are about to be
	// applied: what is read of the store without the lock then includes them.
	received func(batch []delta)
	// changed broadcasts after each commit, when the store is unlocked.
	changed eventlog.Signal
	// detector is nil unless mutations are to be found.
	detector *mutation.Detector

	// What is below is guarded by the write lock of the store.

	// listeners are those that were not removed.
	listeners map[*listener]bool
	// listed is set, and synced closed, once the store holds a whole list of each scope that it
	// waits for.
	listed   bool
	synced   chan struct{}
	expected map[*scope]bool
}

// emit is called for each change, but those of a replace, with the store locked.
func (f *fanout) emit(e eventlog.Event) {
	f.detect(&e)
	e.At, e.Watched = f.now, true
	f.logs.Append(&e)
}

// detect has the object of an event watched for mutations.
func (f *fanout) detect(e *eventlog.Event) {
	if f.detector != nil && e.Kind <= eventlog.Updated {
		f.detector.Add(e.Object)
	}
}

// wanted returns which events of a replace are wanted. The store is locked, maybe for reading.
func (f *fanout) wanted() eventlog.Wanted {
	wanted := f.logs.Wanted()
	wanted.Changes = wanted.Changes || f.detector != nil
	return wanted
}

// stage takes the events of a replace that were wanted, and their cause, before the store is
// locked. The caller holds writing. What was staged before is void.
func (f *fanout) stage(wanted eventlog.Wanted, why *cause.Cause, events iter.Seq[eventlog.Event]) {
	f.logs.BeginStage(why)
	for e := range events {
		f.detect(&e)
		e.At = f.now
		f.logs.Stage(&e, wanted)
	}
}

// expect says which scopes make up the first content.
func (f *fanout) expect(scopes []*scope) {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.expected = map[*scope]bool{}
	for _, scope := range scopes {
		f.expected[scope] = true
	}
	if len(scopes) == 0 {
		f.joinAll()
	}
}

// relisted is called when a replace was made, with the store locked: what was staged has happened.
func (f *fanout) relisted() {
	f.logs.AppendStaged()
	if f.listed {
		for l := range f.listeners {
			l.exempt()
		}
	}
}

// settled is called with the store locked, when it has the first content of scopes, or does without
// them from now on. Once it has all of its first content, handlers join.
func (f *fanout) settled(scopes []*scope) {
	for _, scope := range scopes {
		delete(f.expected, scope)
	}
	if !f.listed && len(f.expected) == 0 {
		f.joinAll()
	}
}

// joinAll lets all handlers that wait for the first content join. The caller holds the write
// lock of the store.
func (f *fanout) joinAll() {
	f.listed = true
	for l := range f.listeners {
		f.join(l, &firstList)
	}
	close(f.synced)
}

// join gives l a snapshot of the store, whose objects have that cause, and a cursor at the
// log position that belongs to it. The caller holds the write lock of the store.
func (f *fanout) join(l *listener, why *cause.Cause) {
	l.initial, l.cause = f.store.snapshotLocked(), why
	l.log.Open(&l.cursor)
	l.toReplay.Store(int64(l.initial.Len()))
	l.open = true
}

// add registers a listener. It joins at once if the store holds a list.
func (f *fanout) add(l *listener) {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.listeners[l] = true
	if f.listed {
		f.join(l, &joinedLate)
	}
}

// remove removes a listener, and with it the events that only it had still to read.
func (f *fanout) remove(l *listener) {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	if !f.listeners[l] {
		return
	}
	delete(f.listeners, l)
	if l.open {
		l.log.Close(&l.cursor)
	}
}

// position returns a snapshot of the store and the log position that belongs to it.
func (f *fanout) position(log *eventlog.Log) (Snapshot[any], uint64) {
	f.store.mu.RLock()
	defer f.store.mu.RUnlock()
	return f.store.snapshotLocked(), log.End()
}
