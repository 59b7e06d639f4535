package controller

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

// A delay ends when its key is popped, whether the key waits, is with a worker, or neither.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBacklog()
		queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[types.NamespacedName]{Queue: b})
		defer queue.ShutDown()
		expect := func(waiting, delayed int) {
			t.Helper()
			synctest.Wait()
			var s Status
			if b.status(&s); s.Waiting != waiting || s.Delayed != delayed {
				t.Errorf("%d waiting and %d delayed, want %d and %d", s.Waiting, s.Delayed, waiting, delayed)
			}
		}
		b.delay(key("a"), time.Minute, queue.Add)
		b.delay(key("b"), time.Hour, queue.Add)
		expect(0, 2)
		time.Sleep(time.Minute)
		expect(1, 1)
		a, _ := queue.Get()
		b.delay(a, time.Minute, queue.Add) // is over while a worker has the key
		expect(0, 2)
		time.Sleep(time.Minute)
		expect(0, 1)
		queue.Done(a)
		expect(1, 1)
		queue.Get()
		queue.Add(key("b")) // before its time
		expect(1, 1)
		queue.Get()
		expect(0, 0)
		b.delay(key("a"), time.Hour, queue.Add)
		b.end()
		b.delay(key("b"), time.Hour, queue.Add)
		time.Sleep(2 * time.Hour)
		expect(0, 0)
	})
}

// Live keys are first. Other keys have one of four turns, and one of two once they have waited long.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBacklog()
		add := func(live bool, names ...string) {
			for _, name := range names {
				if live {
					b.live(key(name))
				}
				b.Push(key(name))
			}
		}
		pop := func(n int) string {
			var names []string
			for range n {
				names = append(names, b.Pop().Name)
			}
			return strings.Join(names, " ")
		}
		add(false, "a", "b", "c", "d")
		add(true, "A", "B", "C", "D", "E", "F", "G")
		time.Sleep(time.Second)
		var s Status
		if b.status(&s); s.Waiting != 11 || s.WaitingLive != 7 || s.Oldest != time.Second || s.OldestLive != time.Second {
			t.Errorf("status: %+v", s)
		}
		if got := pop(6); got != "A B C a D E" {
			t.Errorf("popped %s", got)
		}
		// One that gets a live change while it waits changes its lane, once.
		b.live(key("c"))
		b.Touch(key("c"))
		b.Touch(key("c"))
		b.Touch(key("d"))
		time.Sleep(2 * longWait)
		if got := pop(b.Len()); got != "b F d G c" {
			t.Errorf("then popped %s", got)
		}
		add(false, "a")
		if s = (Status{}); b.Pop() != key("a") || b.Len() != 0 {
			t.Error("a key that was live waits as live again")
		}
	})
}

// Whatever is added and popped, the queue hands out each key once for what came since, and no key
// waits for ever.
func TestRandomLanes(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 34))
		b := newBacklog()
		queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[types.NamespacedName]{Queue: b})
		names := []string{"a", "b", "c", "d", "e", "f"}
		var dirty, processing []string
		lively := map[string]bool{}
		for range 500 {
			name := names[random.IntN(len(names))]
			switch random.IntN(4) {
			case 0:
				b.live(key(name))
				lively[name] = true
				fallthrough
			case 1:
				queue.Add(key(name))
				if !slices.Contains(dirty, name) {
					dirty = append(dirty, name)
				}
			case 2:
				if queue.Len() == 0 {
					continue
				}
				got, _ := queue.Get()
				at := slices.Index(dirty, got.Name)
				if at < 0 || slices.Contains(processing, got.Name) {
					t.Fatalf("seed %d: %s was popped; %q were added, %q are being processed", seed, got.Name, dirty, processing)
				}
				dirty = slices.Delete(dirty, at, at+1)
				delete(lively, got.Name)
				processing = append(processing, got.Name)
			case 3:
				if len(processing) > 0 {
					queue.Done(key(processing[0]))
					processing = processing[1:]
				}
			}
			waiting, live := 0, 0
			for _, name := range dirty {
				if !slices.Contains(processing, name) {
					waiting++
					if lively[name] {
						live++
					}
				}
			}
			var s Status
			if b.status(&s); queue.Len() != waiting || s.Waiting != waiting || s.WaitingLive != live {
				t.Fatalf("seed %d: %d keys wait, %d of them live; want %d and %d", seed, s.Waiting, s.WaitingLive, waiting, live)
			}
		}
		queue.ShutDown()
	}
}
