package cache

import "k8s.io/apimachinery/pkg/util/sets"

// queuedObjects are the newest deltas of each key in a queue, oldest key first.
type queuedObjects struct {
	newest []keyedDelta
	// places are those in newest.
	places map[string]int
}

func newestQueued(items *ring[keyedDelta]) queuedObjects {
	q := queuedObjects{places: map[string]int{}}
	for i := range items.len() {
		item := *items.at(i)
		if place, ok := q.places[item.key]; ok {
			q.newest[place] = item
			continue
		}
		q.places[item.key] = len(q.newest)
		q.newest = append(q.newest, item)
	}
	return q
}

func (q queuedObjects) has(key string) bool {
	_, ok := q.places[key]
	return ok
}

// unlisted returns tombstones of the objects whose keys a list does not have and
// whose deletion is not queued yet.
func (q queuedObjects) unlisted(listed sets.Set[string]) []DeletedFinalStateUnknown {
	var gone []DeletedFinalStateUnknown
	for _, item := range q.newest {
		if item.Type != Deleted && !listed.Has(item.key) {
			gone = append(gone, DeletedFinalStateUnknown{Key: item.key, Obj: item.Object})
		}
	}
	return gone
}
