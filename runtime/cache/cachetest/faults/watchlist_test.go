package faults_test

import (
	"io"
	"net/http"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// watchListRows are about informers that ask for a watch-list.
var watchListRows = []row{
	{
		name: "the server has no watch-lists (422)", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, Err: cachetest.Status(http.StatusUnprocessableEntity)}},
		ours:     recoversIn(atOnce, exactly(3), "lists"),
		clientGo: recoversIn(atOnce, exactly(3), "lists"),
	},
	{
		name: "the closing bookmark never comes", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, LoseBookmarks: true}},
		says:     "waiting for the bookmark",
		ours:     recoversIn(after(20*time.Second), exactly(2), "lists 20 seconds after the first change, and requests no watch-list again"),
		clientGo: never(hangs, about(9), "restarts the watch-list whenever the server closes it"),
	},
	{
		name: "the closing bookmark never comes, and a pod changes each second, for an hour", early: true,
		faults: []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, LoseBookmarks: true}},
		meet: func(w *world) {
			for range 3600 {
				w.update("a")
				w.pass(time.Second)
			}
		},
		says:     "waiting for the bookmark",
		ours:     recoversIn(atOnce, about(10), "lists 20 seconds after the first change, and requests no watch-list again"),
		clientGo: never(hangs, about(17), "restarts the watch-list whenever the server closes it"),
	},
	{
		name: "a watch-list is cut off before the closing bookmark", early: true,
		faults:    []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Err: cachetest.ErrConnectionReset}},
		says:      "connection reset by peer",
		layerSays: "closed before the initial events were complete",
		ours:      recoversIn(aboutASecond, exactly(2), "retries it after about a second"),
		clientGo:  recoversIn(atOnce, exactly(2), "restarts it at once"),
	},
	{
		name: "a watch-list ends normally before the closing bookmark", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Err: io.EOF}},
		says:     "closed before the initial events were complete",
		ours:     recoversIn(aboutASecond, exactly(2), "retries it after about a second"),
		clientGo: recoversIn(atOnce, exactly(2), "restarts it at once"),
	},
	{
		name: "each watch-list ends normally before the closing bookmark, for ten minutes", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, After: 1, Err: io.EOF}},
		lasts:    606 * time.Second, // the first watch, of ten minutes at the most, begins a few seconds late
		says:     "closed before the initial events were complete",
		ours:     recoversIn(atOnce, exactly(6), "lists after the third, and tries one watch-list before each later list"),
		clientGo: floods(after(time.Second), "restarts it without a backoff"),
	},
	{
		name: "a watch-list is opened and silent", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Opened: true, Hang: true}},
		says:     "waiting for the bookmark",
		ours:     recoversIn(after(20*time.Second), exactly(2), "lists after 20 seconds"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch-list is never answered", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, Hang: true}},
		says:     "waiting for the bookmark",
		ours:     recoversIn(after(20*time.Second), exactly(2), "lists after 20 seconds"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a watch-list is half-open in the middle", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Hang: true}},
		says:     "waiting for the bookmark",
		ours:     recoversIn(after(25*time.Second), exactly(2), "lists after 20 silent seconds"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "watch-lists are answered with 429 for ten minutes", early: true,
		faults: []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, Err: busy}}, lasts: 10 * time.Minute,
		stopAt:   6 * time.Minute,
		ours:     recoversIn(atOnce, count{5, 6}, "lists after the third"), // and a watch may end before the stop
		clientGo: recoversIn(soon, about(35), "backs off, and ignores a stop until then").stopsIn(soon),
	},
	{
		name: "a watch-list expires in the middle, with an ERROR event", early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.WatchList, After: 1, Err: expired}},
		ours:     recoversIn(atOnce, exactly(2), "requests the latest state"),
		clientGo: recoversIn(atOnce, exactly(2), "the same"),
	},
	{
		name: "an initial object of a watch-list can't be decoded, ever", early: true, without: "c",
		faults:    []cachetest.Fault{{Verb: cachetest.WatchList, Times: always, After: 2, Err: undecodable}, {Verb: cachetest.List, Times: always, After: 2, Err: undecodable}},
		says:      `object "ns/c"`,
		layerSays: "cannot unmarshal string",
		ours:      recoversIn(atOnce, exactly(1), "leaves it out, and has the others"),
		layer:     &outcome{verdict: loops, requests: about(169), how: "backs off, and never has any objects, since its client decodes the list"},
		clientGo:  never(loops, about(383), "never has any objects"),
	},
}
