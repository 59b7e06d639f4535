package eventlog

import "sync"

// Signal wakes all who wait for it. Who waits must look for what it waits for
// after the call of Next, lest it misses the last broadcast. The zero value works.
type Signal struct {
	mu sync.Mutex
	// next is closed and forgotten at the next broadcast; nil if nobody waits.
	next chan struct{}
}

// Next returns a channel that is closed at the next broadcast.
func (s *Signal) Next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

// Broadcast wakes all who wait.
func (s *Signal) Broadcast() {
	s.mu.Lock()
	next := s.next
	s.next = nil
	s.mu.Unlock()
	if next != nil {
		close(next)
	}
}
