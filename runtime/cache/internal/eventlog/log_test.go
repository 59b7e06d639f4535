package eventlog

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// Every cursor reads every event since it was opened, in order, however it
// interleaves with the writer.
func TestEventLog(t *testing.T) {
	var log Log
	var shown Signal
	var mu sync.Mutex // stands for the store's lock
	const events = 10 * SegmentSize
	open := func() *Cursor {
		mu.Lock()
		defer mu.Unlock()
		c := &Cursor{}
		log.Open(c)
		return c
	}
	var readers sync.WaitGroup
	first := open()
	for i := range 4 {
		readers.Go(func() {
			c := first
			if i > 0 {
				c = open()
			}
			next := int(c.Passed())
			for next < events {
				if next := shown.Next(); c.Ready() == 0 {
					<-next
				}
				for c.Ready() > 0 {
					if e := c.Next(); e.Object != next {
						t.Errorf("got %d, want %d", e.Object, next)
						return
					}
					next++
				}
			}
		})
	}
	for i := range events {
		mu.Lock()
		log.Append(&Event{Object: i})
		if i%3 == 0 {
			log.Show()
		}
		mu.Unlock()
		if i%7 == 0 {
			shown.Broadcast()
		}
	}
	log.Show()
	shown.Broadcast()
	readers.Wait()
}

// The length has every event that a cursor can see: also those that fill a segment, or stand
// before a chain, which are seen before they are shown.
func TestLenOfSeenEvents(t *testing.T) {
	var log Log
	c := &Cursor{}
	log.Open(c)
	read := func(what string) {
		t.Helper()
		for c.Ready() > 0 {
			c.Next()
		}
		if log.Len() < c.Passed() {
			t.Errorf("%s: %d events were seen of %d", what, c.Passed(), log.Len())
		}
	}
	for range SegmentSize + 1 {
		log.Append(&Event{})
	}
	read("a full segment")
	var chain Chain
	chain.Append(&Event{})
	log.AppendChain(&chain)
	read("a chain")
	log.Show()
	if read("all"); c.Passed() != SegmentSize+2 || log.Len() != SegmentSize+2 {
		t.Errorf("%d events were seen of %d", c.Passed(), log.Len())
	}
}

// The events of a chain have its cause, and those that fill up its last segment are Watched.
func TestCause(t *testing.T) {
	var log Log
	c := &Cursor{}
	log.Open(c)
	watched := func() { log.Append(&Event{Watched: true}) }
	list := func(n int, why *cause.Cause) {
		chain := Chain{Cause: why}
		for range n {
			chain.Append(&Event{})
		}
		log.AppendChain(&chain)
	}
	first, second := &cause.Cause{Kind: cause.List}, &cause.Cause{Kind: cause.List}
	watched()
	list(SegmentSize+1, first)
	watched()
	list(1, second)
	watched()
	log.Show()
	var got []*cause.Cause
	for c.Ready() > 0 {
		why := c.Cause()
		if c.Next().Watched {
			why = nil
		}
		got = append(got, why)
	}
	want := slices.Concat([]*cause.Cause{nil}, slices.Repeat([]*cause.Cause{first}, SegmentSize+1), []*cause.Cause{nil, second, nil})
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	log.Close(c)
	if c.Cause() != nil {
		t.Error("a closed cursor has a cause")
	}
}

// What every cursor has passed can be collected, and so can everything once nobody
// reads.
func TestEventLogKeepsNothingBehind(t *testing.T) {
	var log Log
	slow, quick := &Cursor{}, &Cursor{}
	log.Open(slow)
	log.Open(quick)
	var freed atomic.Int32
	add := func(n int) {
		for range n {
			obj := new(struct{ size [16]byte })
			runtime.AddCleanup(obj, func(int) { freed.Add(1) }, 0)
			log.Append(&Event{Object: obj})
		}
		log.Show()
	}
	add(3 * SegmentSize)
	for quick.Ready() > 0 {
		quick.Next()
	}
	collect := func(want int32) {
		t.Helper()
		for range 100 {
			runtime.GC()
			if freed.Load() == want {
				return
			}
			runtime.Gosched()
		}
		t.Errorf("%d events freed, want %d", freed.Load(), want)
	}
	collect(0)
	for range SegmentSize + 1 {
		slow.Ready()
		slow.Next()
	}
	collect(SegmentSize)
	log.Close(slow)
	log.Close(quick)
	collect(3 * SegmentSize)
	runtime.KeepAlive(slow)
	runtime.KeepAlive(quick)
}
