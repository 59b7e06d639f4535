package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// sharedCases are about informers that several handlers share.
var sharedCases = []testCase{
	{statement: "I1", title: "a handler is called with one event after the other", test: func(t *T) {
		w := t.listing("a")
		calls, most := 0, 0
		r := w.handle()
		r.hook = func(string) {
			calls++
			most = max(most, calls)
			time.Sleep(time.Second)
			calls--
		}
		w.run()
		w.update("a")
		w.create("b")
		w.update("a")
		w.delete("a")
		w.pass(time.Minute)
		r.want("initial a@2", "update a@2 a@3", "add b@4", "update a@3 a@5", "delete a@6")
		t.equal("calls at once", most, 1)
	}},

	{statement: "I1", title: "a handler is called after the store and its indexes have changed", test: func(t *T) {
		w := t.listing("a")
		t.check(w.informer.AddIndexers(cache.Indexers{"name": func(obj any) ([]string, error) { return []string{obj.(*v1.Pod).Name}, nil }}))
		r := w.handle()
		r.hook = func(event string) {
			found, err := w.informer.GetIndexer().ByIndex("name", "a")
			t.check(err)
			fields := strings.Fields(event)
			if current := fields[len(fields)-1]; fields[0] != "delete" {
				t.equal("found after "+event, describeAll(found), []string{current})
			} else {
				t.equal("found after "+event, len(found), 0)
			}
		}
		w.run()
		w.update("a")
		w.pass(0)
		w.delete("a")
		r.want("initial a@2", "update a@2 a@3", "delete a@4")
	}},

	{statement: "I1", title: "the old object of an update is the one that the handler got last", test: func(t *T) {
		w := t.resyncing(time.Minute, "a", "b")
		last := map[string]any{}
		updates := 0
		w.add(cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { last[obj.(*v1.Pod).Name] = obj },
			UpdateFunc: func(old, obj any) {
				updates++
				name := obj.(*v1.Pod).Name
				if old != last[name] {
					t.Errorf("old object is %s, the last was %s", describe(old), describe(last[name]))
				}
				last[name] = obj
			},
		})
		w.run()
		w.update("a")
		w.relist(func() { w.update("b") })
		w.update("a")
		w.pass(2 * time.Minute)
		t.equal("some updates", updates >= 7, true)
	}},

	{statement: "I1", title: "a slow handler blocks neither the store nor another handler", test: func(t *T) {
		w := t.listing("a")
		slow, quick := w.handle(), w.handle()
		slow.hook = func(string) { time.Sleep(time.Hour) }
		w.run()
		for range 3 {
			w.update("a")
		}
		quick.want("initial a@2", "update a@2 a@3", "update a@3 a@4", "update a@4 a@5")
		slow.want("initial a@2")
		w.wantStored("a@5")
		w.pass(3 * time.Hour)
		slow.want("update a@2 a@3", "update a@3 a@4", "update a@4 a@5")
	}},

	{statement: "I2", title: "a late handler gets the existing objects, and then every change", test: func(t *T) {
		w := t.listing("a", "b")
		w.run()
		proceed := make(chan struct{})
		r := &recorder{T: t, hook: func(string) { <-proceed }}
		handle := w.add(r)
		w.update("a")
		w.create("c")
		w.pass(0)
		t.equal("in sync before it has seen what is there", handle.HasSynced(), false)
		close(proceed)
		w.pass(0)
		events := r.take()
		slices.Sort(events[:2])
		t.equal("handler", events, []string{"initial a@2", "initial b@3", "update a@2 a@4", "add c@5"})
		t.equal("in sync after it has seen what is there", handle.HasSynced(), true)
	}},

	{statement: "I3", title: "a stopped informer accepts no handler and no index", test: func(t *T) {
		w := t.listing("a")
		handle := w.add(&recorder{T: t})
		w.run()()
		if _, err := w.informer.AddEventHandler(&recorder{T: t}); err == nil || !strings.HasSuffix(err.Error(), "was not added to shared informer because it has stopped already") {
			t.Errorf("error of a handler is %v", err)
		}
		if err := w.informer.AddIndexers(roles()); err == nil || !strings.Contains(err.Error(), "stopped already") {
			t.Errorf("error of an index is %v", err)
		}
		t.check(w.informer.RemoveEventHandler(handle))
	}},

	{statement: "I4", title: "a handler that was removed gets no more events, and may be removed again", test: func(t *T) {
		w := t.listing("a")
		r, stays := &recorder{T: t}, w.handle()
		handle := w.add(r)
		w.run()
		r.want("initial a@2")
		t.check(shutDownEventHandler(w.informer, handle))
		t.check(w.informer.RemoveEventHandler(handle))
		t.check(shutDownEventHandler(w.informer, handle))
		w.create("b")
		r.want()
		stays.want("initial a@2", "add b@3")
	}},

	{statement: "I4", title: "the handle of another informer's handler is ignored", test: func(t *T) {
		w, other := t.listing("a"), t.listing("a")
		r := &recorder{T: t}
		handle := other.add(r)
		w.run()
		other.run()
		t.check(w.informer.RemoveEventHandler(handle))
		other.create("b")
		r.want("initial a@2", "add b@3")
	}},

	{statement: "I4", title: "a handler that is added twice gets every event twice", test: func(t *T) {
		w := t.listing("a")
		r := &recorder{T: t}
		first := w.add(r)
		w.add(r)
		w.run()
		r.want("initial a@2", "initial a@2")
		t.check(w.informer.RemoveEventHandler(first))
		w.create("b")
		r.want("add b@3")
	}},

	{statement: "I4", title: "shutting down a handler waits for its last call, if there was one", test: func(t *T) {
		w := t.listing("a")
		never := w.add(&recorder{T: t})
		t.check(shutDownEventHandler(w.informer, never))
		handle := w.add(&recorder{T: t, hook: func(string) { time.Sleep(time.Minute) }})
		w.run()
		began := time.Now()
		t.check(shutDownEventHandler(w.informer, handle))
		t.equal("wait", time.Since(began), time.Minute)
	}},

	{statement: "I5", title: "the handle of a handler that was removed before it was in sync gets in sync", test: func(t *T) {
		w := t.listing("a", "b")
		never := w.add(&recorder{T: t})
		t.check(w.informer.RemoveEventHandler(never))
		slow := w.add(&recorder{T: t, hook: func(string) { time.Sleep(time.Minute) }})
		w.run()
		t.check(w.informer.RemoveEventHandler(slow))
		w.pass(time.Hour)
		t.equal("in sync", []bool{never.HasSynced(), slow.HasSynced()}, []bool{true, true})
	}},

	{statement: "I6", title: "a handler that panics goes on with the next event after a second", test: func(t *T) {
		w := t.listing("a")
		r := w.handle()
		var times []time.Time
		r.hook = func(event string) {
			times = append(times, time.Now())
			if event == "add b@3" {
				panic("of the handler")
			}
		}
		t.survive(func() {
			w.run()
			w.create("b")
			w.create("c")
			w.pass(time.Minute)
			r.want("initial a@2", "add b@3", "add c@4")
			t.equal("backoff", times[2].Sub(times[1]), time.Second)
		})
	}},

	{statement: "I6", title: "a handler that panics during the initial list gets in sync", test: func(t *T) {
		w := t.listing("a", "b")
		r := &recorder{T: t, hook: func(event string) {
			if event == "initial a@2" {
				panic("of the handler")
			}
		}}
		handle := w.add(r)
		t.survive(func() {
			w.run()
			w.pass(time.Minute)
			r.want("initial a@2", "initial b@3")
			t.equal("in sync", handle.HasSynced(), true)
		})
	}},

	{statement: "I7", title: "an informer runs once", test: func(t *T) {
		w := t.listing("a")
		stop := w.run()
		w.informer.RunWithContext(t.Context())
		t.equal("stopped by a second run", w.informer.IsStopped(), false)
		stop()
		w.requests()
		w.informer.RunWithContext(t.Context())
		w.wantRequests()
	}},

	{statement: "I7", title: "transform and watch error handler are set before the start, and the last one counts", test: func(t *T) {
		w := t.listing("a")
		replaced, transformed := w.countTransforms(), w.countTransforms()
		w.run()
		t.equal("transforms", []int{*replaced, *transformed}, []int{0, 1})
		for _, err := range []error{
			w.informer.SetTransform(func(obj any) (any, error) { return obj, nil }),
			w.informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}),
		} {
			if err == nil || err.Error() != "informer has already started" {
				t.Errorf("error is %v", err)
			}
		}
	}},

	{statement: "I8", title: "a run ends when the handlers have ended", test: func(t *T) {
		w := t.listing("a")
		ended := false
		w.handle().hook = func(string) { time.Sleep(time.Minute); ended = true }
		stop := w.run()
		began := time.Now()
		stop()
		t.equal("wait", time.Since(began), time.Minute)
		t.equal("handler has ended", ended, true)
		synctest.Wait()
		t.equal("open watches", w.api.Watches(), 0)
	}},

	{statement: "I8", title: "an informer has stopped before its run waits for handlers, and takes no more", test: func(t *T) {
		w := t.listing("a")
		var err error
		w.handle().hook = func(string) {
			for range time.NewTicker(time.Second).C {
				if w.informer.IsStopped() {
					_, err = w.informer.AddEventHandler(&recorder{T: t})
					return
				}
			}
		}
		stop := w.run()
		w.pass(time.Minute)
		t.equal("stopped while it runs", w.informer.IsStopped(), false)
		stop()
		if err == nil || !strings.Contains(err.Error(), "has stopped already") {
			t.Errorf("error is %v", err)
		}
	}},

	{statement: "I8", title: "the pending events of a handler are dropped at the stop, and the store keeps its objects", test: func(t *T) {
		w := t.listing("a")
		r := w.handle()
		r.hook = func(string) { time.Sleep(time.Minute) }
		stop := w.run()
		w.create("b")
		w.pass(0)
		stop()
		r.want("initial a@2")
		w.wantStored("a@2", "b@3")
	}},

	{statement: "I9", title: "an informer is in sync once its store holds the first list, and not if it is stopped before", test: func(t *T) {
		w, late := t.listing("a"), t.listing("a")
		w.run()
		t.equal("in sync", []bool{w.informer.HasSynced(), isDone(t.checkerOf(w.informer))}, []bool{true, true})
		late.api.Fail(cachetest.Fault{Verb: cachetest.List, Hang: true})
		stop := late.run()
		t.equal("in sync without a list", late.informer.HasSynced(), false)
		stop()
		t.equal("in sync after the stop", late.informer.HasSynced(), false)
	}},

	{statement: "I9", title: "the controller of an informer reports on it, and does not run it", test: func(t *T) {
		w := t.listing("a")
		controller := w.informer.GetController()
		controller.RunWithContext(t.Context())
		controller.Run(nil)
		w.wantRequests()
		t.equal("state", fmt.Sprintf("%t %s", controller.HasSynced(), controller.LastSyncResourceVersion()), "false ")
		w.run()
		t.equal("state", fmt.Sprintf("%t %s", controller.HasSynced(), controller.LastSyncResourceVersion()), "true 2")
	}},

	{statement: "I10", title: "without a period of the informer there is no resync", test: func(t *T) {
		w := t.listing("a")
		r := &recorder{T: t}
		w.addResynced(r, time.Second)
		w.run()
		w.pass(time.Hour)
		r.want("initial a@2")
	}},

	{statement: "I10", title: "a period of less than a second is a second", test: func(t *T) {
		w := t.resyncing(time.Second, "a")
		t.wantResyncs(w, []time.Duration{time.Millisecond}, nil, []int{60})
	}},

	{statement: "I10", title: "before the start a shorter period shortens that of the informer", test: func(t *T) {
		w := t.resyncing(12*time.Hour, "a")
		t.wantResyncs(w, []time.Duration{30 * time.Second, 20 * time.Second, 5 * time.Second, 0}, nil, []int{2, 3, 12, 0})
	}},

	{statement: "I10", title: "after the start a shorter period is that of the informer", test: func(t *T) {
		w := t.resyncing(30*time.Second, "a")
		t.wantResyncs(w, []time.Duration{10 * time.Second}, []time.Duration{time.Second, 20 * time.Second}, []int{6, 6, 3})
	}},

	{statement: "I11", title: "a relist delivers unchanged objects to handlers of an informer without resyncs", test: func(t *T) {
		w := t.listing("a", "b", "c")
		r := w.handle()
		w.run()
		r.want("initial a@2", "initial b@3", "initial c@4")
		w.relist(func() { w.update("b") })
		r.want("resync a@2", "update b@3 b@5", "resync c@4")
	}},

	{statement: "I11", title: "a relist delivers only changes to a handler that wants no resync", test: func(t *T) {
		w := t.resyncing(time.Second, "a", "b", "c")
		r := &recorder{T: t}
		w.addResynced(r, 0)
		w.run()
		w.pass(2 * time.Second)
		r.want("initial a@2", "initial b@3", "initial c@4")
		w.relist(func() { w.update("a") })
		r.want("update a@2 a@5")
	}},

	{statement: "I12", title: "a change of an object whose version was transformed away is a change", test: func(t *T) {
		w := t.resyncing(time.Second, "a")
		t.check(w.informer.SetTransform(func(obj any) (any, error) {
			obj.(*v1.Pod).ResourceVersion = ""
			return obj, nil
		}))
		updates := 0
		w.addResynced(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { updates++ }}, 0)
		w.run()
		w.pass(2 * time.Second)
		w.update("a")
		w.pass(0)
		t.equal("updates", updates, 1)
	}},

	{statement: "I12", title: "a relist delivers the change of an object whose version was transformed away", test: func(t *T) {
		w := t.resyncing(time.Second, "a", "b", "c")
		t.check(w.informer.SetTransform(func(obj any) (any, error) {
			obj.(*v1.Pod).ResourceVersion = ""
			return obj, nil
		}))
		var updated []string
		w.addResynced(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) { updated = append(updated, obj.(*v1.Pod).Name) }}, 0)
		w.run()
		w.pass(2 * time.Second)
		w.relist(func() { w.update("b") })
		t.equal("updated", updated, []string{"b"})
	}},

	{statement: "I13", title: "a handler that is added before the start misses nothing", test: func(t *T) {
		w := t.listing("a")
		var all []*recorder
		for range 100 {
			all = append(all, w.handle())
		}
		w.run()
		w.create("b")
		for _, r := range all {
			r.want("initial a@2", "add b@3")
		}
	}},

	{statement: "I14", title: "an object that is mutated after an add is detected if enabled", test: func(t *T) {
		t.rerun(mutationDetector, "mutated|modified", func() {
			w := t.listing("a")
			w.add(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { obj.(*v1.Pod).Name = "mutated" }})
			w.run()
			w.pass(time.Minute)
		})
	}},

	{statement: "I14", title: "an object that is mutated after an update is detected if enabled", test: func(t *T) {
		t.rerun(mutationDetector, "mutated|modified", func() {
			w := t.listing("a")
			w.add(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) { obj.(*v1.Pod).Name = "mutated" }})
			w.run()
			w.update("a")
			w.pass(time.Minute)
		})
	}},

	{statement: "I15", title: "checkers are named after the type of the objects, and of the handler", test: func(t *T) {
		w := t.listing("a")
		handle := w.add(&recorder{T: t})
		t.equal("name of the informer", t.checkerOf(w.informer).Name(), "SharedIndexInformer *v1.Pod")
		t.equal("name of the handler", t.checkerOf(handle).Name(),
			"SharedIndexInformer *v1.Pod + event handler github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance.recorder")
	}},

	{statement: "I15", title: "a caller that waits sees the name of what it waits for", test: func(t *T) {
		w, hanging := t.listing("a"), t.streaming("a")
		hanging.api.Fail(cachetest.Fault{Times: -1, Hang: true})
		w.run()
		hanging.run()
		logger := ktesting.NewLogger(ktesting.NopTL{}, ktesting.NewConfig(ktesting.BufferLogs(true)))
		ctx, cancel := context.WithTimeoutCause(klog.NewContext(t.Context(), logger), time.Minute, fmt.Errorf("too late"))
		defer cancel()
		if waitFor(ctx, "pods", t.checkerOf(w.informer), t.checkerOf(hanging.informer)) {
			t.Error("all are in sync")
		}
		log := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
		for _, want := range []string{
			`Waiting for="pods"`,
			`Done waiting for="pods" instance="SharedIndexInformer *v1.Pod"`,
			`Timed out waiting for="pods" cause="too late" instances=["SharedIndexInformer *v1.Pod"]`,
		} {
			if !strings.Contains(log, want) {
				t.Errorf("log says nothing of %s:\n%s", want, log)
			}
		}
	}},
}

const mutationDetector = "KUBE_CACHE_MUTATION_DETECTOR=true"

// survive runs with a process that outlives the panic of a handler.
func (t *T) survive(run func()) {
	crash := utilruntime.ReallyCrash
	defer func() { utilruntime.ReallyCrash = crash }()
	utilruntime.ReallyCrash = false
	t.quietly(run)
}

// wantResyncs counts the resyncs in a minute of handlers with these periods,
// that are added before and after the start.
func (t *T) wantResyncs(w *world, before, after []time.Duration, want []int) {
	t.Helper()
	got := make([]int, len(before)+len(after))
	counter := func(i int) cache.ResourceEventHandler {
		return cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { got[i]++ }}
	}
	for i, period := range before {
		w.addResynced(counter(i), period)
	}
	stop := w.run()
	for i, period := range after {
		w.addResynced(counter(len(before)+i), period)
	}
	w.pass(time.Minute)
	stop()
	t.equal("resyncs", got, want)
}
