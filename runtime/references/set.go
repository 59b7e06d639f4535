package references

import (
	"container/list"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Set is a set of objects by namespace and name. Objects of cluster-scoped resources have no namespace. The
// set may change at any time, and its informers follow. It is safe for concurrent use.
type Set struct {
	mu sync.Mutex
	// holds counts how often a name was added. It is zero for a name that is in the set on demand only.
	holds map[types.NamespacedName]int
	// names holds the keys of holds. It is nil after a change. The slice is never mutated.
	names []types.NamespacedName
	// changed is closed when the set of names changes, and replaced.
	changed chan struct{}

	// asked lists the names on demand, the latest first, and places holds their elements. Both are nil for
	// a set that is not on demand.
	asked  *list.List
	places map[types.NamespacedName]*list.Element
	limit  int
}

// asked is a name on demand.
type asked struct {
	name types.NamespacedName
	last time.Time
}

// NewSet returns a set of some names.
func NewSet(names ...types.NamespacedName) *Set {
	s := &Set{holds: map[types.NamespacedName]int{}, changed: make(chan struct{})}
	s.Add(names...)
	return s
}

// NewSetOnDemand returns a set to which a name is added when an informer or a lister is asked for its
// object. Until the informer knows the object, each such read is a request to the server. If more than
// limit names are in the set only on demand, the one that was read the longest time ago leaves. A read by a
// lister of package listers does not count if it finds the object.
func NewSetOnDemand(limit int) *Set {
	s := NewSet()
	s.asked, s.places, s.limit = list.New(), map[types.NamespacedName]*list.Element{}, max(limit, 1)
	return s
}

// Add adds names. A name that is added twice is in the set until it is removed twice.
func (s *Set) Add(names ...types.NamespacedName) { s.Change(names, nil) }

// Remove undoes one Add for each name. Names that are not in the set are ignored.
func (s *Set) Remove(names ...types.NamespacedName) { s.Change(nil, names) }

// Change adds and removes names at once: an informer sees no state in between.
func (s *Set) Change(add, remove []types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for _, name := range add {
		_, has := s.holds[name]
		s.holds[name]++
		changed = changed || !has
	}
	for _, name := range remove {
		if s.holds[name] == 0 {
			continue
		}
		if s.holds[name]--; s.holds[name] == 0 && s.places[name] == nil {
			delete(s.holds, name)
			changed = true
		}
	}
	if changed {
		s.announce()
	}
}

// announce publishes a change of the set. The caller holds mu.
func (s *Set) announce() {
	s.names = nil
	close(s.changed)
	s.changed = make(chan struct{})
}

// Names returns the names, in no order.
func (s *Set) Names() []types.NamespacedName {
	names, _ := s.get()
	return append([]types.NamespacedName(nil), names...)
}

func (s *Set) get() (names []types.NamespacedName, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		for name := range s.holds {
			s.names = append(s.names, name)
		}
	}
	return s.names, s.changed
}

// has reports whether a name is in the set.
func (s *Set) has(name types.NamespacedName) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, has := s.holds[name]
	return has
}

// want adds a name on demand, or notes that it was read again.
func (s *Set) want(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.places[name]; place != nil {
		s.asked.MoveToFront(place)
		place.Value.(*asked).last = time.Now()
		return
	}
	if name.Name == "" || s.holds[name] > 0 {
		return
	}
	s.places[name] = s.asked.PushFront(&asked{name, time.Now()})
	s.holds[name] = 0
	for s.asked.Len() > s.limit {
		s.forget(s.asked.Back())
	}
	s.announce()
}

// refused notes that the server refuses a name. A name on demand leaves the set, unless it was read lately.
func (s *Set) refused(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.places[name]
	if place == nil || time.Since(place.Value.(*asked).last) < refusedFor {
		return
	}
	s.forget(place)
	s.announce()
}

// forget removes a name on demand. The caller holds mu.
func (s *Set) forget(place *list.Element) {
	gone := s.asked.Remove(place).(*asked).name
	delete(s.places, gone)
	if s.holds[gone] == 0 {
		delete(s.holds, gone)
	}
}
