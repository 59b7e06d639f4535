package shard

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Released is the type of an event that says that an object belongs to the shard no longer.
// The object itself is as it was.
const Released watch.EventType = "RELEASED"

// Shard is the objects whose hashes are in a set of ranges, which may change at any time. It
// is safe for concurrent use.
type Shard struct {
	by By

	mu     sync.Mutex
	ranges Ranges
	// changed is closed when ranges are replaced.
	changed chan struct{}
}

// New returns a shard of some ranges, which may be none.
func New(by By, ranges Ranges) *Shard {
	return &Shard{by: by.orUID(), ranges: ranges, changed: make(chan struct{})}
}

// By returns what is hashed.
func (s *Shard) By() By { return s.by }

// Set makes the ranges those of the shard.
func (s *Shard) Set(ranges Ranges) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ranges.Equal(s.ranges) {
		return
	}
	s.ranges = ranges
	close(s.changed)
	s.changed = make(chan struct{})
}

// Ranges returns the ranges, and a channel that is closed when they are others.
func (s *Shard) Ranges() (ranges Ranges, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranges, s.changed
}

// Has reports whether an object is one of the shard.
func (s *Shard) Has(obj metav1.Object) bool {
	ranges, _ := s.Ranges()
	return ranges.Contains(s.by.Hash(obj))
}
