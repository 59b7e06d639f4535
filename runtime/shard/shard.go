package shard

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Shard selects the objects whose hashes are in a set of ranges. The ranges may change at any time. A Shard
// is safe for concurrent use.
type Shard struct {
	by By

	mu     sync.Mutex
	ranges Ranges
	// current ends when the ranges are replaced. replace ends it.
	current context.Context
	replace context.CancelFunc
	// servers has an entry for each resource that the shard's informers follow.
	servers map[schema.GroupVersionResource]*server
}

// New returns a shard of some ranges, possibly none.
func New(by By, ranges Ranges) *Shard {
	s := &Shard{by: by.orUID(), ranges: ranges}
	s.current, s.replace = context.WithCancel(context.Background())
	return s
}

// By returns which value of an object is hashed.
func (s *Shard) By() By { return s.by }

// Set replaces the ranges of the shard.
func (s *Shard) Set(ranges Ranges) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ranges.Equal(s.ranges) {
		return
	}
	s.ranges = ranges
	s.replace()
	s.current, s.replace = context.WithCancel(context.Background())
}

// Ranges returns the ranges, and a channel that is closed when they are replaced.
func (s *Shard) Ranges() (ranges Ranges, changed <-chan struct{}) {
	ranges, current := s.state()
	return ranges, current.Done()
}

// state returns the ranges, and a context that ends when they are replaced.
func (s *Shard) state() (ranges Ranges, current context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranges, s.current
}

// Has reports whether an object is in the shard.
func (s *Shard) Has(obj metav1.Object) bool {
	ranges, _ := s.Ranges()
	return ranges.Contains(s.by.Hash(obj))
}
