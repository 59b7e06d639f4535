package controller

import (
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
