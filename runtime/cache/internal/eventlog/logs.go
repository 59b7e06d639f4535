package eventlog

import "github.com/informer-gen/informer-gen/runtime/cache/cause"

// Logs holds the two logs of a store. An event of one never waits for a reader of the other. Its methods
// need the store's write lock, except for Stage, which needs the writers' lock.
type Logs struct {
	// Changes is for readers that need no Unchanged events. Everything has these too.
	Changes, Everything Log
	// stagedChanges and stagedEverything hold the events of a list before its commit, for each log.
	stagedChanges, stagedEverything Chain
}

// Wanted selects events.
type Wanted struct {
	// Changes selects the events of objects that were added, updated or deleted.
	Changes bool
	// Unchanged selects the events of objects that a list found unchanged.
	Unchanged bool
}

// Wanted returns the events for which there are readers.
func (l *Logs) Wanted() Wanted {
	return Wanted{Changes: l.Changes.HasReaders(), Unchanged: l.Everything.HasReaders()}
}

// Append adds an event. Cursors see it after Show.
func (l *Logs) Append(e *Event) {
	if e.Kind != Unchanged {
		l.Changes.Append(e)
	}
	l.Everything.Append(e)
}

// BeginStage drops the staged events. Events that are staged later have the cause why.
func (l *Logs) BeginStage(why *cause.Cause) {
	l.stagedChanges, l.stagedEverything = Chain{Cause: why}, Chain{Cause: why}
}

// Stage stages an event of a list, if it is wanted. Cursors see it after AppendStaged.
func (l *Logs) Stage(e *Event, wanted Wanted) {
	if wanted.Changes && e.Kind != Unchanged {
		l.stagedChanges.Append(e)
	}
	if wanted.Unchanged {
		l.stagedEverything.Append(e)
	}
}

// AppendStaged appends the staged events. Its duration does not depend on their number.
func (l *Logs) AppendStaged() {
	l.Changes.AppendChain(&l.stagedChanges)
	l.Everything.AppendChain(&l.stagedEverything)
	l.stagedChanges, l.stagedEverything = Chain{}, Chain{}
}

// Show makes appended events visible to cursors.
func (l *Logs) Show() {
	l.Changes.Show()
	l.Everything.Show()
}
