package cache

import "k8s.io/apimachinery/pkg/util/sets"

// batchLength returns how many of the oldest deltas make up a batch: at most limit,
// no two of one key. A delta that is not of a single object is a batch by itself. There
// is at least one delta.
func batchLength(items *ring[keyedDelta], limit int) int {
	limit = min(limit, items.len())
	if limit == 1 {
		return 1 // the usual case in a quiet cluster
	}
	keys := make(sets.Set[string], limit)
	for i := range limit {
		item := items.at(i)
		switch {
		case !ofOneObject(item.Type):
			return max(i, 1)
		case keys.Has(item.key):
			return i
		}
		keys.Insert(item.key)
	}
	return limit
}

func ofOneObject(kind DeltaType) bool {
	return kind != ReplacedAll && kind != SyncAll && kind != Bookmark
}
