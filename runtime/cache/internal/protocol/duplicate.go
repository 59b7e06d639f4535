package protocol

import (
	"hash/maphash"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// recentEvents is the number of events that are remembered for each watch.
const recentEvents = 64

// Novelty says how an event compares with the events before it.
type Novelty uint8

const (
	// Fresh is any event that is none of the following.
	Fresh Novelty = iota
	// Repeated is an event with the same type and version as the last one of its object. If the content is
	// the same too, it is a duplicate.
	Repeated
	// Outdated is an event of an older version than an earlier event of the object. A faulty proxy may have
	// sent it twice, or the server may send objects in an order of its own.
	Outdated
	// Superseded is an outdated deletion of another object than the one that has the name now. The present
	// object is not deleted.
	Superseded
)

// Delivered remembers the latest events of a watch whose source has ordered versions. An event is a
// duplicate only if nothing can have happened since. Objects that are sent again at the version that they
// had can be real events, for example of a server that filters by permissions.
type Delivered struct {
	seed maphash.Seed
	// recent is nil before the first event: most watches are quiet.
	recent *[recentEvents]deliveredEvent
	at     int
	// Last is the object of the last event, as it was delivered.
	Last Received
}

// deliveredEvent is an event of an object. It has hashes of the object's key and UID.
type deliveredEvent struct {
	key, uid uint64
	kind     watch.EventType
	version  string
}

// NewDelivered returns the memory of a new watch.
func NewDelivered() Delivered { return Delivered{seed: maphash.MakeSeed()} }

// Judge compares an event with earlier events, and with the stored object of its key. It remembers the
// event if it is fresh. position is the version of the watch, and empty before it has one. The event of an
// object without a UID is fresh, since it may be another object of the same name.
func (d *Delivered) Judge(kind watch.EventType, obj any, position string, cached func(types.NamespacedName) (Received, bool)) Novelty {
	m, err := meta.Accessor(obj)
	if err != nil || m.GetUID() == "" {
		return Fresh
	}
	origin := OriginOf(obj)
	if d.recent == nil {
		d.recent = new([recentEvents]deliveredEvent)
	}
	key := types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}
	event := d.event(kind, key, origin)
	verdict := Fresh
	if position == "" || !Newer(event.version, position) {
		verdict = d.compare(event)
		if old, ok := cached(key); ok && verdict == Fresh {
			if stored := old.Origin(); stored.UID != "" {
				verdict = event.after(d.event(kind, key, stored))
			}
		}
	}
	if verdict == Fresh { // otherwise an outdated event would not look Outdated when it comes again
		d.recent[d.at] = event
		d.at = (d.at + 1) % recentEvents
	}
	return verdict
}

func (d *Delivered) event(kind watch.EventType, key types.NamespacedName, origin Origin) deliveredEvent {
	return deliveredEvent{
		key:     maphash.Comparable(d.seed, key),
		uid:     maphash.Comparable(d.seed, origin.UID),
		kind:    kind,
		version: origin.ResourceVersion,
	}
}

// compare compares an event with the latest event of its key.
func (d *Delivered) compare(event deliveredEvent) Novelty {
	for back := 1; back <= recentEvents; back++ {
		earlier := &d.recent[(d.at-back+recentEvents)%recentEvents]
		switch {
		case earlier.key != event.key:
		case *earlier == event:
			return Repeated
		default:
			return event.after(*earlier)
		}
	}
	return Fresh
}

// after judges e by an earlier event of the same key.
func (e deliveredEvent) after(earlier deliveredEvent) Novelty {
	switch {
	case !Older(e.version, earlier.version):
		return Fresh
	case e.kind == watch.Deleted && e.uid != earlier.uid:
		return Superseded
	default:
		return Outdated
	}
}
