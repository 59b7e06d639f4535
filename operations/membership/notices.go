package membership

import (
	"slices"
	"sync"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// notices are calls of listeners, which run makes one by one.
type notices struct {
	*sync.Cond
	listeners []listener
	pending   []func()
	closed    bool
}

// listener is the functions of an OnChange.
type listener struct{ onGain, onLoss func(shard.Ranges) }

func newNotices() notices { return notices{Cond: sync.NewCond(&sync.Mutex{})} }

// add adds a listener, which is told what is owned already.
func (n *notices) add(l listener, owned shard.Ranges) {
	n.L.Lock()
	defer n.L.Unlock()
	n.listeners = append(slices.Clone(n.listeners), l)
	if len(owned) > 0 && l.onGain != nil {
		n.pending = append(n.pending, func() { l.onGain(owned) })
		n.Signal()
	}
}

func (n *notices) gained(ranges shard.Ranges) {
	n.tell(func(l listener) func(shard.Ranges) { return l.onGain }, ranges)
}

func (n *notices) lost(ranges shard.Ranges) {
	n.tell(func(l listener) func(shard.Ranges) { return l.onLoss }, ranges)
}

func (n *notices) tell(which func(listener) func(shard.Ranges), ranges shard.Ranges) {
	n.L.Lock()
	defer n.L.Unlock()
	for _, l := range n.listeners {
		if call := which(l); call != nil {
			n.pending = append(n.pending, func() { call(ranges) })
		}
	}
	n.Signal()
}

// run makes the calls, until close is called and all of them were made.
func (n *notices) run() {
	for {
		n.L.Lock()
		for len(n.pending) == 0 && !n.closed {
			n.Wait()
		}
		pending := n.pending
		n.pending = nil
		n.L.Unlock()
		if len(pending) == 0 {
			return
		}
		for _, call := range pending {
			call()
		}
	}
}

func (n *notices) close() {
	n.L.Lock()
	defer n.L.Unlock()
	n.closed = true
	n.Signal()
}
