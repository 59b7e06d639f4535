package differential_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// transcript has all that could be seen of an informer, step by step.
type transcript []*record

// record has all that could be seen of an informer after a step.
type record struct {
	step step
	// events are the events of each handler since the step before.
	events [][]event
	// synced has true for each handler that has synced. hasSynced reports whether the informer has.
	synced    []bool
	hasSynced bool
	isStopped bool
	// stored is the content of the store, and indexed the content of the indexes.
	stored, indexed []string
	// version is the version of the informer, and storeVersion the version of its store.
	version, storeVersion string
	// removed are the handlers that were removed.
	removed map[int]bool
	// unversioned reports whether the informer had no version.
	unversioned bool
	// versions are the versions of the stored objects.
	versions []string
	// truth has the objects of the server, if they can be known.
	truth []string
	known bool
	// listed is the version of its lists.
	listed string
	// twice has the last object of each name that several objects of the list have.
	twice map[string]string
}

// event is a call of a handler.
type event struct {
	kind string
	name string
	// old and obj are whole descriptions of objects.
	old, obj string
	// oldVersion and version are the versions of the old and the new object.
	oldVersion, version string
	// initial and unknown are isInInitialList and DeletedFinalStateUnknown.
	initial, unknown bool
}

const (
	added   = "add"
	updated = "update"
	deleted = "delete"
)

func (e event) String() string {
	s := e.kind + " "
	if e.old != "" {
		s += e.old + " to "
	}
	s += e.obj
	if e.initial {
		s += ", initial"
	}
	if e.unknown {
		s += ", final state unknown"
	}
	return s
}

// follows reports whether the event can follow what the handler knew of the object, "" for
// nothing.
func (e event) follows(before string) bool {
	switch e.kind {
	case added:
		return before == ""
	case updated:
		return before == e.old
	default:
		return before != ""
	}
}

// unchanged reports whether the event is an update to the same state.
func (e event) unchanged() bool { return e.kind == updated && e.old == e.obj }

// recorder is a handler that records its calls.
type recorder struct {
	registration cache.ResourceEventHandlerRegistration

	mu     sync.Mutex
	events []event
}

func (r *recorder) note(e event, obj any) {
	if p, ok := obj.(*v1.Pod); ok {
		e.name, e.version = p.Name, p.ResourceVersion
	}
	e.obj = describe(obj)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) OnAdd(obj any, initial bool) { r.note(event{kind: added, initial: initial}, obj) }

func (r *recorder) OnUpdate(old, obj any) {
	r.note(event{kind: updated, old: describe(old), oldVersion: old.(*v1.Pod).ResourceVersion}, obj)
}

func (r *recorder) OnDelete(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		r.note(event{kind: deleted, unknown: true, old: "key " + tombstone.Key}, tombstone.Obj)
		return
	}
	r.note(event{kind: deleted}, obj)
}

// take returns the events since the last time.
func (r *recorder) take() []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// lines returns what a comparison compares in a record, one thing a line.
func (r *record) lines() []string {
	var all []string
	line := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for i, events := range r.events {
		for _, e := range events {
			line("handler %d: %v", i, e)
		}
		line("handler %d has synced: %t", i, r.synced[i])
	}
	line("informer has synced: %t, is stopped: %t", r.hasSynced, r.isStopped)
	for _, obj := range r.stored {
		line("store: %s", obj)
	}
	for _, entry := range r.indexed {
		line("index: %s", entry)
	}
	line("version: %q", r.version)
	line("version of the store: %q", r.storeVersion)
	return all
}

// clone returns a copy whose records can be changed.
func (t transcript) clone() transcript {
	all := make(transcript, len(t))
	for i, r := range t {
		c := *r
		c.synced = slices.Clone(r.synced)
		c.events = nil
		for _, events := range r.events {
			c.events = append(c.events, slices.Clone(events))
		}
		all[i] = &c
	}
	return all
}

// untrue returns where a transcript differs from what the server has, or what a
// handler was told from the store; "" for nowhere.
func (t transcript) untrue() string {
	known := make([]map[string]string, len(t[len(t)-1].events))
	for i, r := range t {
		wrong := func(between string, want, got []string) string {
			if diff := diffLines(want, got); diff != "" {
				return fmt.Sprintf("after step %d, %v (%s):\n%s", i, r.step, between, diff)
			}
			return ""
		}
		if r.known {
			if diff := wrong("- server, + store", r.truth, r.stored); diff != "" {
				return diff
			}
		}
		for handler, events := range r.events {
			if known[handler] == nil {
				known[handler] = map[string]string{}
			}
			for _, e := range events {
				if before := known[handler][e.name]; !e.follows(before) {
					return fmt.Sprintf("after step %d, %v: handler %d had %q, and is called with: %v", i, r.step, handler, before, e)
				}
				if known[handler][e.name] = e.obj; e.kind == deleted {
					delete(known[handler], e.name)
				}
			}
			if r.removed[handler] {
				continue
			}
			if diff := wrong(fmt.Sprintf("- store, + handler %d", handler), r.stored, slices.Sorted(maps.Values(known[handler]))); diff != "" {
				return diff
			}
		}
	}
	return ""
}

// compare returns where two transcripts differ first, "" for nowhere.
func compare(theirs, ours transcript) string {
	for i := range theirs {
		want, got := theirs[i].lines(), ours[i].lines()
		if diff := diffLines(want, got); diff != "" {
			return fmt.Sprintf("after step %d, %v (- client-go, + ours):\n%s", i, theirs[i].step, diff)
		}
	}
	return ""
}

// diffLines returns what only one of two lists has, in order.
func diffLines(want, got []string) string {
	var b strings.Builder
	for len(want) > 0 || len(got) > 0 {
		switch next := slices.Index(got, first(want)); {
		case next == 0:
			want, got = want[1:], got[1:]
		case len(want) == 0 || next > 0 && !slices.Contains(want, got[0]):
			b.WriteString("  + " + got[0] + "\n")
			got = got[1:]
		default:
			b.WriteString("  - " + want[0] + "\n")
			want = want[1:]
		}
	}
	return b.String()
}

func first(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}
