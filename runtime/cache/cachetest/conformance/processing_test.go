package conformance

import (
	"context"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// processingCases are about what becomes of the changes of an API.
var processingCases = []testCase{
	{statement: "P1", title: "after a relist the store is replaced first, then come deletions, then the others in list order", test: func(t *T) {
		w := t.listing("b", "c", "d", "e")
		r := w.handle()
		w.run()
		r.want("initial b@2", "initial c@3", "initial d@4", "initial e@5")
		r.hook = func(string) { t.equal("store", stored(w.informer.GetStore()), []string{"a@9", "c@8", "e@5"}) }
		w.relist(func() {
			w.delete("b")
			w.delete("d")
			w.update("c")
			w.create("a")
		})
		events := slices.DeleteFunc(r.take(), func(event string) bool { return event == "resync e@5" })
		slices.Sort(events[:2])
		t.equal("handler", events, []string{"gone b@2", "gone d@4", "add a@9", "update c@3 c@8"})
	}},

	{statement: "P1", title: "the same holds for an informer that is not shared", test: func(t *T) {
		w := t.listing("b", "c", "d")
		r := &recorder{T: t}
		store, controller := t.newUnshared(w.lw, r, 0)
		t.start(controller.RunWithContext)
		r.want("initial b@2", "initial c@3", "initial d@4")
		r.hook = func(string) { t.equal("store", stored(store), []string{"a@7", "c@6", "d@4"}) }
		w.relist(func() {
			w.delete("b")
			w.update("c")
			w.create("a")
		})
		events := slices.DeleteFunc(r.take(), func(event string) bool { return event == "resync d@4" })
		t.equal("handler", events, []string{"gone b@2", "add a@7", "update c@3 c@6"})
	}},

	{statement: "P2", title: "a handler finds the object of its event in the store", test: func(t *T) {
		w := t.listing()
		w.add(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
			stored, exists, err := w.informer.GetStore().Get(obj)
			if err != nil || !exists || stored != obj {
				t.Errorf("told of %s, there is %v, %v", describe(obj), stored, err)
			}
		}})
		r := w.handle()
		w.run()
		var want []string
		for i, name := range names(50) {
			w.create(name)
			want = append(want, "add "+describe(podAt(name, strconv.Itoa(i+2))))
		}
		r.want(want...)
	}},

	{statement: "P3", title: "a resync is an update of every object with itself", test: func(t *T) {
		w := t.resyncing(time.Minute, "a", "b")
		same := 0
		w.add(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, obj any) {
			if old == obj {
				same++
			}
		}})
		r := w.handle()
		w.run()
		r.want("initial a@2", "initial b@3")
		w.pass(time.Minute)
		r.wantUnordered("resync a@2", "resync b@3")
		t.equal("updates with the same object", same, 2)
	}},

	{statement: "P3", title: "a resync comes after the earlier events of the store", test: func(t *T) {
		w := t.resyncing(time.Minute, "a")
		r := w.handle()
		r.hook = func(string) { time.Sleep(10 * time.Second) }
		w.run()
		w.pass(59 * time.Second)
		w.update("a")
		w.pass(2 * time.Minute)
		r.want("initial a@2", "update a@2 a@3", "resync a@3", "resync a@3")
	}},

	{statement: "P3", title: "the same holds for an informer that is not shared", test: func(t *T) {
		w := t.listing("a")
		r := &recorder{T: t}
		_, controller := t.newUnshared(w.lw, r, time.Minute)
		t.start(controller.RunWithContext)
		w.pass(150 * time.Second)
		r.want("initial a@2", "resync a@2", "resync a@2")
	}},

	{statement: "P4", title: "a panic of the handler of an informer that is not shared is a panic of its run", test: func(t *T) {
		w := t.listing("a")
		_, controller := t.newUnshared(w.lw, cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("of the handler") }}, 0)
		t.quietly(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			defer func() { t.equal("panic", recover(), any("of the handler")) }()
			controller.RunWithContext(ctx)
		})
	}},

	{statement: "P5", title: "an object whose deletion and creation were missed is updated", test: func(t *T) {
		w := t.listing("a")
		var uids []any
		w.add(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, obj any) {
			uids = append(uids, old.(*v1.Pod).UID == obj.(*v1.Pod).UID)
		}})
		r := w.handle()
		w.run()
		w.relist(func() {
			w.delete("a")
			w.create("a")
		})
		r.want("initial a@2", "update a@2 a@4")
		t.equal("same UID", uids, []any{false})
	}},

	{statement: "P6", title: "only the first list is the initial one", test: func(t *T) {
		w := t.listing("a")
		r := w.handle()
		w.run()
		r.want("initial a@2")
		w.relist(func() {
			w.delete("a")
			w.create("b")
		})
		r.want("gone a@2", "add b@4")
	}},
}

// newUnshared returns an informer of pods with one handler.
func (t *T) newUnshared(lw cache.ListerWatcher, handler cache.ResourceEventHandler, resync time.Duration) (cache.Store, cache.Controller) {
	t.Helper()
	if t.impl.NewInformer == nil {
		t.Fatal("there is no NewInformer")
	}
	return t.impl.NewInformer(cache.InformerOptions{
		ListerWatcher: lw,
		ObjectType:    &v1.Pod{},
		Handler:       handler,
		ResyncPeriod:  resync,
	})
}
