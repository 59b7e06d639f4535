package cache

import (
	"hash/maphash"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
)

// recentFrames is how many frames of a watch are remembered.
const recentFrames = 64

// repetition finds frames that come a second time, as a faulty proxy may make
// them. Only what was seen is a repetition: a server that keeps no order is heard
// as well. Where frames are not known to come in the order of their
// resourceVersions, as from fake clients, whose objects may change without a new
// version, it has to be older than the last one, of an object with a UID.
type repetition struct {
	ordered bool

	seed maphash.Seed
	// recent is nil before the first frame: most watches are quiet.
	recent *[recentFrames]uint64
	at     int
}

func newRepetition(ordered bool) repetition {
	return repetition{ordered: ordered, seed: maphash.MakeSeed()}
}

// of reports whether a frame of an object was seen lately, if by its version that
// may be. Position is that of the watch, and empty before it has one.
func (r *repetition) of(kind watch.EventType, obj any, position string) bool {
	m, err := meta.Accessor(obj)
	if err != nil || m.GetUID() == "" && !r.ordered {
		return false
	}
	id := maphash.Comparable(r.seed, struct {
		kind    watch.EventType
		uid     types.UID
		version string
	}{kind, m.GetUID(), m.GetResourceVersion()})
	if r.recent == nil {
		r.recent = new([recentFrames]uint64)
	}
	if r.mayBe(m.GetResourceVersion(), position) {
		for _, seen := range r.recent {
			if seen == id {
				return true
			}
		}
	}
	r.recent[r.at] = id
	r.at = (r.at + 1) % recentFrames
	return false
}

// mayBe reports whether the version of a frame, after a position, is one that a
// repetition can have. The initial events of a watch-list, which have no position, are
// in no order.
func (r *repetition) mayBe(version, position string) bool {
	switch {
	case position == "":
		return r.ordered
	case r.ordered:
		return !newer(version, position)
	default:
		return older(version, position)
	}
}

// newer reports whether a version is later than position, as far as they can be
// compared (KEP-5504).
func newer(version, position string) bool {
	order, err := resourceversion.CompareResourceVersion(version, position)
	return err != nil || order > 0
}

// older reports whether a version is known to be earlier than position.
func older(version, position string) bool {
	order, err := resourceversion.CompareResourceVersion(version, position)
	return err == nil && order < 0
}
