package eventlog

import "github.com/informer-gen/informer-gen/runtime/cache/cause"

// Logs are the two logs of a store. An event of the one never waits for a reader of the other.
// Its methods need the write lock of the store, but for Stage, which needs that of writers.
type Logs struct {
	// Changes is for readers that need no Unchanged events. Everything has those, too.
	Changes, Everything Log
	// stagedChanges and stagedEverything hold the events of a list that is about to be
	// committed, for each log.
	stagedChanges, stagedEverything Chain
}

// Wanted selects events.
type Wanted struct {
	// Changes are the events of objects that come, go, or are not as they were.
	Changes bool
	// Unchanged are the events of objects that a list found as they were.
	Unchanged bool
}

// Wanted returns the events for which there are readers.
func (l *Logs) Wanted() Wanted {
	return Wanted{Changes: l.Changes.HasReaders(), Unchanged: l.Everything.HasReaders()}
}

// Append adds an event, which cursors see after Show.
func (l *Logs) Append(e *Event) {
	if e.Kind != Unchanged {
		l.Changes.Append(e)
	}
	l.Everything.Append(e)
}

// BeginStage drops what is staged. The events that are staged from now on have that cause.
func (l *Logs) BeginStage(why *cause.Cause) {
	l.stagedChanges, l.stagedEverything = Chain{Cause: why}, Chain{Cause: why}
}

// Stage adds an event of a list, if it is wanted, which cursors see after AppendStaged.
func (l *Logs) Stage(e *Event, wanted Wanted) {
	if wanted.Changes && e.Kind != Unchanged {
		l.stagedChanges.Append(e)
	}
	if wanted.Unchanged {
		l.stagedEverything.Append(e)
	}
}

// AppendStaged adds what is staged, in a time that does not depend on the number of events.
func (l *Logs) AppendStaged() {
	l.Changes.AppendChain(&l.stagedChanges)
	l.Everything.AppendChain(&l.stagedEverything)
	l.stagedChanges, l.stagedEverything = Chain{}, Chain{}
}

// Show lets cursors see what was appended.
func (l *Logs) Show() {
	l.Changes.Show()
	l.Everything.Show()
}
