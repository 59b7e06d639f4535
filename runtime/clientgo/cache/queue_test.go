package cache

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/klog/v2/ktesting"
)

// newQueues are our queues, without objects that the consumer knows.
var newQueues = map[string]func() Queue{
	"FIFO":      func() Queue { return NewFIFO(thingKey) },
	"DeltaFIFO": func() Queue { return NewDeltaFIFO(thingKey, nil) },
	"RealFIFO":  func() Queue { return NewRealFIFO(thingKey, &consumer{}, nil) },
	"RealFIFO that unlocks": func() Queue {
		return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: thingKey, AtomicEvents: true, UnlockWhileProcessing: true})
	},
}

func eachQueue(t *testing.T, test func(*testing.T, Queue)) {
	for name, queue := range newQueues {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, queue()) })
		})
	}
}

func ignore(any, bool) error { return nil }

func TestPopWaitsForAnItem(t *testing.T) {
	eachQueue(t, func(t *testing.T, q Queue) {
		popped := make(chan any, 2)
		for range 2 {
			go func() {
				_, err := q.Pop(ignore)
				popped <- err
			}()
		}
		synctest.Wait()
		q.Add(thing{Key: "a"})
		q.Add(thing{Key: "b"})
		synctest.Wait()
		if len(popped) != 2 {
			t.Fatalf("%d of 2 items popped", len(popped))
		}
		if one, other := <-popped, <-popped; one != nil || other != nil {
			t.Errorf("got %v, %v", one, other)
		}
	})
}

func TestCloseEndsPopOnceTheQueueIsEmpty(t *testing.T) {
	eachQueue(t, func(t *testing.T, q Queue) {
		waiting := make(chan error)
		go func() {
			_, err := q.Pop(ignore)
			waiting <- err
		}()
		synctest.Wait()
		q.Close()
		if err := <-waiting; err != ErrFIFOClosed {
			t.Errorf("Pop that waited: %v", err)
		}
		q.Add(thing{Key: "a"})
		if _, err := q.Pop(ignore); err != nil {
			t.Errorf("Pop of what is left: %v", err)
		}
		if obj, err := q.Pop(ignore); obj != nil || err != ErrFIFOClosed {
			t.Errorf("Pop of nothing: %v, %v", obj, err)
		}
		if closed := q.(interface{ IsClosed() bool }).IsClosed(); !closed {
			t.Error("it does not say that it is closed")
		}
	})
}

// A handler's panic is the consumer's to recover: the item is popped.
func TestPopSurvivesAPanic(t *testing.T) {
	eachQueue(t, func(t *testing.T, q Queue) {
		q.Replace([]any{thing{Key: "a"}}, "1")
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			q.Pop(func(any, bool) error { panic("handler") })
		}()
		if !q.HasSynced() {
			t.Error("not in sync")
		}
		q.Add(thing{Key: "b"})
		if _, err := q.Pop(ignore); err != nil {
			t.Error(err)
		}
	})
}

// What several producers queue comes out whole and, for each of them, in order.
func TestQueuesOfDeltasLoseNothing(t *testing.T) {
	const producers, versions = 4, 3000
	for name, queue := range newQueues {
		if name == "FIFO" {
			continue // it keeps the latest only
		}
		t.Run(name, func(t *testing.T) {
			q := queue()
			var wg sync.WaitGroup
			for p := range producers {
				wg.Go(func() {
					for v := range versions {
						q.Update(thing{Key: fmt.Sprint(p), Version: v})
					}
				})
			}
			next, handled := map[string]int{}, 0
			handle := func(deltas Deltas) error {
				for _, d := range deltas {
					got := d.Object.(thing)
					if want := next[got.Key]; got.Version != want {
						return fmt.Errorf("%v comes out before version %d", got, want)
					}
					next[got.Key]++
					handled++
				}
				return nil
			}
			for handled < producers*versions {
				if err := popSome(q, handle); err != nil {
					t.Fatal(err)
				}
			}
			wg.Wait()
		})
	}
}

// popSome pops a batch, if the queue has batches.
func popSome(q Queue, handle func(Deltas) error) error {
	single := func(obj any, _ bool) error { return handle(obj.(Deltas)) }
	if q, ok := q.(QueueWithBatch); ok {
		return q.PopBatch(func(deltas []Delta, _ bool) error { return handle(deltas) }, single)
	}
	_, err := q.Pop(single)
	return err
}

func TestQueueNamesItself(t *testing.T) {
	id := newInformerName(t).WithResource(podsResource)
	for want, q := range map[string]Queue{
		"FIFO":      NewFIFO(thingKey),
		"DeltaFIFO": NewDeltaFIFO(thingKey, nil),
		"mine":      NewDeltaFIFOWithOptions(DeltaFIFOOptions{Name: "mine"}),
		"RealFIFO":  NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true}),
		"my own":    NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Name: "my own"}),
		t.Name():    NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Name: "my own", Identifier: id}),
	} {
		if got := q.HasSyncedChecker().Name(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Slow handling is logged if more than ten others wait for its end.
func TestSlowPopsAreLogged(t *testing.T) {
	for _, c := range []struct {
		name         string
		batch, after int
		takes        time.Duration
		want         bool
	}{
		{"one item", 1, 11, 100 * time.Millisecond, true},
		{"one item, quickly", 1, 11, 99 * time.Millisecond, false},
		{"few wait", 1, 10, time.Second, false},
		{"five items", 5, 11, 500 * time.Millisecond, true},
		{"five items, quickly", 5, 11, 499 * time.Millisecond, false},
		{"many items", 500, 11, time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true), ktesting.Verbosity(2)))
			q := NewRealFIFOWithOptions(RealFIFOOptions{Logger: &logger, KeyFunction: thingKey, AtomicEvents: true})
			for i := range c.batch + c.after {
				// The last key of the batch comes again, which ends it.
				q.Add(thing{Key: fmt.Sprint(min(i, c.batch-1))})
			}
			sleep := func(Deltas) error { time.Sleep(c.takes); return nil }
			if err := popSome(q, sleep); err != nil {
				t.Fatal(err)
			}
			log := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
			if got := strings.Contains(log, "Slow event handlers"); got != c.want {
				t.Errorf("%s: logged %t, %q", c.name, got, log)
			}
		})
	}
}

func TestKeyOf(t *testing.T) {
	f := NewDeltaFIFO(thingKey, nil)
	for want, obj := range map[string]any{
		"a": thing{Key: "a"},
		"b": DeletedFinalStateUnknown{Key: "b"},
		"c": Deltas{{Object: thing{Key: "a"}}, {Object: thing{Key: "c"}}},
		"d": Deltas{{Object: DeletedFinalStateUnknown{Key: "d"}}},
	} {
		if got, err := f.KeyOf(obj); got != want || err != nil {
			t.Errorf("KeyOf(%v) = %q, %v", obj, got, err)
		}
	}
	if _, err := f.KeyOf(Deltas{}); !errors.Is(err, ErrZeroLengthDeltasObject) {
		t.Errorf("KeyOf nothing: %v", err)
	}
	if _, err := f.KeyOf(1); err == nil {
		t.Error("KeyOf(1): no error")
	}
}

func TestFIFOKeepsTheOrderOfAList(t *testing.T) {
	q := NewFIFO(thingKey)
	list := []any{thing{Key: "c"}, thing{Key: "a"}, thing{Key: "b"}, thing{Key: "a", Version: 2}}
	if err := q.Replace(list, "1"); err != nil {
		t.Fatal(err)
	}
	q.Close()
	var got []any
	for {
		obj, err := q.Pop(ignore)
		if err != nil {
			break
		}
		got = append(got, obj)
	}
	if diff := cmp.Diff([]any{list[0], list[3], list[2]}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is deleted of the initial list needs no handling.
func TestFIFOHasSyncedWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewFIFO(thingKey)
		q.Replace([]any{thing{Key: "a"}}, "1")
		q.Delete(thing{Key: "a"})
		go q.Pop(ignore)
		<-q.Done()
		q.Close()
	})
}

func TestRealFIFORefusesContradictions(t *testing.T) {
	known := &consumer{}
	for want, o := range map[string]RealFIFOOptions{
		"RealFIFO: KnownObjects with AtomicEvents":             {KnownObjects: known, AtomicEvents: true},
		"RealFIFO: neither KnownObjects nor AtomicEvents":      {},
		"RealFIFO: UnlockWhileProcessing without AtomicEvents": {KnownObjects: known, UnlockWhileProcessing: true},
		"RealFIFO: EmitDeltaTypeBookmark without AtomicEvents": {KnownObjects: known, EmitDeltaTypeBookmark: true},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}()
			NewRealFIFOWithOptions(o)
		}()
	}
}

// A long queue makes producers wait for the consumer; a short one does not.
func TestRealFIFOIsLockedWhileItIsLong(t *testing.T) {
	for waiting, free := range map[int]bool{2*batchLimit - 1: true, 2 * batchLimit: false} {
		q := NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: thingKey, AtomicEvents: true, UnlockWhileProcessing: true})
		for range waiting + 1 {
			q.Add(thing{Key: "a"})
		}
		q.Pop(func(any, bool) error {
			if got := q.mu.TryLock(); got != free {
				t.Errorf("%d items wait: free is %t", waiting, got)
			} else if got {
				q.mu.Unlock()
			}
			return nil
		})
	}
}

// The objects of a list are handed on, and transformed in a list of their own.
func TestRealFIFOLeavesTheListAsItIs(t *testing.T) {
	q := NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: thingKey, AtomicEvents: true, Transformer: transformThing})
	list := []any{thing{Key: "a"}}
	if err := q.Replace(list, "7"); err != nil {
		t.Fatal(err)
	}
	got, _ := q.Pop(ignore)
	want := ReplacedAllInfo{ResourceVersion: "7", Objects: []any{thing{Key: "a", Transformed: 1}}}
	if diff := cmp.Diff(any(Deltas{{Type: ReplacedAll, Object: want}}), got); diff != "" || list[0] != any(thing{Key: "a"}) {
		t.Errorf("list %v, popped (-want +got):\n%s", list, diff)
	}
}

func TestRealFIFOPublishesMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := &metricsLog{}
		q := NewRealFIFOWithOptions(RealFIFOOptions{
			KeyFunction:           thingKey,
			AtomicEvents:          true,
			EmitDeltaTypeBookmark: true,
			Identifier:            newInformerName(t).WithResource(podsResource),
			MetricsProvider:       metrics,
		})
		q.Add(thing{Key: "a"})
		q.Bookmark("2")
		q.Pop(ignore)
		line := func(metric string) string { return "TestRealFIFOPublishesMetrics pods " + metric }
		want := []string{line("queued: 1"), line("queued: 2"), line("queued: 1"), line("latency: 0")}
		if diff := cmp.Diff(want, metrics.take()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
