package faults_test

import (
	"io"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// watchListRows are about informers that ask for a watch-list.
var watchListRows = []row{
	{
		name: "the server has no watch-lists (422)", early: true,
		prepare:  func(w *world) { w.api.SetWatchList(cachetest.WatchListRejected) },
		ours:     inStep(atOnce, exactly(3), "lists"),
		clientGo: inStep(atOnce, exactly(3), "lists"),
	},
	{
		name: "the closing bookmark never comes", early: true,
		prepare:  func(w *world) { w.api.SetWatchList(cachetest.WatchListEndless) },
		says:     "waiting for the bookmark",
		ours:     inStep(after(25*time.Second), exactly(2), "lists after 20 silent seconds, and does not ask for a watch-list again"),
		clientGo: never(hangs, about(9), "begins the watch-list anew whenever the server closes it"),
	},
	{
		name: "a watch-list is cut off before the closing bookmark", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Err: cachetest.ErrConnectionReset}},
		says:     "connection reset by peer",
		faceSays: "closed before the initial events were complete",
		ours:     inStep(aboutASecond, exactly(2), "asks for it again after about a second"),
		clientGo: inStep(atOnce, exactly(2), "begins it anew at once"),
	},
	{
		name: "a watch-list ends in good order before the closing bookmark", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Err: io.EOF}},
		says:     "closed before the initial events were complete",
		ours:     inStep(aboutASecond, exactly(2), "asks for it again after about a second"),
		clientGo: inStep(atOnce, exactly(2), "begins it anew at once"),
	},
	{
		name: "each watch-list ends in good order before the closing bookmark, for ten minutes", early: true,
		faults: []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, After: 1, Err: io.EOF}}, lasts: 10 * time.Minute,
		says:     "closed before the initial events were complete",
		ours:     inStep(atOnce, exactly(6), "lists after the third, and asks once for one before each later list"),
		clientGo: floods(after(time.Second), "begins it anew without a pause"),
	},
	{
		name: "a watch-list is opened and silent", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Opened: true, Hang: true}},
		says:     "waiting for the bookmark",
		ours:     inStep(after(20*time.Second), exactly(2), "lists after 20 seconds"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch-list is never answered", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Hang: true}},
		says:     "waiting for the bookmark",
		ours:     inStep(after(20*time.Second), exactly(2), "lists after 20 seconds"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch-list is half-open in the middle", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Hang: true}},
		says:     "waiting for the bookmark",
		ours:     inStep(after(25*time.Second), exactly(2), "lists after 20 silent seconds"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "watch-lists are answered with 429 for ten minutes", early: true,
		faults: []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, Err: busy}}, lasts: 10 * time.Minute,
		stopAt:   6 * time.Minute,
		says:     "too many requests",
		ours:     inStep(soon, about(20), "rests"),
		clientGo: inStep(soon, about(35), "rests, deaf to a stop").stopsIn(soon),
	},
	{
		name: "a watch-list expires in the middle, as a frame", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Err: expired}},
		ours:     inStep(atOnce, exactly(2), "asks for the latest state"),
		clientGo: inStep(atOnce, exactly(2), "the same"),
	},
	{
		name: "an initial object of a watch-list can't be decoded, ever", early: true, without: "c",
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, After: 2, Err: undecodable}, {Verb: cachetest.List, Times: always, After: 2, Err: undecodable}},
		says:     `object "ns/c"`,
		faceSays: "cannot unmarshal string",
		ours:     inStep(atOnce, exactly(1), "leaves it out, and has the rest"),
		face:     &outcome{verdict: loops, requests: about(169), how: "rests, and never has anything of the resource: it is its client that decodes"},
		clientGo: never(loops, about(383), "never has anything of the resource"),
	},
}
