package eventlog

import "sync"

// Signal wakes all goroutines that wait for it. A goroutine must call Next before it checks its condition,
// or it may miss the last broadcast. The zero value is ready.
type Signal struct {
	mu sync.Mutex
	// next is closed and removed at the next broadcast. It is nil if no goroutine waits.
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

// Broadcast wakes all goroutines that wait.
func (s *Signal) Broadcast() {
	s.mu.Lock()
	next := s.next
	s.next = nil
	s.mu.Unlock()
	if next != nil {
		close(next)
	}
}
