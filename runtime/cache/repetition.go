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
// them, in a watch whose frames are in the order of their resourceVersions. Only
// what was seen is a repetition: a server that keeps no order is heard as well.
type repetition struct {
	seed   maphash.Seed
	recent [recentFrames]uint64
	at     int
}

func newRepetition() *repetition { return &repetition{seed: maphash.MakeSeed()} }

// of reports whether a frame of an object was seen lately, if it is not newer
// than position.
func (r *repetition) of(kind watch.EventType, obj any, position string) bool {
	m, err := meta.Accessor(obj)
	if err != nil {
		return false
	}
	id := maphash.Comparable(r.seed, struct {
		kind    watch.EventType
		uid     types.UID
		version string
	}{kind, m.GetUID(), m.GetResourceVersion()})
	if !newer(m.GetResourceVersion(), position) {
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
