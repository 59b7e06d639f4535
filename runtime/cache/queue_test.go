package cache

import (
	"testing"
	"testing/synctest"
)

// Deltas come out in the order in which they went in; those that are left when
// the queue is closed come out too. A full queue makes the writer wait.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(func(int) {})
		go func() {
			for i := range 3 * queueLimit {
				q.push(delta{obj: i})
			}
			q.close()
		}()
		synctest.Wait()
		if len(q.deltas) != queueLimit {
			t.Errorf("%d deltas wait, want the limit of %d", len(q.deltas), queueLimit)
		}
		next := 0
		var batch []delta
		for {
			batch = q.pop(batch)
			if len(batch) == 0 {
				break
			}
			for _, d := range batch {
				if d.obj != next {
					t.Fatalf("got %d, want %d", d.obj, next)
				}
				next++
			}
		}
		if next != 3*queueLimit {
			t.Errorf("got %d deltas", next)
		}
	})
}

// A pop waits for a delta or for the end.
func TestQueuePopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(func(int) {})
		got := make(chan int)
		go func() {
			for {
				batch := q.pop(nil)
				got <- len(batch)
				if len(batch) == 0 {
					return
				}
			}
		}()
		synctest.Wait()
		q.push(delta{})
		if n := <-got; n != 1 {
			t.Errorf("got %d", n)
		}
		q.close()
		if n := <-got; n != 0 {
			t.Errorf("got %d", n)
		}
	})
}
