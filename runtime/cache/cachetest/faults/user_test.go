package faults_test

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// userRows are about functions of the informer's user.
var userRows = []row{
	{
		name: "a handler does not return for ten minutes", listing: true, early: true,
		prepare: func(w *world) {
			w.handle(core.HandlerOptions{}, func(*v1.Pod) { time.Sleep(10 * time.Minute) })
		},
		ours:     recoversIn(atOnce, exactly(2), "other handlers are not affected, and the status has its backlog; a stop waits for it").stopsIn(after(599500 * time.Millisecond)),
		clientGo: recoversIn(atOnce, exactly(2), "other handlers are not affected; a stop waits for it").stopsIn(after(599500 * time.Millisecond)),
	},
	{
		name: "a handler panics whenever it is called", listing: true, early: true,
		prepare:  func(w *world) { w.handle(core.HandlerOptions{}, func(*v1.Pod) { panic("at the disco") }) },
		ours:     recoversIn(atOnce, exactly(2), "reports it and goes on with the next event after a second; other handlers are not affected"),
		layer:    &outcome{verdict: crashes, how: "as client-go, unless `ReallyCrash` is off"},
		clientGo: outcome{verdict: crashes, how: "unless `ReallyCrash` is off"},
	},
	{
		name: "a transform fails for one pod", listing: true, early: true, without: "c",
		prepare:  func(w *world) { w.transform(func() error { return errors.New("no good") }) },
		says:     `object "ns/c": transform: no good`,
		ours:     recoversIn(atOnce, exactly(2), "leaves it out, and has the others"),
		clientGo: never(loops, about(191), "never has any objects"),
	},
	{
		name: "a transform panics for one pod", listing: true, early: true, without: "c",
		prepare:  func(w *world) { w.transform(func() error { panic("at the disco") }) },
		says:     `object "ns/c": transform: panic: at the disco`,
		ours:     recoversIn(atOnce, exactly(2), "leaves it out, and has the others"),
		clientGo: outcome{verdict: crashes},
	},
	{
		name: "an index function fails for one pod", listing: true, early: true,
		prepare:  func(w *world) { w.index(func() error { return errors.New("no good") }) },
		says:     `index "name": object "ns/c": no good`,
		ours:     recoversIn(atOnce, exactly(2), "leaves it out of the index, not of the store"),
		clientGo: outcome{verdict: crashes, how: "with the store locked"},
	},
	{
		name: "an index function panics for one pod", listing: true, early: true,
		prepare:  func(w *world) { w.index(func() error { panic("at the disco") }) },
		says:     `index "name": object "ns/c": panic: at the disco`,
		ours:     recoversIn(atOnce, exactly(2), "leaves it out of the index, not of the store"),
		clientGo: outcome{verdict: crashes, how: "with the store locked"},
	},
}

// handle adds a handler of all events, to the core if that can be reached, and
// returns what removes it.
func (w *world) handle(options core.HandlerOptions, call func(*v1.Pod)) (remove func()) {
	if informer, ok := clientgocache.Core[*v1.Pod](w.informer); ok {
		registration, err := informer.AddHandler(core.HandlerFuncs[*v1.Pod]{
			Add:    func(pod *v1.Pod, _ bool) { call(pod) },
			Update: func(_, pod *v1.Pod) { call(pod) },
			Delete: func(pod *v1.Pod, _ bool) { call(pod) },
		}, options)
		w.check(err)
		return registration.Remove
	}
	handle := w.add(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { call(obj.(*v1.Pod)) },
		UpdateFunc: func(_, obj any) { call(obj.(*v1.Pod)) },
		DeleteFunc: func(obj any) { call(obj.(*v1.Pod)) },
	})
	return func() { w.check(w.informer.RemoveEventHandler(handle)) }
}

// transform sets a transform that calls fail for the pod c.
func (w *world) transform(fail func() error) {
	w.check(w.informer.SetTransform(func(obj any) (any, error) {
		if obj.(*v1.Pod).Name == "c" {
			return nil, fail()
		}
		return obj, nil
	}))
}

// index adds an index whose function calls fail for the pod c.
func (w *world) index(fail func() error) {
	w.check(w.informer.AddIndexers(cache.Indexers{"name": func(obj any) ([]string, error) {
		pod := obj.(*v1.Pod)
		if pod.Name == "c" {
			return nil, fail()
		}
		return []string{pod.Name}, nil
	}}))
}
