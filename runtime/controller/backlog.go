package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// backlog has the keys that are yet to be reconciled, and times them.
//
// Those that a worker can take now are the order of the workqueue, first in, first out,
// which calls Push, Touch, Len and Pop under its own lock. Those that are due later are here
// alone. client-go's delaying queue says nothing of them, and reconciles a key at each
// time that was asked for, though a reconcile since then has decided otherwise.
type backlog struct {
	mu      sync.Mutex
	waiting []waiting
	// delayed has at most one for a key. It is nil after the end.
	delayed map[types.NamespacedName]*delayed
}

// waiting is a key that a worker can take, since then.
type waiting struct {
	key   types.NamespacedName
	since time.Time
}

// delayed is a key that a worker can take when its timer fires.
type delayed struct{ timer *time.Timer }

func newBacklog() *backlog {
	return &backlog{delayed: map[types.NamespacedName]*delayed{}}
}

// Push adds a key to the end.
func (b *backlog) Push(key types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, waiting{key, time.Now()})
}

// Touch is called for a key that waits already, and is added again.
func (*backlog) Touch(types.NamespacedName) {}

// Len returns how many keys wait.
func (b *backlog) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// Pop removes the first key, and its delay: what follows is for its reconcile to decide.
func (b *backlog) Pop() types.NamespacedName {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := b.waiting[0].key
	b.waiting[0] = waiting{}
	b.waiting = b.waiting[1:]
	if d, ok := b.delayed[key]; ok {
		d.timer.Stop()
		delete(b.delayed, key)
	}
	return key
}

// delay calls add with a key after some time, unless the key is popped before. A key has
// one delay: it is called once between two pops.
func (b *backlog) delay(key types.NamespacedName, after time.Duration, add func(types.NamespacedName)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.delayed == nil {
		return
	}
	d := &delayed{}
	d.timer = time.AfterFunc(after, func() {
		if b.due(key, d) {
			add(key)
		}
	})
	b.delayed[key] = d
}

// due removes a delay that is over, and reports whether it was there.
func (b *backlog) due(key types.NamespacedName, d *delayed) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	is := b.delayed[key] == d
	if is {
		delete(b.delayed, key)
	}
	return is
}

// end stops all timers, and those to come.
func (b *backlog) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.delayed {
		d.timer.Stop()
	}
	b.delayed = nil
}

// status adds what waits to a status.
func (b *backlog) status(s *Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Waiting, s.Delayed = len(b.waiting), len(b.delayed)
	if len(b.waiting) > 0 {
		s.Oldest = time.Since(b.waiting[0].since)
	}
}
