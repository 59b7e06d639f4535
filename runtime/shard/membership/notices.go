package membership

import (
	"slices"
	"sync"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// notices are calls of listeners, which run makes one by one.
type notices struct {
	*sync.Mutex
	changed   *sync.Cond
	listeners []*listener
	pending   []notice
	closed    bool
}

// listener is the functions of an OnChange.
type listener struct{ gained, lost func(shard.Ranges) }

// notice is a call of some listeners.
type notice struct {
	listeners []*listener
	ranges    shard.Ranges
	lost      bool
}

func newNotices() notices {
	mu := &sync.Mutex{}
	return notices{Mutex: mu, changed: sync.NewCond(mu)}
}

func (n *notices) add(l *listener) {
	n.Lock()
	defer n.Unlock()
	n.listeners = append(slices.Clone(n.listeners), l)
}

func (n *notices) gained(ranges shard.Ranges) { n.append(nil, ranges, false) }

func (n *notices) lost(ranges shard.Ranges) { n.append(nil, ranges, true) }

// to tells one listener what is owned already.
func (n *notices) to(l *listener, gained shard.Ranges) { n.append([]*listener{l}, gained, false) }

func (n *notices) append(to []*listener, ranges shard.Ranges, lost bool) {
	n.Lock()
	defer n.Unlock()
	if to == nil {
		to = n.listeners
	}
	if len(ranges) > 0 && len(to) > 0 {
		n.pending = append(n.pending, notice{to, ranges, lost})
		n.changed.Signal()
	}
}

// run makes the calls, until close is called and all of them were made.
func (n *notices) run() {
	for {
		n.Lock()
		for len(n.pending) == 0 && !n.closed {
			n.changed.Wait()
		}
		pending := n.pending
		n.pending = nil
		n.Unlock()
		if len(pending) == 0 {
			return
		}
		for _, notice := range pending {
			notice.call()
		}
	}
}

func (n notice) call() {
	for _, l := range n.listeners {
		f := l.gained
		if n.lost {
			f = l.lost
		}
		if f != nil {
			f(n.ranges)
		}
	}
}

func (n *notices) close() {
	n.Lock()
	defer n.Unlock()
	n.closed = true
	n.changed.Signal()
}
