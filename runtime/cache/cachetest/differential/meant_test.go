package differential_test

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// difference is one that is meant.
type difference struct {
	name, reason string
	// comment is a part of what the package comment of clientgo/cache says of it.
	comment string
	// level makes what is meant to differ in two transcripts of a script the same,
	// and leaves all else as it is.
	level func(s script, theirs, ours transcript)
}

// meant are all differences that are meant.
var meant = []difference{
	{
		name:    "order of what a list lacks",
		reason:  "client-go finds what a list lacks in the order of a Go map; the core in that of its rows",
		comment: "Handlers get the deletions of objects that a list lacks",
		level: func(_ script, theirs, ours transcript) {
			sortRuns(theirs, ours, func(_ *record, e event) bool { return e.unknown })
		},
	},
	{
		name:    "order of what a handler begins with",
		reason:  "client-go replays its store to a late handler in the order of a Go map; the core in that of its rows",
		comment: "and the initial objects when they are added, in the order of the store",
		level: func(_ script, theirs, ours transcript) {
			sortRuns(theirs, ours, func(_ *record, e event) bool { return e.initial })
		},
	},
	{
		name:    "order of a watch-list",
		reason:  "client-go keeps what a watch-list begins with in a Go map; the core keeps its order",
		comment: "the objects of a watch-list in the order of the server",
		level: func(s script, theirs, ours transcript) {
			if s.watchList {
				sortRuns(theirs, ours, func(r *record, e event) bool { return r.step.kind != write && e.kind != deleted })
			}
		},
	},
	{
		name:    "delete of an object that is not there",
		reason:  "client-go delivers the delete of objects that were never delivered; the core does not",
		comment: "A delete of an object that the store does not have is not delivered to handlers",
		level: func(_ script, theirs, _ transcript) {
			known := newKnowledge(theirs)
			theirs.filter(func(handler int, _ *record, e *event) bool {
				was := known[handler][e.name]
				known[handler][e.name] = e.kind != deleted
				return e.kind != deleted || was
			})
		},
	},
	{
		name:    "two objects of one key in a list",
		reason:  "client-go delivers each of them, and the last one twice as new; the core the last one, which is stored",
		comment: "Of several items of one list with the same key, only the last one is stored and delivered to handlers",
		level:   func(_ script, theirs, _ transcript) { theirs.filter(lastTwins()) },
	},
	{
		name:    "watch again after a lost connection",
		reason:  "client-go lists again if a watch can't be opened, unless the connection is refused; the core watches on from where it was",
		comment: "A watch that can't be opened because the connection is reset, times out or breaks otherwise is retried from the last version",
		level: func(s script, theirs, ours transcript) {
			lost := pending(s, func(list bool, f fault) bool { return !list && f.lost })
			listed := relisted(s)
			alone, behind := false, false
			for i, r := range theirs {
				if alone = alone && !listed[i] || lost[i]; !alone {
					continue
				}
				if r.version == r.listed {
					if behind && ours[i].version == r.version { // it has listed when it saw that versions went backwards
						dropUnchanged(ours[i])
						dropUnchanged(r) // a 410 in the same step lets both list
					}
					behind = protocol.Older(r.version, ours[i].version)
					ours[i].version = r.version
				}
				if r.storeVersion == r.listed {
					ours[i].storeVersion = r.storeVersion
				}
				if lost[i] {
					dropUnchanged(r)
					dropUnchanged(ours[i])
				}
			}
		},
	},
	{
		name:    "lists after watch-lists that fail",
		reason:  "client-go lists after any answer to a watch-list but 410 and 429; the core lists after a second 404 or 410",
		comment: "A watch-list whose connection is lost is retried, and one that is answered 404 or 410 twice falls back to a list",
		level: func(s script, theirs, ours transcript) {
			if !s.watchList {
				return
			}
			failing := pending(s, func(list bool, _ fault) bool { return !list })
			for i := range theirs {
				if failing[i] {
					dropRepeated(theirs[i])
					dropRepeated(ours[i])
				}
			}
		},
	},
	{
		name:    "watches from no version",
		reason:  "a watch from no particular version begins with what there is: what was deleted before it would stay, so that the core lists again",
		comment: "A watch that ends without a resourceVersion to continue from is followed by a list",
		level: func(s script, theirs, ours transcript) {
			if s.server == apiServer {
				return
			}
			var version, storeVersion string // of the list
			listed := relisted(s)
			alone := false
			for i, r := range ours {
				before := ours[max(i-1, 0)]
				switch r.step.kind {
				case start, cut, down, up:
					if r.listed == "" || before.listed == "" || before.unversioned || r.version == "" {
						dropUnchanged(r)
						dropUnchanged(theirs[i])
						alone, version, storeVersion = true, r.version, r.storeVersion
					}
				}
				if alone = alone && !listed[i] && r.version == version; alone {
					r.version = theirs[i].version
				}
				if alone && r.storeVersion == storeVersion {
					r.storeVersion = theirs[i].storeVersion
				}
			}
		},
	},
	{
		name:    "a server whose version went backwards",
		reason:  "the core asks a silent server that looks like a real one for its version, and lists again if that is older than what was seen",
		comment: "A server whose versions went backwards, as after a restore from a backup, is listed again",
		level: func(s script, theirs, ours transcript) {
			listed := "" // the version that the core has taken
			seen := ""
			for i, r := range ours {
				if r.version == r.listed {
					listed = r.version
				}
				if theirs[i].version != "" { // that of an event may have taken the place of what was seen
					seen = theirs[i].version
				}
				if s.server == apiServer || r.version != listed || !protocol.Older(r.version, seen) {
					continue
				}
				dropUnchanged(r)
				dropUnchanged(theirs[i])
				r.version, r.storeVersion = theirs[i].version, theirs[i].storeVersion
			}
		},
	},
	{
		name:    "a new history of the server",
		reason:  "client-go goes on watching for versions that are yet to come, and misses all until then; the core lists again",
		comment: "client-go watches from a version in the future, and misses all events until then",
		level: func(_ script, theirs, ours transcript) {
			restarted := false
			for i, r := range ours {
				if restarted = restarted || r.step.kind == restart; restarted {
					*theirs[i] = *r // which is compared with the server
				}
			}
		},
	},
	{
		name:    "older and empty versions",
		reason:  "client-go takes any version of an object for the latest one; the core keeps a later one",
		comment: "An empty resourceVersion of an object or list leaves the store's version as it is, and so does an older one of an object",
		level: func(s script, theirs, ours transcript) {
			if s.server == apiServer {
				return
			}
			for i := range theirs {
				keepLater(&theirs[i].version, ours[i].version)
				keepLater(&theirs[i].storeVersion, ours[i].storeVersion)
			}
		},
	},
	{
		name:    "how many lists follow a failure",
		reason:  "when the next list comes depends on the backoff, which is random; it tells handlers of what they know as updates to the same state, and has the version of then. So does a watch of the tracker that is opened again because it was silent",
		comment: "The number of lists after a failure depends on the backoff",
		level: func(s script, theirs, ours transcript) {
			if s.server == apiServer {
				return
			}
			failed := false
			for i, r := range ours {
				failed = failed || r.step.kind == cut || r.step.kind == down || r.step.kind == wait
				if failed && s.server == trackerServer {
					dropUnchanged(r)
					dropUnchanged(theirs[i])
				}
				if failed {
					theirs[i].version, theirs[i].storeVersion = r.version, r.storeVersion
				}
			}
		},
	},
	{
		name:    "removed before it synced",
		reason:  "a handler that was removed never syncs in client-go, and those who wait for it wait for ever",
		comment: "The handle of a handler that was removed before it had seen the initial list reports that it has synced",
		level: func(_ script, theirs, ours transcript) {
			removed := map[int]bool{}
			for i, r := range theirs {
				if r.step.kind == remove {
					removed[r.step.handler] = true
				}
				for handler := range r.synced {
					if removed[handler] && ours[i].synced[handler] {
						r.synced[handler] = true
					}
				}
			}
		},
	},
}

// Users of clientgo/cache find every difference in its package comment, which also has
// those that no script can show.
func TestPackageCommentHasWhatIsMeant(t *testing.T) {
	const file = "../../../clientgo/cache/doc.go"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(source), "# Differences from client-go")
	text, _, _ = strings.Cut(text, "\n// # ")
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\n//", " ")), " ")
	for _, d := range meant {
		if d.comment == "" || !strings.Contains(text, d.comment) {
			t.Errorf("%s: %q: does not say %q", file, d.name, d.comment)
		}
	}
}

// newKnowledge returns what each handler of a transcript knows at first.
func newKnowledge(t transcript) []map[string]bool {
	known := make([]map[string]bool, len(t[len(t)-1].events))
	for i := range known {
		known[i] = map[string]bool{}
	}
	return known
}

// keepLater makes an earlier version the later one.
func keepLater(theirs *string, ours string) {
	if *theirs == "" || protocol.Older(*theirs, ours) {
		*theirs = ours
	}
}

// twin reports whether an event is of one of several objects of a key in a list, and whether of the last one.
func (r *record) twin(e *event) (is, last bool) {
	obj, twice := r.twice[e.name]
	return twice && r.step.kind != add && e.kind != deleted, e.obj == obj
}

// filter drops the events for which keep returns false. keep may change the others.
func (t transcript) filter(keep func(handler int, r *record, e *event) bool) {
	for _, r := range t {
		for i, events := range r.events {
			kept := events[:0]
			for _, e := range events {
				if keep(i, r, &e) {
					kept = append(kept, e)
				}
			}
			r.events[i] = kept
		}
	}
}

// sortRuns sorts each run of events that is of a kind by the names of the objects.
func sortRuns(theirs, ours transcript, of func(*record, event) bool) {
	for _, t := range []transcript{theirs, ours} {
		for _, r := range t {
			for _, events := range r.events {
				for len(events) > 0 {
					n := 0
					for n < len(events) && of(r, events[n]) {
						n++
					}
					slices.SortStableFunc(events[:n], func(x, y event) int { return cmp.Compare(x.name, y.name) })
					events = events[min(n+1, len(events)):]
				}
			}
		}
	}
}

// relisted says after which steps every informer has listed again.
func relisted(s script) []bool {
	all := make([]bool, len(s.steps)+1)
	isDown := false
	for i, step := range s.steps {
		switch step.kind {
		case down:
			isDown = true
		case up:
			isDown = false
		case cut:
			all[i] = step.fault.relists && !isDown
		}
	}
	return all
}

// pending says after which steps requests may have met such a fault.
func pending(s script, of func(list bool, f fault) bool) []bool {
	all := make([]bool, len(s.steps)+1)
	failing, isDown := false, false
	for i, step := range s.steps {
		wasDown := isDown
		switch step.kind {
		case cut:
			failing = slices.ContainsFunc(step.failures, func(f failure) bool { return of(f.list, f.fault) })
		case down:
			isDown = isDown || of(false, step.fault)
		case up:
			isDown = false
		}
		all[i] = failing || isDown || wasDown
	}
	return all
}

// dropUnchanged leaves out updates to the same state.
func dropUnchanged(r *record) {
	for i, events := range r.events {
		r.events[i] = slices.DeleteFunc(events, event.unchanged)
	}
}

// dropRepeated leaves out updates to the same state that a handler was told of in the
// same step.
func dropRepeated(r *record) {
	for i, events := range r.events {
		told := map[string]string{}
		r.events[i] = slices.DeleteFunc(events, func(e event) bool {
			repeated := e.unchanged() && told[e.name] == e.obj
			told[e.name] = e.obj
			return repeated
		})
	}
}
