package faults_test

import (
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// serverRows are about what happens to the server.
var serverRows = []row{
	{
		name: "the server restarts with a new history, whose versions are lower", listing: true,
		prepare:  old,
		meet:     func(w *world) { w.api.Restart() },
		stopAt:   5 * time.Minute,
		says:     "history of the server has restarted",
		ours:     recoversIn(between(4*time.Minute, 4*time.Minute+3200*time.Millisecond), exactly(3), "checks the server's version after 4 silent minutes, backs off, and lists"),
		clientGo: never(wrong, about(8), "waits for the server to reach its version"),
	},
	{
		name:     "the server restarts with a new history, whose versions are lower, and the informer asks for watch-lists",
		prepare:  old,
		meet:     func(w *world) { w.api.Restart() },
		stopAt:   5 * time.Minute,
		says:     "history of the server has restarted",
		ours:     recoversIn(between(4*time.Minute, 4*time.Minute+3200*time.Millisecond), exactly(3), "checks the server's version after 4 silent minutes, backs off, and lists"),
		clientGo: never(wrong, about(8), "waits for the server to reach its version"),
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
		ours:     never(loses, about(11), "keeps the pod: the versions do not show that the history is another"),
		clientGo: never(loses, about(12), "the same"),
	},
	{
		name: "the resource is installed after an hour", listing: true, early: true,
		prepare:  func(w *world) { w.api.Uninstall() },
		meet:     install,
		says:     "is its CRD installed?",
		ours:     recoversIn(between(0, 13*time.Second), about(322), "retries every 10–12.5 s, in the phase Absent"),
		clientGo: recoversIn(soon, about(191), "backs off, and reports an error each time"),
	},
	{
		name: "the resource is installed after an hour, and a watch-list waits for it", early: true,
		prepare:  func(w *world) { w.api.Uninstall() },
		meet:     install,
		says:     "is its CRD installed?",
		ours:     recoversIn(between(0, 13*time.Second), about(322), "retries every 10–12.5 s, in the phase Absent"),
		clientGo: recoversIn(soon, about(384), "backs off, and reports an error each time"),
	},
	{
		name: "the resource is deleted, and installed again after an hour", listing: true,
		meet:     func(w *world) { w.api.Uninstall(); install(w) },
		says:     "is its CRD installed?",
		ours:     recoversIn(between(0, 13*time.Second), about(322), "retries every 10–12.5 s, in the phase Absent"),
		clientGo: recoversIn(soon, about(191), "backs off, and reports an error each time"),
	},
	{
		name: "the resource is deleted, and the watch does not deliver the deletions of its objects", listing: true, removed: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused}},
		meet: func(w *world) {
			w.api.CloseWatches()
			w.pass(10 * time.Millisecond)
			w.api.Uninstall()
		},
		stopAt:   6 * time.Second,
		says:     "is its CRD installed?",
		ours:     recoversIn(between(5*time.Minute, 5*time.Minute+20*time.Second), about(58), "queries discovery each time, and deletes the objects when discovery has reported for five minutes that there is no such resource"),
		layer:    &outcome{verdict: loops, requests: about(322), how: "keeps the objects: discovery can't be queried"},
		clientGo: never(loops, about(191), "keeps the objects for ever"),
	},
}

// old makes the server's versions higher than the versions of a new server.
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
