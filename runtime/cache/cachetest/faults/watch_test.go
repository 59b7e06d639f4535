package faults_test

import (
	"errors"
	"io"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

func closeWatches(w *world) { w.api.CloseWatches() }

// watchRows are about watches of an informer in step.
var watchRows = []row{
	{
		name: "watches are forbidden (403) for ten minutes, lists are not", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Err: forbidden}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "RBAC must grant list and watch",
		ours:     inStep(soon, about(36), "rests, and lists each time"),
		clientGo: inStep(soon, about(69), "the same"),
	},
	{
		name: "a watch is answered with 410", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: expired}},
		meet:     closeWatches,
		says:     "resource expired",
		ours:     inStep(oneRest, exactly(2), "rests, and lists"),
		clientGo: inStep(oneRest, exactly(2), "the same"),
	},
	{
		name: "a watch ends with a frame of 410", listing: true,
		meet:     func(w *world) { w.api.BreakWatches(expired) },
		says:     "resource expired",
		ours:     inStep(oneRest, exactly(1), "rests, and lists"),
		clientGo: inStep(oneRest, exactly(1), "the same"),
	},
	{
		name: "the history is compacted while there is no watch", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused}},
		meet: func(w *world) {
			w.api.CloseWatches()
			w.pass(time.Millisecond)
			w.delete("c")
			w.create("c")
			w.api.Compact()
		},
		says:     "connection refused",
		ours:     inStep(between(1600*time.Millisecond, 3200*time.Millisecond), exactly(3), "is refused, backs off, expires, backs off for the shortest time again since the server has answered, and lists"),
		clientGo: inStep(between(2400*time.Millisecond, 4800*time.Millisecond), exactly(3), "is refused, backs off, expires, backs off for longer, and lists"),
	},
	{
		name: "watches are answered with 429 for ten minutes", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Err: busy}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "too many requests",
		ours:     inStep(soon, about(20), "rests, and asks for the same watch"),
		clientGo: inStep(soon, about(35), "the same"),
	},
	{
		name: "watches are answered with 500 for ten minutes", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Err: failed}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "an error on the server",
		ours:     inStep(soon, about(36), "rests, and lists each time"),
		clientGo: inStep(soon, about(68), "the same"),
	},
	{
		name: "each watch ends at once with a frame of 500, for ten minutes", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Opened: true, Err: failed}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "an error on the server",
		ours:     inStep(soon, about(36), "rests, and lists each time"),
		clientGo: inStep(soon, about(68), "the same"),
	},
	{
		name: "the server is gone for ten minutes", listing: true,
		faults: []cachetest.Fault{{Times: always, Err: cachetest.ErrConnectionRefused}}, lasts: 10 * time.Minute,
		meet:     func(w *world) { w.api.BreakWatches(cachetest.ErrConnectionReset) },
		says:     "connection refused",
		ours:     inStep(soon, about(20), "backs off, and asks for the same watch"),
		clientGo: inStep(soon, about(35), "the same"),
	},
	{
		name: "the connection of a watch is cut", listing: true,
		meet:     func(w *world) { w.api.BreakWatches(cachetest.ErrConnectionReset) },
		says:     "watching for",
		ours:     inStep(atOnce, exactly(1), "opens another at once"),
		clientGo: inStep(atOnce, exactly(1), "takes it for the end of the watch, and opens another at once"),
	},
	{
		name: "HTTP/2 finds the connection of a watch lost", listing: true,
		meet:     func(w *world) { w.api.BreakWatches(errors.New("http2: client connection lost")) },
		says:     "watching for",
		ours:     inStep(atOnce, exactly(1), "opens another at once"),
		clientGo: inStep(oneRest, exactly(1), "rests, and lists"),
	},
	{
		name: "each watch is closed at once, for an hour", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Opened: true, Err: io.EOF}}, lasts: time.Hour,
		meet:     closeWatches,
		says:     "closed within a second",
		ours:     inStep(soon, about(169), "rests, and lists each time"),
		clientGo: inStep(soon, about(385), "the same"),
	},
	{
		name: "each watch is closed after one frame, while a pod changes 100 times a second for a minute", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, After: 1, Err: io.EOF}},
		meet: func(w *world) {
			w.api.CloseWatches()
			for range 6000 {
				w.pass(10 * time.Millisecond)
				w.update("c")
			}
			w.api.ClearFaults()
		},
		says:     "closed within a second",
		ours:     inStep(between(0, 1500*time.Millisecond), about(60), "opens another after about a second"),
		clientGo: floods(after(10*time.Second), "opens another watch for each frame"),
	},
	{
		name: "the connection of each watch is cut at once, for an hour", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Opened: true, Err: cachetest.ErrConnectionReset}}, lasts: time.Hour,
		meet:     closeWatches,
		says:     "connection reset by peer",
		faceSays: "closed within a second",
		ours:     inStep(soon, about(169), "backs off, and from the third time on lists each time"),
		clientGo: inStep(soon, about(385), "backs off, and lists each time"),
	},
	{
		name: "a watch is never answered", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Hang: true}},
		meet:     closeWatches,
		ours:     inStep(after(4*time.Minute), exactly(3), "opens another after 4 silent minutes, and a look at the server's version"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch is half-open from the start", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Opened: true, Hang: true}},
		meet:     closeWatches,
		ours:     inStep(after(4*time.Minute), exactly(3), "opens another after 4 silent minutes, and a look at the server's version"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "each watch is half-open after one frame", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Times: 3, After: 1, Hang: true}},
		meet:     closeWatches,
		ours:     inStep(after(10*time.Minute), exactly(3), "opens another after 4 to 5 silent minutes"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch has no bookmarks for an hour", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, LoseBookmarks: true}}, lasts: time.Hour,
		meet:     closeWatches,
		ours:     inStep(atOnce, about(58), "looks at the server's version and opens another after 4 silent minutes, and after 1 to 3 from then on: what a proxy holds back comes when the server ends the watch"),
		clientGo: inStep(atOnce, about(9), "does not mind"),
	},
	{
		name: "a watch is silent for two minutes, and goes on", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Stall: 2 * time.Minute}},
		meet:     closeWatches,
		ours:     inStep(after(2*time.Minute), exactly(1), "waits"),
		clientGo: inStep(after(2*time.Minute), exactly(1), "waits"),
	},
	{
		name: "a frame is no JSON", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.ErrGarbled}},
		meet:     closeWatches,
		says:     "can't be decoded",
		ours:     inStep(oneRest, exactly(2), "rests, and lists"),
		clientGo: inStep(oneRest, exactly(2), "the same"),
	},
	{
		name: "a watch ends in good order in the middle of a frame", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.ErrTruncated}},
		meet:     closeWatches,
		says:     "unexpected EOF",
		faceSays: "closed within a second",
		ours:     inStep(oneRest, exactly(2), "rests, and asks for the same watch"),
		face:     &outcome{verdict: recovers, after: oneRest, requests: exactly(2), how: "rests, and lists"},
		clientGo: inStep(oneRest, exactly(2), "rests, and lists"),
	},
	{
		name: "a frame has an object that can't be decoded, once", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: undecodable}},
		meet:     closeWatches,
		says:     `object "ns/a"`,
		faceSays: "can't be decoded",
		ours:     inStep(oneLookup, exactly(2), "leaves it out, and has the rest at once; looks it up by its name"),
		face:     &outcome{verdict: recovers, after: oneRest, requests: exactly(2), how: "rests, and lists"},
		clientGo: inStep(oneRest, exactly(2), "rests, and lists"),
	},
	{
		name: "an object can't be decoded for ten minutes, neither in a watch nor in a list", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, If: byName, Err: undecodable}, {Verb: cachetest.Watch, Times: always, Err: undecodable}, {Verb: cachetest.List, Times: always, After: 2, Err: undecodable}},
		meet:   func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.update("c") }, lasts: 10 * time.Minute, stopAt: 2 * time.Second,
		says:     `object "ns/c"`,
		faceSays: "can't be decoded",
		ours:     inStep(between(0, 10*time.Minute), about(9), "keeps the last state that it could decode, and has the rest; looks it up by its name, more and more rarely"),
		face:     &outcome{verdict: recovers, after: soon, requests: about(20), how: "rests, and hears of no change of any object until then: it is its client that decodes"},
		clientGo: inStep(soon, about(35), "hears of no change of any object until then"),
	},
	{
		name: "a frame has 20 MiB", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Padding: 20 << 20}},
		meet:     func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.update("c") },
		stopAt:   2 * time.Second,
		says:     `object "ns/c": larger than the limit`,
		faceSays: "longer than maximum allowed size",
		ours:     inStep(oneLookup, exactly(2), "reads past it, and has the rest at once; looks it up by its name"),
		face:     &outcome{verdict: recovers, after: oneRest, requests: exactly(2), how: "rests, and lists"},
		clientGo: inStep(oneRest, exactly(2), "rests, and lists"),
	},
	{
		name: "a frame comes twice", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, After: 1, Repeat: 1}},
		meet:     closeWatches,
		ours:     inStep(atOnce, exactly(1), "drops it"),
		face:     &outcome{verdict: recovers, requests: exactly(1), how: "tells handlers of an update without a change"},
		clientGo: inStep(atOnce, exactly(1), "tells handlers of an update without a change"),
	},
	{
		name: "an older frame comes again", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, After: 2, Repeat: 2}},
		meet:     func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.update("c"); w.update("c") },
		ours:     inStep(oneLookup, exactly(2), "takes it, and looks the pod up by its name"),
		face:     &outcome{verdict: wrong, requests: about(8), how: "goes back to the older state, and stays there: versions of a client may have no order"},
		clientGo: never(wrong, about(8), "goes back to the older state, and stays there"),
	},
	{
		name: "the addition of a pod comes again after its deletion", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, After: 2, Repeat: 2}},
		meet:     func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.create("e"); w.delete("e") },
		ours:     inStep(oneLookup, exactly(2), "takes it, and looks the pod up by its name"),
		face:     &outcome{verdict: loses, requests: about(8), how: "has the pod again, and keeps it: versions of a client may have no order"},
		clientGo: never(loses, about(8), "has the pod again, and keeps it"),
	},
}
