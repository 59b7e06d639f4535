package faults_test

import (
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// serverRows are about what happens to the server.
var serverRows = []row{
	{
		name: "the server comes back with a new history, whose versions are lower", listing: true,
		prepare:  old,
		meet:     func(w *world) { w.api.Restart() },
		stopAt:   5 * time.Minute,
		says:     "server has begun a new history",
		ours:     inStep(between(4*time.Minute, 4*time.Minute+3200*time.Millisecond), exactly(3), "looks at the server's version after 4 silent minutes, rests, and lists"),
		clientGo: never(wrong, about(8), "waits for the server to get to its version"),
	},
	{
		name:     "the server comes back with a new history, whose versions are lower, and the informer asks for watch-lists",
		prepare:  old,
		meet:     func(w *world) { w.api.Restart() },
		stopAt:   5 * time.Minute,
		says:     "server has begun a new history",
		ours:     inStep(between(4*time.Minute, 4*time.Minute+3200*time.Millisecond), exactly(3), "looks at the server's version after 4 silent minutes, rests, and lists"),
		clientGo: never(wrong, about(8), "waits for the server to get to its version"),
	},
	{
		name: "the server is restored from a backup without the last pod, and is past its version when it is back", listing: true,
		faults: []cachetest.Fault{{Times: 3, Err: cachetest.ErrConnectionRefused}},
		meet: func(w *world) {
			backup := w.api.ResourceVersion()
			w.create("e")
			w.pass(time.Second)
			w.check(w.api.Restore(backup))
			w.update("c")
			w.update("c")
		},
		ours:     never(loses, about(11), "keeps the pod: nothing tells that the versions are others"),
		clientGo: never(loses, about(11), "the same"),
	},
	{
		name: "the resource is installed after an hour", listing: true, early: true,
		prepare:  func(w *world) { w.api.Uninstall() },
		meet:     install,
		says:     "is its CRD installed?",
		ours:     inStep(between(0, 13*time.Second), about(322), "asks every 10–12.5 s, in the phase Absent"),
		clientGo: inStep(soon, about(191), "rests, and reports an error each time"),
	},
	{
		name: "the resource is installed after an hour, and a watch-list waits for it", early: true,
		prepare:  func(w *world) { w.api.Uninstall() },
		meet:     install,
		says:     "is its CRD installed?",
		ours:     inStep(between(0, 13*time.Second), about(322), "asks every 10–12.5 s, in the phase Absent"),
		clientGo: inStep(soon, about(384), "rests, and reports an error each time"),
	},
	{
		name: "the resource is deleted, and installed again after an hour", listing: true,
		meet:     func(w *world) { w.api.Uninstall(); install(w) },
		says:     "is its CRD installed?",
		ours:     inStep(between(0, 13*time.Second), about(322), "asks every 10–12.5 s, in the phase Absent"),
		clientGo: inStep(soon, about(191), "rests, and reports an error each time"),
	},
	{
		name: "the resource is deleted, and nobody hears of its objects' deletion", listing: true, removed: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused}},
		meet: func(w *world) {
			w.api.CloseWatches()
			w.pass(10 * time.Millisecond)
			w.api.Uninstall()
		},
		stopAt:   6 * time.Second,
		says:     "is its CRD installed?",
		ours:     inStep(between(5*time.Minute, 5*time.Minute+20*time.Second), about(58), "asks discovery each time, and deletes the objects when that has said for five minutes that there is no such resource"),
		face:     &outcome{verdict: loops, requests: about(322), how: "keeps the objects: discovery can't be asked"},
		clientGo: never(loops, about(191), "keeps the objects for ever"),
	},
}

// old makes the server's versions higher than those of a new one.
func old(w *world) {
	for range 20 {
		w.update("c")
	}
}

// install makes the resource come after an hour, with two pods.
func install(w *world) {
	w.pass(time.Hour)
	w.api.Install()
	w.create("a", "b")
}
