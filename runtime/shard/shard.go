package shard

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Shard is the objects whose hashes are in a set of ranges, which may change at any time. It
// is safe for concurrent use.
type Shard struct {
	by By

	mu     sync.Mutex
	ranges Ranges
	// current ends, by replace, when ranges are replaced.
	current context.Context
	replace context.CancelFunc
	// servers has an entry for each resource that informers of the shard follow.
	servers map[schema.GroupVersionResource]*server
}

// New returns a shard of some ranges, which may be none.
func New(by By, ranges Ranges) *Shard {
	s := &Shard{by: by.orUID(), ranges: ranges}
	s.current, s.replace = context.WithCancel(context.Background())
	return s
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
	s.replace()
	s.current, s.replace = context.WithCancel(context.Background())
}

// Ranges returns the ranges, and a channel that is closed when they are others.
func (s *Shard) Ranges() (ranges Ranges, changed <-chan struct{}) {
	ranges, current := s.state()
	return ranges, current.Done()
}

// state returns the ranges, and a context that ends when they are others.
func (s *Shard) state() (ranges Ranges, current context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranges, s.current
}

// Has reports whether an object is one of the shard.
func (s *Shard) Has(obj metav1.Object) bool {
	ranges, _ := s.Ranges()
	return ranges.Contains(s.by.Hash(obj))
}
