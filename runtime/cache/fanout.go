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

// fanout connects the handlers with the store. It appends the store's changes to the event logs, and
// handlers join and leave through it. It gets each change while mu of the store is held, so that the store
// and the logs always agree.
type fanout struct {
	store *store
	clock progress.Clock
	// logs has Changes for handlers without HandlerOptions.Unchanged, and Everything for handlers with it.
	logs eventlog.Logs
	// now is the time of the commit in progress. Only the committing goroutine sets it.
	now uint32
	// received counts deltas in the status, when the store is locked and before they are applied: the
	// status then includes every change that can be read without the lock.
	received func(batch []delta)
	// changed broadcasts after each commit, when the store is unlocked.
	changed eventlog.Signal
	// detector finds mutated objects. It is nil if mutations are not detected.
	detector *mutation.Detector

	// The fields below are guarded by the write lock of the store.

	// listeners holds the handlers that were not removed.
	listeners map[*listener]bool
	// listed is set, and synced closed, once the store holds a whole list of each scope in expected.
	listed   bool
	synced   chan struct{}
	expected map[*scope]bool
}

// emit is called for each change with the store locked, except for the changes of a relist.
func (f *fanout) emit(e eventlog.Event) {
	f.detect(&e)
	e.At, e.Watched = f.now, true
	f.logs.Append(&e)
}

// detect lets the mutation detector watch the object of an event.
func (f *fanout) detect(e *eventlog.Event) {
	if f.detector != nil && e.Kind <= eventlog.Updated {
		f.detector.Add(e.Object)
	}
}

// wanted returns which events of a relist are wanted. The store is locked, possibly for reading.
func (f *fanout) wanted() eventlog.Wanted {
	wanted := f.logs.Wanted()
	wanted.Changes = wanted.Changes || f.detector != nil
	return wanted
}

// stage stages the wanted events of a relist, and their cause, before the store is locked. It discards
// events that were staged before. The caller holds writing.
func (f *fanout) stage(wanted eventlog.Wanted, why *cause.Cause, events iter.Seq[eventlog.Event]) {
	f.logs.BeginStage(why)
	for e := range events {
		f.detect(&e)
		e.At = f.now
		f.logs.Stage(&e, wanted)
	}
}

// expect sets the scopes that make up the first content.
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

// relisted is called after a relist was committed, with the store locked. It appends the staged events.
func (f *fanout) relisted() {
	f.logs.AppendStaged()
	if f.listed {
		for l := range f.listeners {
			l.exempt()
		}
	}
}

// stopExpecting is called with the store locked when it has the first content of scopes, or no longer waits
// for them. Once the first content is complete, handlers join.
func (f *fanout) stopExpecting(scopes []*scope) {
	for _, scope := range scopes {
		delete(f.expected, scope)
	}
	if !f.listed && len(f.expected) == 0 {
		f.joinAll()
	}
}

// joinAll lets all handlers that wait for the first content join. The caller holds the store's write lock.
func (f *fanout) joinAll() {
	f.listed = true
	for l := range f.listeners {
		f.join(l, &firstList)
	}
	close(f.synced)
}

// join gives l a snapshot of the store, and a cursor at the log position that belongs to it. why is the
// cause of the snapshot's objects. The caller holds the store's write lock.
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

// remove removes a listener. Events that only this listener had not read are freed.
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
