package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// backlog holds the keys that wait for a reconcile, and times them.
//
// Keys that a worker can take now are in the workqueue's order: the workqueue calls Push, Touch, Len and
// Pop under its own lock. Keys that are due later are in the backlog alone. A delaying queue of client-go
// does not count them, and reconciles a key at each time that was asked for, even if a reconcile since then
// has decided otherwise.
//
// There are two lanes, each first in, first out. Live changes have one, since they must not wait for
// everything that a list or a resync brings. All other keys have the second, and must not wait for ever.
type backlog struct {
	mu    sync.Mutex
	lanes [2]lane
	// lively holds the keys with a live change since they were last popped. The value is true if the key
	// waits in the live lane. Such a key may have moved there from the other lane, which then has an entry
	// that does not count: moved counts these entries.
	lively map[types.NamespacedName]bool
	moved  map[types.NamespacedName]int
	// passed counts the live keys that were popped in a row while other keys waited.
	passed int
	// delayed holds at most one delay for each key. It is nil after the end.
	delayed map[types.NamespacedName]*delayed
}

const (
	live = iota
	others
)

const (
	// liveShare limits the live keys that are popped in a row while other keys wait.
	liveShare = 3
	// longWait is the age of the first other key from which on every second key is not live.
	longWait = time.Minute
)

// lane holds keys that a worker can take, in their order.
type lane []waiting

// waiting is a key that a worker can take. It waits since the given time.
type waiting struct {
	key   types.NamespacedName
	since time.Time
}

func (l *lane) push(key types.NamespacedName) { *l = append(*l, waiting{key, time.Now()}) }

func (l *lane) pop() waiting {
	first := (*l)[0]
	(*l)[0] = waiting{}
	*l = (*l)[1:]
	return first
}

// age returns how long the first key has waited. It is 0 if the lane is empty.
func (l lane) age() time.Duration {
	if len(l) == 0 {
		return 0
	}
	return time.Since(l[0].since)
}

// delayed is a key that a worker can take when its timer fires.
type delayed struct{ timer *time.Timer }

func newBacklog() *backlog {
	return &backlog{
		lively: map[types.NamespacedName]bool{}, moved: map[types.NamespacedName]int{},
		delayed: map[types.NamespacedName]*delayed{},
	}
}

// live marks a key as live. It is called before the key is added for a live change.
func (b *backlog) live(key types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, lively := b.lively[key]; !lively && b.delayed != nil {
		b.lively[key] = false
	}
}

// Push adds a key to the end of its lane.
func (b *backlog) Push(key types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, lively := b.lively[key]; lively {
		b.lively[key] = true
		b.lanes[live].push(key)
		return
	}
	b.lanes[others].push(key)
}

// Touch is called when a waiting key is added again. A live change moves the key to the live lane.
func (b *backlog) Touch(key types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if there, lively := b.lively[key]; lively && !there {
		b.lively[key] = true
		b.moved[key]++
		b.lanes[live].push(key)
		b.skipMoved()
	}
}

// skipMoved removes entries of moved keys from the front of the other lane. The caller holds mu.
func (b *backlog) skipMoved() {
	for l := &b.lanes[others]; len(*l) > 0; l.pop() {
		switch key := (*l)[0].key; b.moved[key] {
		case 0:
			return
		case 1:
			delete(b.moved, key)
		default:
			b.moved[key]--
		}
	}
}

// Len returns how many keys wait.
func (b *backlog) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.len()
}

// len is Len. The caller holds mu.
func (b *backlog) len() int {
	n := len(b.lanes[live]) + len(b.lanes[others])
	for _, left := range b.moved {
		n -= left
	}
	return n
}

// Pop removes the first key of the lane whose turn it is, and the key's delay: the reconcile decides anew
// whether there is one.
func (b *backlog) Pop() types.NamespacedName {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := b.lanes[b.next()].pop().key
	b.skipMoved()
	delete(b.lively, key)
	if d, ok := b.delayed[key]; ok {
		d.timer.Stop()
		delete(b.delayed, key)
	}
	return key
}

// next returns the lane whose turn it is. The caller holds mu.
func (b *backlog) next() int {
	share := liveShare
	if b.lanes[others].age() > longWait {
		share = 1
	}
	switch {
	case len(b.lanes[others]) == 0:
		return live
	case len(b.lanes[live]) == 0, b.passed >= share:
		b.passed = 0
		return others
	}
	b.passed++
	return live
}

// delay calls add with a key after some time, unless the key is popped before. A key has one delay at a
// time: delay is called at most once between two pops.
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

// due removes a delay that is over, and reports whether it was still set.
func (b *backlog) due(key types.NamespacedName, d *delayed) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	is := b.delayed[key] == d
	if is {
		delete(b.delayed, key)
	}
	return is
}

// end stops all timers. Later calls of delay do nothing.
func (b *backlog) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.delayed {
		d.timer.Stop()
	}
	b.delayed = nil
}

// status adds the counts and ages of waiting keys to a status.
func (b *backlog) status(s *Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Waiting, s.Delayed = b.len(), len(b.delayed)
	s.WaitingLive, s.OldestLive = len(b.lanes[live]), b.lanes[live].age()
	s.Oldest = max(s.OldestLive, b.lanes[others].age())
}
