package cache

import "sync"

// bell wakes all who wait for it. Who waits must look for what it waits for
// after the call of next, lest it misses the last ring.
type bell struct {
	mu sync.Mutex
	// rung is closed and forgotten at the next ring; nil if nobody waits.
	rung chan struct{}
}

// next returns a channel that is closed at the next ring.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}

func (b *bell) ring() {
	b.mu.Lock()
	rung := b.rung
	b.rung = nil
	b.mu.Unlock()
	if rung != nil {
		close(rung)
	}
}
