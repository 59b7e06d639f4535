package cache

// deliverMerged is deliver for a handler that coalesces.
func (l *listener) deliverMerged(limit int) bool {
	n := 0
	for n < limit && !l.stopping.Load() && l.take() {
		l.call(&l.own)
		n++
	}
	l.flush()
	return n > 0
}

// take takes the next event, which is own then, if there is one. What was merged
// came before what is in the log.
func (l *listener) take() bool {
	l.reading.Lock()
	defer l.reading.Unlock()
	defer l.publish()
	if l.own, l.cause, l.taken = l.merged.take(); l.taken {
		return true
	}
	if l.cursor.Ready() > 0 {
		l.cause = l.cursor.Cause()
		if e := l.cursor.Next(); e != nil {
			l.own, l.taken = *e, true
		}
	}
	return l.taken
}

// publish lets other goroutines read how far the listener is. The caller holds reading.
func (l *listener) publish() {
	pending := l.merged.len()
	if l.taken {
		pending++
	}
	l.pending.Store(int64(pending))
	l.passed.Store(l.cursor.Passed())
}

// catchUpMerged is catchUp for a handler that coalesces.
func (l *listener) catchUpMerged(until uint64) bool {
	for !l.stopping.Load() {
		l.reading.Lock()
		passed, merged := l.cursor.Passed(), l.merged.len()
		l.reading.Unlock()
		if passed >= until && merged == 0 {
			return passed == until
		}
		l.deliverMerged(1)
	}
	return false
}

// enforceLimit is called after a commit, by the goroutine that made it. If more events
// than the limit wait for a handler that coalesces, it merges them. It reports whether
// any other handler must be removed.
func (l *listener) enforceLimit() (remove bool) {
	if l.merged == nil {
		return l.behind(l.exempted) > int64(l.options.Limit)
	}
	if l.waiting() <= int64(l.options.Limit) {
		return false
	}
	l.reading.Lock()
	defer l.reading.Unlock()
	defer l.publish()
	for l.cursor.Ready() > 0 {
		why := l.cursor.Cause()
		e := l.cursor.Next()
		if e == nil {
			return false // removed
		}
		// What has no key would not have got into the store.
		if key, err := l.fanout.store.key(e.Object); err == nil {
			l.merged.merge(key, e, why)
		}
	}
	return false
}

// exempt is called after each relist but the first, by the goroutine that made it, with
// the store locked. What waits for the handler then does not count toward its limit: it
// came at once, however quick the handler is. A handler that is still behind the relist
// before is not exempted again, lest one that is stuck is exempted for ever.
func (l *listener) exempt() {
	if l.passed.Load() >= l.exempted {
		l.exempted = l.log.End()
	}
}

// forget drops what was merged.
func (l *listener) forget() {
	if l.merged == nil {
		return
	}
	l.reading.Lock()
	defer l.reading.Unlock()
	l.merged.clear()
	l.publish()
}
