//go:build before36

package differential_test

import "k8s.io/client-go/tools/cache"

// storeVersion is not compared: client-go's stores have no resourceVersion.
func storeVersion(cache.Store) string { return "" }

// twins are, by handler and key, the events of objects that have a later twin, an object of the same key, in a list.
type twins map[int]map[string]event

func newTwins() twins { return twins{} }

// isLast reports whether an event is not of an object that has a later twin. That of the last one is an update of
// the twin before, and becomes what the first one's was.
func (t twins) isLast(handler int, r *record, e *event) bool {
	last, twice := r.twice[e.name]
	if !twice || r.step.kind == add || e.kind == deleted {
		return true
	}
	if t[handler] == nil {
		t[handler] = map[string]event{}
	}
	first, seen := t[handler][e.name]
	if e.obj != last {
		if !seen {
			t[handler][e.name] = *e
		}
		return false
	}
	if seen {
		e.kind, e.old, e.oldVersion, e.initial = first.kind, first.old, first.oldVersion, first.initial
		delete(t[handler], e.name)
	}
	return true
}

func init() { unneeded = append(unneeded, "older and empty versions") }
