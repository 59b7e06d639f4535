package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// queueCases are about the queues between a reflector and a store.
var queueCases = []testCase{
	{statement: "Q1", title: "a queue is in sync when the last object of the first list has been processed", test: func(t *T) {
		for name, q := range t.queues() {
			t.equal(name+" in sync while empty", q.HasSynced(), false)
			t.check(q.Replace([]any{podAt("a", "1"), podAt("b", "2")}, "2"))
			for range 2 {
				t.equal(name+" in sync with objects", q.HasSynced(), false)
				t.pop(q)
			}
			t.equal(name+" in sync", []bool{q.HasSynced(), cache.IsDone(q.HasSyncedChecker())}, []bool{true, true})
		}
	}},

	{statement: "Q1", title: "a queue that gets a change before a list is in sync at once", test: func(t *T) {
		for _, change := range []func(cache.Queue) error{
			func(q cache.Queue) error { return q.Add(podAt("a", "1")) },
			func(q cache.Queue) error { return q.Update(podAt("a", "1")) },
			func(q cache.Queue) error { return q.Delete(podAt("a", "1")) },
			func(q cache.Queue) error { return q.Replace(nil, "1") },
		} {
			for name, q := range t.queues() {
				t.check(change(q))
				t.equal(name+" in sync", q.HasSynced(), true)
			}
		}
	}},

	{statement: "Q1", title: "an ordered queue is not in sync while the last object is processed", test: func(t *T) {
		for name, q := range map[string]cache.Queue{"ordered": t.newOrdered(), "atomic": t.newAtomic()} {
			t.check(q.Replace([]any{podAt("a", "1")}, "1"))
			_, err := q.Pop(func(any, bool) error {
				t.equal(name+" in sync", cache.IsDone(q.HasSyncedChecker()), false)
				return nil
			})
			t.check(err)
			t.equal(name+" in sync", q.HasSynced(), true)
		}
	}},

	{statement: "Q2", title: "items that are popped before the queue is in sync are initial", test: func(t *T) {
		for name, q := range t.queues() {
			t.check(q.Replace([]any{podAt("a", "1"), podAt("b", "2")}, "2"))
			t.check(q.Add(podAt("c", "3")))
			var initial []bool
			for range 3 {
				_, err := q.Pop(func(_ any, isInInitialList bool) error {
					initial = append(initial, isInInitialList)
					return nil
				})
				t.check(err)
			}
			t.equal(name, initial, []bool{true, true, false})
		}
	}},

	{statement: "Q3", title: "a pop waits, and a closed queue is popped to its end", test: func(t *T) {
		for name, q := range t.queues() {
			popped := make(chan string, 3)
			go func() {
				for {
					obj, err := q.Pop(func(any, bool) error { return nil })
					if err != nil {
						popped <- err.Error()
						return
					}
					popped <- describeDeltas(obj)
				}
			}()
			synctest.Wait()
			t.equal(name+" popped while empty", len(popped), 0)
			t.check(q.Add(podAt("a", "1")))
			t.equal(name, <-popped, "Added a@1")
			synctest.Wait()
			q.Close()
			t.equal(name, <-popped, cache.ErrFIFOClosed.Error())
			t.check(q.Add(podAt("b", "2")))
			t.equal(name, t.pop(q), "Added b@2")
			if _, err := q.Pop(func(any, bool) error { return nil }); !errors.Is(err, cache.ErrFIFOClosed) {
				t.Errorf("%s: error is %v", name, err)
			}
		}
	}},

	{statement: "Q4", title: "the changes of one object are popped together, objects in the order of their first change", test: func(t *T) {
		q := t.newDelta()
		t.check(q.Add(podAt("a", "1")))
		t.check(q.Add(podAt("b", "2")))
		t.check(q.Update(podAt("a", "3")))
		t.check(q.Delete(podAt("a", "4")))
		t.check(q.Add(podAt("a", "5")))
		t.popAll(q, "Added a@1, Updated a@3, Deleted a@4, Added a@5", "Added b@2")
	}},

	{statement: "Q4", title: "of two deletions in a row the one with the object is kept", test: func(t *T) {
		q := t.newDelta(podAt("a", "1"))
		t.check(q.Delete(cache.DeletedFinalStateUnknown{Key: "ns/a"}))
		t.check(q.Delete(podAt("a", "2")))
		t.check(q.Delete(cache.DeletedFinalStateUnknown{Key: "ns/a"}))
		t.popAll(q, "Deleted a@2")
	}},

	{statement: "Q4", title: "a list deletes known objects that it lacks, in the latest known state", test: func(t *T) {
		q := t.newDelta(podAt("a", "1"), podAt("b", "2"))
		t.check(q.Update(podAt("b", "3")))
		t.check(q.Add(podAt("c", "4")))
		t.check(q.Replace([]any{podAt("d", "5")}, "5"))
		t.popAll(q,
			"Updated b@3, Deleted tombstone of ns/b b@3",
			"Added c@4, Deleted tombstone of ns/c c@4",
			"Replaced d@5",
			"Deleted tombstone of ns/a a@1",
		)
	}},

	{statement: "Q4", title: "the deletions of the first list belong to it", test: func(t *T) {
		q := t.newDelta(podAt("a", "1"))
		t.check(q.Replace([]any{podAt("b", "2")}, "2"))
		t.pop(q)
		t.equal("in sync", q.HasSynced(), false)
		t.pop(q)
		t.equal("in sync", q.HasSynced(), true)
	}},

	{statement: "Q4", title: "the deletion of an unknown object is dropped", test: func(t *T) {
		q := t.newDelta()
		t.check(q.Delete(podAt("a", "1")))
		t.popAll(q)
	}},

	{statement: "Q4", title: "a resync leaves out queued objects", test: func(t *T) {
		q := t.newDelta(podAt("a", "1"), podAt("b", "2"))
		t.check(q.Update(podAt("a", "3")))
		t.check(q.Resync())
		t.popAll(q, "Updated a@3", "Sync b@2")
	}},

	{statement: "Q5", title: "an ordered queue keeps every change in the order of its arrival", test: func(t *T) {
		q := t.newOrdered()
		t.check(q.Add(podAt("a", "1")))
		t.check(q.Add(podAt("b", "2")))
		t.check(q.Update(podAt("a", "3")))
		t.check(q.Delete(podAt("a", "4")))
		t.check(q.Delete(podAt("unknown", "5")))
		t.popAll(q, "Added a@1", "Added b@2", "Updated a@3", "Deleted a@4", "Deleted unknown@5")
	}},

	{statement: "Q5", title: "a list deletes before it replaces, queued objects first", test: func(t *T) {
		q := t.newOrdered(podAt("a", "1"), podAt("b", "2"))
		t.check(q.Add(podAt("c", "3")))
		t.check(q.Delete(podAt("b", "4")))
		t.check(q.Replace([]any{podAt("d", "5")}, "5"))
		t.popAll(q, "Added c@3", "Deleted b@4", "Deleted tombstone of ns/c c@3", "Deleted tombstone of ns/a a@1", "Replaced d@5")
	}},

	{statement: "Q6", title: "in an atomic queue a list, a resync and a bookmark are one change each", test: func(t *T) {
		q := t.newAtomic()
		t.check(q.Replace([]any{podAt("a", "1"), podAt("b", "2")}, "2"))
		t.check(q.Resync())
		t.check(q.(cache.ReflectorBookmarkStore).Bookmark("3"))
		t.popAll(q, "ReplacedAll 2 [a@1 b@2]", "SyncAll", "Bookmark 3")
	}},

	{statement: "Q6", title: "a queue that is not atomic, or not asked to, drops bookmarks", test: func(t *T) {
		for _, q := range []cache.Queue{t.newOrdered(), t.newReal(cache.RealFIFOOptions{AtomicEvents: true})} {
			t.check(q.(cache.ReflectorBookmarkStore).Bookmark("3"))
			t.popAll(q)
		}
	}},

	{statement: "Q7", title: "a batch ends before the second change of an object", test: func(t *T) {
		q := t.newAtomic()
		t.check(q.Add(podAt("a", "1")))
		t.check(q.Add(podAt("b", "2")))
		t.check(q.Update(podAt("a", "3")))
		t.popBatches(q, "batch Added a@1, Added b@2", "single Updated a@3")
	}},

	{statement: "Q7", title: "a batch has a thousand changes at the most", test: func(t *T) {
		q := t.newAtomic()
		for _, name := range names(1500) {
			t.check(q.Add(podAt(name, "1")))
		}
		t.equal("sizes", t.batchSizes(q), []int{1000, 500})
	}},

	{statement: "Q7", title: "a batch ends with the first list", test: func(t *T) {
		q := t.newOrdered()
		t.check(q.Replace([]any{podAt("a", "1"), podAt("b", "2")}, "2"))
		t.check(q.Add(podAt("c", "3")))
		t.check(q.Add(podAt("d", "4")))
		t.popBatches(q, "batch Replaced a@1, Replaced b@2 (initial)", "batch Added c@3, Added d@4")
	}},

	{statement: "Q7", title: "an item that concerns all objects is processed alone", test: func(t *T) {
		q := t.newAtomic()
		t.check(q.Add(podAt("a", "1")))
		t.check(q.Add(podAt("b", "2")))
		t.check(q.Resync())
		t.check(q.Add(podAt("c", "3")))
		t.check(q.Replace([]any{podAt("d", "4")}, "4"))
		t.popBatches(q, "batch Added a@1, Added b@2", "single SyncAll", "single Added c@3", "single ReplacedAll 4 [d@4]")
	}},

	{statement: "Q7", title: "an object without a key ends its batch", test: func(t *T) {
		q := t.newReal(cache.RealFIFOOptions{AtomicEvents: true, Transformer: func(obj any) (any, error) {
			if describe(obj) == "b@2" {
				return "broken", nil
			}
			return obj, nil
		}})
		for i, name := range []string{"a", "b", "c", "d"} {
			t.check(q.Add(podAt(name, fmt.Sprint(i+1))))
		}
		t.popBatches(q, "batch Added a@1, Added broken", "batch Added c@3, Added d@4")
	}},

	{statement: "Q8", title: "processing does not block the reflector, until the queue is too long", outside: true, test: func(t *T) {
		for waiting, want := range map[int]bool{10: true, 5000: false} {
			q := t.newReal(cache.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true})
			for _, name := range names(waiting) {
				t.check(q.Add(podAt(name, "1")))
			}
			added := make(chan error, 1)
			_, err := q.Pop(func(any, bool) error {
				go func() { added <- q.Add(podAt("late", "2")) }()
				select {
				case err := <-added:
					t.equal(fmt.Sprintf("added beside %d", waiting), true, want)
					added <- err
				case <-time.After(100 * time.Millisecond):
					t.equal(fmt.Sprintf("added beside %d", waiting), false, want)
				}
				return nil
			})
			t.check(err)
			t.check(<-added)
		}
	}},

	{statement: "Q9", title: "slow processing of a long queue is logged", test: func(t *T) {
		q := t.newAtomic()
		for _, name := range names(20) {
			t.check(q.Add(podAt(name, "1")))
		}
		slow := func(any, bool) error { time.Sleep(time.Second); return nil }
		log := t.captureLog(func() {
			_, err := q.Pop(slow)
			t.check(err)
		})
		if !strings.Contains(strings.ToLower(log), "slow event handlers") {
			t.Errorf("log is %q", log)
		}
	}},

	{statement: "Q10", title: "an object is transformed once, when it is queued", test: func(t *T) {
		for _, atomic := range []bool{false, true} {
			var transformed []string
			options := cache.RealFIFOOptions{AtomicEvents: atomic, Transformer: func(obj any) (any, error) {
				transformed = append(transformed, describe(obj))
				return obj, nil
			}}
			if !atomic {
				options.KnownObjects = t.known(podAt("gone", "1"), podAt("a", "2"))
			}
			q := t.newReal(options)
			t.check(q.Replace([]any{podAt("a", "2")}, "2"))
			t.check(q.Add(podAt("b", "3")))
			t.check(q.Delete(cache.DeletedFinalStateUnknown{Key: "ns/b"}))
			t.check(q.Resync())
			t.drain(q)
			t.equal("transformed", transformed, []string{"a@2", "b@3"})
		}
	}},

	{statement: "Q10", title: "an object that can't be transformed is refused", test: func(t *T) {
		failed := errors.New("transform failed")
		q := t.newReal(cache.RealFIFOOptions{AtomicEvents: true, Transformer: func(any) (any, error) { return nil, failed }})
		for _, err := range []error{q.Add(podAt("a", "1")), q.Replace([]any{podAt("a", "1")}, "1")} {
			if !errors.Is(err, failed) {
				t.Errorf("error is %v", err)
			}
		}
		t.popAll(q)
	}},
}

// queues returns queues in which a list is a change for each object.
func (t *T) queues() map[string]cache.Queue {
	t.Helper()
	return map[string]cache.Queue{"by object": t.newDelta(), "ordered": t.newOrdered()}
}

// newDelta returns a DeltaFIFO that knows objects.
func (t *T) newDelta(objs ...any) cache.Queue {
	t.Helper()
	if t.impl.NewDeltaFIFO == nil {
		t.Fatal("there is no NewDeltaFIFO")
	}
	return t.impl.NewDeltaFIFO(cache.DeltaFIFOOptions{KnownObjects: t.known(objs...), EmitDeltaTypeReplaced: true})
}

// newOrdered returns a RealFIFO that knows objects.
func (t *T) newOrdered(objs ...any) cache.QueueWithBatch {
	t.Helper()
	return t.newReal(cache.RealFIFOOptions{KnownObjects: t.known(objs...)})
}

// newAtomic returns the RealFIFO of a shared informer.
func (t *T) newAtomic() cache.QueueWithBatch {
	t.Helper()
	return t.newReal(cache.RealFIFOOptions{AtomicEvents: true, EmitDeltaTypeBookmark: true})
}

func (t *T) newReal(options cache.RealFIFOOptions) cache.QueueWithBatch {
	t.Helper()
	if t.impl.NewRealFIFO == nil {
		t.Fatal("there is no NewRealFIFO")
	}
	return t.impl.NewRealFIFO(options)
}

// known returns a store of objects.
func (t *T) known(objs ...any) cache.KeyListerGetter {
	t.Helper()
	store := newStore()
	for _, obj := range objs {
		t.check(store.Add(obj))
	}
	return store
}

// pop pops once.
func (t *T) pop(q cache.Queue) string {
	t.Helper()
	obj, err := q.Pop(func(any, bool) error { return nil })
	t.check(err)
	return describeDeltas(obj)
}

// popAll closes the queue and compares what it holds.
func (t *T) popAll(q cache.Queue, want ...string) {
	t.Helper()
	t.equal("queue", t.drain(q), want)
}

func (t *T) drain(q cache.Queue) []string {
	t.Helper()
	q.Close()
	var all []string
	for {
		obj, err := q.Pop(func(any, bool) error { return nil })
		if errors.Is(err, cache.ErrFIFOClosed) {
			return all
		}
		t.check(err)
		all = append(all, describeDeltas(obj))
	}
}

// popBatches closes the queue and compares what it holds, in batches.
func (t *T) popBatches(q cache.QueueWithBatch, want ...string) {
	t.Helper()
	var all []string
	t.eachBatch(q, func(kind string, deltas []cache.Delta, initial bool) {
		line := kind + " " + describeDeltas(cache.Deltas(deltas))
		if initial {
			line += " (initial)"
		}
		all = append(all, line)
	})
	t.equal("batches", all, want)
}

func (t *T) batchSizes(q cache.QueueWithBatch) []int {
	t.Helper()
	var sizes []int
	t.eachBatch(q, func(_ string, deltas []cache.Delta, _ bool) { sizes = append(sizes, len(deltas)) })
	return sizes
}

func (t *T) eachBatch(q cache.QueueWithBatch, each func(kind string, deltas []cache.Delta, initial bool)) {
	t.Helper()
	q.Close()
	batch := func(deltas []cache.Delta, initial bool) error { each("batch", deltas, initial); return nil }
	single := func(obj any, initial bool) error { each("single", obj.(cache.Deltas), initial); return nil }
	for {
		err := q.PopBatch(batch, single)
		if errors.Is(err, cache.ErrFIFOClosed) {
			return
		}
		t.check(err)
	}
}

// describeDeltas describes what Pop returns: "Added a@1, Updated a@2".
func describeDeltas(obj any) string {
	var all []string
	for _, delta := range obj.(cache.Deltas) {
		line := string(delta.Type)
		switch o := delta.Object.(type) {
		case cache.ReplacedAllInfo:
			line += fmt.Sprintf(" %s %v", o.ResourceVersion, describeAll(slices.Clone(o.Objects)))
		case cache.BookmarkInfo:
			line += " " + o.ResourceVersion
		case cache.SyncAllInfo:
		case cache.DeletedFinalStateUnknown:
			line += " " + describe(o)
			if p, ok := o.Obj.(*v1.Pod); ok {
				line += " " + describe(p)
			}
		default:
			line += " " + describe(o)
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

// captureLog returns what is logged by klog meanwhile.
func (t *T) captureLog(run func()) string {
	defer klog.CaptureState().Restore()
	var verbosity klog.Level
	t.check(verbosity.Set("2"))
	var log bytes.Buffer
	klog.LogToStderr(false)
	klog.SetOutput(&log)
	run()
	klog.Flush()
	return log.String()
}
