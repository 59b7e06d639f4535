package references

import (
	"container/list"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Set is a set of objects by namespace and name; objects of cluster-scoped resources have no
// namespace. It may change at any time, and the informers of it follow. It is safe for concurrent
// use.
type Set struct {
	mu sync.Mutex
	// holds counts how often a name was added; zero is a name that was asked for.
	holds map[types.NamespacedName]int
	// names are the keys of holds; nil after a change. What it holds does not change.
	names []types.NamespacedName
	// changed is closed when names are others.
	changed chan struct{}

	// asked are names on demand, the latest first, with their places.
	asked  *list.List
	places map[types.NamespacedName]*list.Element
	limit  int
}

// asked is a name that was asked for.
type asked struct {
	name types.NamespacedName
	last time.Time
}

// NewSet returns a set of those names.
func NewSet(names ...types.NamespacedName) *Set {
	s := &Set{holds: map[types.NamespacedName]int{}, changed: make(chan struct{})}
	s.Add(names...)
	return s
}

// NewSetOnDemand returns a set to which a name is added when an informer or a lister is asked for
// its object. Until the informer knows the object, each such read is a request to the server. When more than limit names were only asked
// for, the one that was not asked for longest leaves. What a lister of package listers finds does
// not count.
func NewSetOnDemand(limit int) *Set {
	s := NewSet()
	s.asked, s.places, s.limit = list.New(), map[types.NamespacedName]*list.Element{}, max(limit, 1)
	return s
}

// Add adds names. One that is added twice is in the set until it is removed twice.
func (s *Set) Add(names ...types.NamespacedName) { s.Change(names, nil) }

// Remove takes back as many calls of Add. Names that are not in the set are ignored.
func (s *Set) Remove(names ...types.NamespacedName) { s.Change(nil, names) }

// Change is Add and Remove at once: an informer sees no state in between.
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

// announce says that the set has changed. The caller holds mu.
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

// want adds a name that was asked for, or notes that it was asked for again.
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

// refused notes that the server refuses a name. A set on demand forgets it unless it was asked for
// lately.
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

// forget takes a name back that was asked for. The caller holds mu.
func (s *Set) forget(place *list.Element) {
	gone := s.asked.Remove(place).(*asked).name
	delete(s.places, gone)
	if s.holds[gone] == 0 {
		delete(s.holds, gone)
	}
}
