package queue

import (
	"testing"
	"testing/synctest"
)

// Items come out in the order in which they went in; those that are left when
// the queue is closed come out too. A full queue makes the writer wait.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[int](func(int) {})
		go func() {
			for i := range 3 * limit {
				q.Push(i)
			}
			q.Close()
		}()
		synctest.Wait()
		if len(q.items) != limit {
			t.Errorf("%d items wait, want the limit of %d", len(q.items), limit)
		}
		next := 0
		var batch []int
		for {
			batch = q.Pop(batch)
			if len(batch) == 0 {
				break
			}
			for _, item := range batch {
				if item != next {
					t.Fatalf("got %d, want %d", item, next)
				}
				next++
			}
		}
		if next != 3*limit {
			t.Errorf("got %d items", next)
		}
	})
}

// A pop waits for an item or for the end.
func TestQueuePopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[int](func(int) {})
		got := make(chan int)
		go func() {
			for {
				batch := q.Pop(nil)
				got <- len(batch)
				if len(batch) == 0 {
					return
				}
			}
		}()
		synctest.Wait()
		q.Push(1)
		if n := <-got; n != 1 {
			t.Errorf("got %d", n)
		}
		q.Close()
		if n := <-got; n != 0 {
			t.Errorf("got %d", n)
		}
	})
}
