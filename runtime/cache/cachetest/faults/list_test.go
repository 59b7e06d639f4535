package faults_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// always is for faults that every request meets.
const always = -1

// Answers of a server that fails.
var (
	forbidden   = cachetest.Status(http.StatusForbidden)
	expired     = cachetest.Status(http.StatusGone)
	busy        = cachetest.Status(http.StatusTooManyRequests)
	failed      = cachetest.Status(http.StatusInternalServerError)
	unavailable = cachetest.Status(http.StatusServiceUnavailable)
	tooLarge    = withCause(apierrors.NewTimeoutError("Too large resource version: 9, current: 5", 1), metav1.CauseTypeResourceVersionTooLarge, "")
	html        = withCause(cachetest.Status(http.StatusBadGateway), metav1.CauseTypeUnexpectedServerResponse, "<html>")
	// undecodable is an object that the Go type can't hold.
	undecodable = &failure.ObjectError{Err: errors.New("labels are a string")}
)

func withCause(err *apierrors.StatusError, cause metav1.CauseType, message string) error {
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: cause, Message: message}}
	return err
}

// listRows are about informers that list, and then watch.
var listRows = []row{
	{
		name: "lists are forbidden (403) for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: forbidden}}, lasts: 10 * time.Minute,
		says:     "RBAC must grant list and watch",
		ours:     recoversIn(soon, about(20), "backs off up to 30–60 s; `WaitForSync` reports what RBAC must grant"),
		clientGo: recoversIn(soon, about(35), "backs off as long, but resets the backoff every two minutes"),
	},
	{
		name: "a list is answered with 410", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: expired}},
		ours:     recoversIn(atOnce, exactly(3), "lists the latest state"),
		clientGo: recoversIn(atOnce, exactly(3), "the same"),
	},
	{
		name: "lists are answered with 410 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: expired}}, lasts: 10 * time.Minute,
		says:     "resource expired",
		ours:     recoversIn(soon, about(20), "lists the latest state at once the first time, then backs off"),
		clientGo: recoversIn(soon, about(69), "sends two requests each time"),
	},
	{
		name: "lists are answered with 429 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: busy}}, lasts: 10 * time.Minute,
		says:     "too many requests",
		ours:     recoversIn(soon, about(20), "backs off"),
		clientGo: recoversIn(soon, about(35), "backs off"),
	},
	{
		name: "a list is answered with 429 and Retry-After 90", listing: true, early: true,
		faults:    []cachetest.Fault{{Verb: cachetest.List, Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, 90)}},
		says:      "too many requests",
		layerSays: "listing for",
		ours:      recoversIn(after(90*time.Second), exactly(2), "respects Retry-After"),
		layer:     &outcome{verdict: recovers, after: after(90 * time.Second), requests: exactly(2), how: "its client waits"},
		clientGo:  recoversIn(after(90*time.Second), exactly(2), "its client waits"),
	},
	{
		name: "lists are answered with 429 and Retry-After 1 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, 1)}}, lasts: 10 * time.Minute,
		says:      "too many requests",
		layerSays: "listing for",
		ours:      recoversIn(soon, about(20), "respects Retry-After as a minimum, with a growing backoff"),
		layer:     &outcome{verdict: recovers, after: soon, requests: about(164), how: "its client sends eleven requests in a row"},
		clientGo:  recoversIn(soon, about(301), "its client sends eleven requests in a row"),
	},
	{
		name: "a list is answered with 500", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: failed}},
		says:     "an error on the server",
		ours:     recoversIn(oneBackoff, exactly(2), "backs off"),
		clientGo: recoversIn(oneBackoff, exactly(2), "backs off"),
	},
	{
		name: "lists are answered with 503 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: unavailable}}, lasts: 10 * time.Minute,
		says:     "unable to handle the request",
		ours:     recoversIn(soon, about(20), "backs off"),
		clientGo: recoversIn(soon, about(35), "backs off"),
	},
	{
		name: "a list is answered in HTML, by a proxy (502)", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: html}},
		says:     "an error on the server",
		ours:     recoversIn(oneBackoff, exactly(2), "backs off"),
		clientGo: recoversIn(oneBackoff, exactly(2), "backs off"),
	},
	{
		name: "connections are refused for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Times: always, Err: cachetest.ErrConnectionRefused}}, lasts: 10 * time.Minute,
		says:     "connection refused",
		ours:     recoversIn(soon, about(20), "backs off"),
		clientGo: recoversIn(soon, about(35), "backs off"),
	},
	{
		name: "the connection of a list is reset before an answer", listing: true, early: true,
		faults:    []cachetest.Fault{{Verb: cachetest.List, Err: cachetest.ErrConnectionReset}},
		says:      "connection reset by peer",
		layerSays: "listing for",
		ours:      recoversIn(oneBackoff, exactly(2), "backs off"),
		layer:     &outcome{verdict: recovers, after: after(time.Second), requests: exactly(2), how: "its client retries"},
		clientGo:  recoversIn(after(time.Second), exactly(2), "its client retries"),
	},
	{
		name: "a list is never answered", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Hang: true}},
		says:     "listing for",
		ours:     recoversIn(oneBackoff.plus(4*time.Minute), exactly(2), "abandons the list after 4 minutes without a byte"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a list is half-open in the middle", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, After: 1, Hang: true}},
		says:     "listing for",
		ours:     recoversIn(oneBackoff.plus(4*time.Minute), exactly(2), "abandons the list after 4 minutes without a byte"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a list is cut off in the middle", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, After: 1, Err: cachetest.ErrConnectionReset}},
		says:     "connection reset by peer",
		ours:     recoversIn(oneBackoff, exactly(2), "drops the part, and backs off"),
		clientGo: recoversIn(oneBackoff, exactly(2), "the same"),
	},
	{
		name: "a list ends normally in the middle of an item", listing: true, early: true,
		faults:    []cachetest.Fault{{Verb: cachetest.List, After: 1, Err: cachetest.ErrTruncated}},
		says:      "unexpected EOF",
		layerSays: "unexpected end of JSON input",
		ours:      recoversIn(oneBackoff, exactly(2), "drops the part, and backs off"),
		clientGo:  recoversIn(oneBackoff, exactly(2), "the same"),
	},
	{
		name: "a list has bytes that are not JSON", listing: true, early: true,
		faults:    []cachetest.Fault{{Verb: cachetest.List, After: 1, Err: cachetest.ErrGarbled}},
		says:      "can't be decoded",
		layerSays: "invalid character",
		ours:      recoversIn(oneBackoff, exactly(2), "drops the part, and backs off"),
		clientGo:  recoversIn(oneBackoff, exactly(2), "the same"),
	},
	{
		name: "a list expires between two pages", listing: true, early: true,
		prepare: manyPods, faults: []cachetest.Fault{{Verb: cachetest.List, Page: 2, Err: expired}},
		ours:     recoversIn(atOnce, exactly(4), "lists all in one page"),
		clientGo: recoversIn(atOnce, exactly(4), "the same"),
	},
	{
		name: "each list expires between two pages, for ten minutes", listing: true, early: true,
		prepare: manyPods, faults: []cachetest.Fault{{Verb: cachetest.List, Page: 2, Times: always, Err: expired}}, lasts: 10 * time.Minute,
		ours:     recoversIn(atOnce, count{5, 6}, "lists all in one page: nothing is lost meanwhile"),
		clientGo: recoversIn(atOnce, count{5, 6}, "the same"),
	},
	{
		name: "each list has its items in another order", listing: true, early: true,
		prepare: manyPods, faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Shuffle: 1}},
		ours:     recoversIn(atOnce, exactly(4), "does not depend on an order"),
		clientGo: recoversIn(atOnce, exactly(4), "the same"),
	},
	{
		name: "an item can't be decoded for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{
			{Verb: cachetest.List, Times: always, If: byName, Err: undecodable},
			{Verb: cachetest.List, Times: always, After: 2, Err: undecodable},
		}, lasts: 10 * time.Minute,
		says:      `object "ns/c"`,
		layerSays: "cannot unmarshal string",
		ours:      recoversIn(between(0, 10*time.Minute), about(11), "leaves it out, and has the others; reads it by name, at growing intervals"),
		layer:     &outcome{verdict: recovers, after: soon, requests: about(20), how: "has no objects until then, since its client decodes the list"},
		clientGo:  recoversIn(soon, about(35), "has no objects until then"),
	},
	{
		name: "an item can't be decoded, ever", listing: true, early: true, without: "c",
		faults:    []cachetest.Fault{{Verb: cachetest.List, Times: always, After: 2, Err: undecodable}},
		says:      `object "ns/c"`,
		layerSays: "cannot unmarshal string",
		ours:      recoversIn(atOnce, exactly(2), "leaves it out, and has the others"),
		layer:     &outcome{verdict: loops, requests: about(85), how: "backs off, and never has any objects, since its client decodes the list"},
		clientGo:  never(loops, about(192), "never has any objects"),
	},
	{
		name: "a relist requests a version that the server does not have yet (504)", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: expired}, {Verb: cachetest.List, Err: tooLarge}},
		meet:     closeWatches,
		says:     "resource expired",
		ours:     recoversIn(oneBackoff, exactly(3), "lists the latest state"),
		layer:    &outcome{verdict: recovers, after: oneBackoff.plus(time.Second), requests: exactly(3), how: "its client waits for Retry-After first"},
		clientGo: recoversIn(oneBackoff.plus(time.Second), exactly(3), "its client waits for Retry-After first"),
	},
}

// manyPods are more than fit on a page, of a server without a watch cache.
func manyPods(w *world) {
	w.api.SetWatchCache(false)
	for i := range 1000 {
		w.create(fmt.Sprintf("p%03d", i))
	}
}

// byName reports whether a list is a look-up of one object.
func byName(r cachetest.Request) bool { return r.Options.FieldSelector != "" }
