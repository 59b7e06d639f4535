//go:build before36

package differential_test

import "k8s.io/client-go/tools/cache"

// storeVersion is not compared: client-go's stores have no resourceVersion.
func storeVersion(cache.Store) string { return "" }

// lastTwins keeps, of several objects of one key in a list, the events of the last one. They are updates of
// the object before, and become the events that the first one had.
func lastTwins() func(int, *record, *event) bool {
	type of struct {
		handler int
		name    string
	}
	firsts := map[of]event{}
	return func(handler int, r *record, e *event) bool {
		is, last := r.twin(e)
		if !is {
			return true
		}
		key := of{handler, e.name}
		first, seen := firsts[key]
		switch {
		case last && seen:
			e.kind, e.old, e.oldVersion, e.initial = first.kind, first.old, first.oldVersion, first.initial
			delete(firsts, key)
		case !last && !seen:
			firsts[key] = *e
		}
		return last
	}
}

func init() { unneeded = append(unneeded, "older and empty versions") }
