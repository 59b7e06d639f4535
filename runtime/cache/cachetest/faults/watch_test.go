package faults_test

import (
	"errors"
	"io"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

func closeWatches(w *world) { w.api.CloseWatches() }

// watchRows are about watches of an informer that is up to date.
var watchRows = []row{
	{
		name: "watches are forbidden (403) for ten minutes, lists are not", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Err: forbidden}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "RBAC must grant list and watch",
		ours:     recoversIn(soon, about(36), "backs off, and lists each time"),
		clientGo: recoversIn(soon, about(69), "the same"),
	},
	{
		name: "a watch is answered with 410", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: expired}},
		meet:     closeWatches,
		says:     "resource expired",
		ours:     recoversIn(oneBackoff, exactly(2), "backs off, and lists"),
		clientGo: recoversIn(oneBackoff, exactly(2), "the same"),
	},
	{
		name: "a watch ends with an ERROR event (410)", listing: true,
		meet:     func(w *world) { w.api.BreakWatches(expired) },
		says:     "resource expired",
		ours:     recoversIn(oneBackoff, exactly(1), "backs off, and lists"),
		clientGo: recoversIn(oneBackoff, exactly(1), "the same"),
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
		ours:     recoversIn(between(1600*time.Millisecond, 3200*time.Millisecond), exactly(3), "is refused, backs off, expires, backs off for the shortest time again since the server has answered, and lists"),
		clientGo: recoversIn(between(2400*time.Millisecond, 4800*time.Millisecond), exactly(3), "is refused, backs off, expires, backs off for longer, and lists"),
	},
	{
		name: "watches are answered with 429 for ten minutes", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Err: busy}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "too many requests",
		ours:     recoversIn(soon, about(20), "backs off, and opens the same watch again"),
		clientGo: recoversIn(soon, about(35), "the same"),
	},
	{
		name: "watches are answered with 500 for ten minutes", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Err: failed}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "an error on the server",
		ours:     recoversIn(soon, about(36), "backs off, and lists each time"),
		clientGo: recoversIn(soon, about(68), "the same"),
	},
	{
		name: "each watch ends at once with an ERROR event (500), for ten minutes", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Opened: true, Err: failed}}, lasts: 10 * time.Minute,
		meet:     closeWatches,
		says:     "an error on the server",
		ours:     recoversIn(soon, about(36), "backs off, and lists each time"),
		clientGo: recoversIn(soon, about(68), "the same"),
	},
	{
		name: "the server is down for ten minutes", listing: true,
		faults: []cachetest.Fault{{Times: always, Err: cachetest.ErrConnectionRefused}}, lasts: 10 * time.Minute,
		meet:     func(w *world) { w.api.BreakWatches(cachetest.ErrConnectionReset) },
		says:     "connection refused",
		ours:     recoversIn(soon, about(20), "backs off, and opens the same watch again"),
		clientGo: recoversIn(soon, about(35), "the same"),
	},
	{
		name: "the connection of a watch is cut", listing: true,
		meet:     func(w *world) { w.api.BreakWatches(cachetest.ErrConnectionReset) },
		says:     "watching for",
		ours:     recoversIn(atOnce, exactly(1), "opens another at once"),
		clientGo: recoversIn(atOnce, exactly(1), "takes it for the end of the watch, and opens another at once"),
	},
	{
		name: "HTTP/2 detects that the connection of a watch is lost", listing: true,
		meet:     func(w *world) { w.api.BreakWatches(errors.New("http2: client connection lost")) },
		says:     "watching for",
		ours:     recoversIn(atOnce, exactly(1), "opens another at once"),
		clientGo: recoversIn(oneBackoff, exactly(1), "backs off, and lists"),
	},
	{
		name: "each watch is closed at once, for an hour", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Opened: true, Err: io.EOF}}, lasts: time.Hour,
		meet:     closeWatches,
		says:     "closed within a second",
		ours:     recoversIn(soon, about(169), "backs off, and lists each time"),
		clientGo: recoversIn(soon, about(385), "the same"),
	},
	{
		name: "each watch is closed after one event, while a pod changes 100 times a second for a minute", listing: true,
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
		ours:     recoversIn(between(0, 1500*time.Millisecond), about(60), "opens another after about a second"),
		clientGo: floods(after(10*time.Second), "opens another watch for each event"),
	},
	{
		name: "the connection of each watch is cut at once, for an hour", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, Opened: true, Err: cachetest.ErrConnectionReset}}, lasts: time.Hour,
		meet:      closeWatches,
		says:      "connection reset by peer",
		layerSays: "closed within a second",
		ours:      recoversIn(soon, about(169), "backs off, and from the third time on lists each time"),
		clientGo:  recoversIn(soon, about(385), "backs off, and lists each time"),
	},
	{
		name: "a watch is never answered", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Hang: true}},
		meet:     closeWatches,
		ours:     recoversIn(after(4*time.Minute), exactly(3), "opens another after 4 silent minutes, and a check of the server's version"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch is half-open from the start", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Opened: true, Hang: true}},
		meet:     closeWatches,
		ours:     recoversIn(after(4*time.Minute), exactly(3), "opens another after 4 silent minutes, and a check of the server's version"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "each watch is half-open after one event", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Times: 3, After: 1, Hang: true}},
		meet:     closeWatches,
		ours:     recoversIn(after(10*time.Minute), exactly(3), "opens another after 4 to 5 silent minutes"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch has no bookmarks for an hour", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.Watch, Times: always, LoseBookmarks: true}}, lasts: time.Hour,
		meet:     closeWatches,
		ours:     recoversIn(atOnce, about(58), "checks the server's version and opens another after 4 silent minutes, and after 1 to 3 from then on: events that a proxy buffers arrive when the server ends the watch"),
		clientGo: recoversIn(atOnce, about(9), "is not affected"),
	},
	{
		name: "a watch is silent for two minutes, and goes on", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Stall: 2 * time.Minute}},
		meet:     closeWatches,
		ours:     recoversIn(after(2*time.Minute), exactly(1), "waits"),
		clientGo: recoversIn(after(2*time.Minute), exactly(1), "waits"),
	},
	{
		name: "a watch event is not JSON", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.ErrGarbled}},
		meet:     closeWatches,
		says:     "can't be decoded",
		ours:     recoversIn(oneBackoff, exactly(2), "backs off, and lists"),
		clientGo: recoversIn(oneBackoff, exactly(2), "the same"),
	},
	{
		name: "a watch ends normally in the middle of an event", listing: true,
		faults:    []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.ErrTruncated}},
		meet:      closeWatches,
		says:      "unexpected EOF",
		layerSays: "closed within a second",
		ours:      recoversIn(oneBackoff, exactly(2), "backs off, and opens the same watch again"),
		layer:     &outcome{verdict: recovers, after: oneBackoff, requests: exactly(2), how: "backs off, and lists"},
		clientGo:  recoversIn(oneBackoff, exactly(2), "backs off, and lists"),
	},
	{
		name: "a watch event has an object that can't be decoded, once", listing: true,
		faults:    []cachetest.Fault{{Verb: cachetest.Watch, Err: undecodable}},
		meet:      closeWatches,
		says:      `object "ns/a"`,
		layerSays: "can't be decoded",
		ours:      recoversIn(oneLookup, exactly(2), "leaves it out, and has the others at once; reads it by name"),
		layer:     &outcome{verdict: recovers, after: oneBackoff, requests: exactly(2), how: "backs off, and lists"},
		clientGo:  recoversIn(oneBackoff, exactly(2), "backs off, and lists"),
	},
	{
		name: "an object can't be decoded for ten minutes, neither in a watch nor in a list", listing: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, If: byName, Err: undecodable}, {Verb: cachetest.Watch, Times: always, Err: undecodable}, {Verb: cachetest.List, Times: always, After: 2, Err: undecodable}},
		meet:   func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.update("c") }, lasts: 10 * time.Minute, stopAt: 2 * time.Second,
		says:      `object "ns/c"`,
		layerSays: "can't be decoded",
		ours:      recoversIn(between(0, 10*time.Minute), about(11), "keeps the last state that it could decode, and has the others; reads it by name, at growing intervals"),
		layer:     &outcome{verdict: recovers, after: soon, requests: about(20), how: "backs off, and gets no change of any object until then, since its client decodes the events"},
		clientGo:  recoversIn(soon, about(35), "gets no change of any object until then"),
	},
	{
		name: "a watch event has 20 MiB", listing: true,
		faults:    []cachetest.Fault{{Verb: cachetest.Watch, Padding: 20 << 20}},
		meet:      func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.update("c") },
		stopAt:    2 * time.Second,
		says:      `object "ns/c": larger than the limit`,
		layerSays: "longer than maximum allowed size",
		ours:      recoversIn(oneLookup, exactly(2), "skips it, and has the others at once; reads it by name"),
		layer:     &outcome{verdict: recovers, after: oneBackoff, requests: exactly(2), how: "backs off, and lists"},
		clientGo:  recoversIn(oneBackoff, exactly(2), "backs off, and lists"),
	},
	{
		name: "a watch event is repeated", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, After: 1, Repeat: 1}},
		meet:     closeWatches,
		ours:     recoversIn(atOnce, exactly(1), "drops it"),
		layer:    &outcome{verdict: recovers, requests: exactly(1), how: "delivers an update without a change"},
		clientGo: recoversIn(atOnce, exactly(1), "delivers an update without a change"),
	},
	{
		name: "an older watch event is repeated", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, After: 2, Repeat: 2}},
		meet:     func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.update("c"); w.update("c") },
		ours:     recoversIn(oneLookup, exactly(2), "accepts it, and reads the pod by name"),
		layer:    &outcome{verdict: wrong, requests: about(8), how: "goes back to the older state, and stays there: versions of a client may have no order"},
		clientGo: never(wrong, about(8), "goes back to the older state, and stays there"),
	},
	{
		name: "the ADDED event of a pod is repeated after its deletion", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, After: 2, Repeat: 2}},
		meet:     func(w *world) { w.api.CloseWatches(); w.pass(time.Second); w.create("e"); w.delete("e") },
		ours:     recoversIn(oneLookup, exactly(2), "accepts it, and reads the pod by name"),
		layer:    &outcome{verdict: loses, requests: about(8), how: "has the pod again, and keeps it: versions of a client may have no order"},
		clientGo: never(loses, about(8), "has the pod again, and keeps it"),
	},
}
