package cache

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Every cursor reads every event since it was opened, in order, however it
// interleaves with the writer.
func TestEventLog(t *testing.T) {
	var log eventLog[int]
	var shown bell
	var mu sync.Mutex // stands for the store's lock
	const events = 10 * segmentSize
	open := func() *cursor[int] {
		mu.Lock()
		defer mu.Unlock()
		c := &cursor[int]{}
		log.open(c)
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
			next := int(c.passed)
			for next < events {
				if next := shown.next(); c.ready() == 0 {
					<-next
				}
				for c.ready() > 0 {
					if e := c.next(); e.obj != next {
						t.Errorf("got %d, want %d", e.obj, next)
						return
					}
					next++
				}
			}
		})
	}
	for i := range events {
		mu.Lock()
		log.append(event[int]{obj: i})
		if i%3 == 0 {
			log.show()
		}
		mu.Unlock()
		if i%7 == 0 {
			shown.ring()
		}
	}
	log.show()
	shown.ring()
	readers.Wait()
}

// What every cursor has passed is free to go, and so is everything once nobody
// reads.
func TestEventLogKeepsNothingBehind(t *testing.T) {
	var log eventLog[*thing]
	slow, quick := &cursor[*thing]{}, &cursor[*thing]{}
	log.open(slow)
	log.open(quick)
	var freed atomic.Int32
	add := func(n int) {
		for range n {
			obj := &thing{}
			runtime.AddCleanup(obj, func(int) { freed.Add(1) }, 0)
			log.append(event[*thing]{obj: obj})
		}
		log.show()
	}
	add(3 * segmentSize)
	for quick.ready() > 0 {
		quick.next()
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
	for range segmentSize + 1 {
		slow.ready()
		slow.next()
	}
	collect(segmentSize)
	log.close(slow)
	log.close(quick)
	collect(3 * segmentSize)
	runtime.KeepAlive(slow)
	runtime.KeepAlive(quick)
}
