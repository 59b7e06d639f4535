package faults_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
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
	undecodable = &cache.ObjectError{Err: errors.New("labels are a string")}
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
		ours:     inStep(soon, about(20), "rests for up to 30–60 s; `WaitForSync` says what RBAC has to grant"),
		clientGo: inStep(soon, about(35), "rests for as long, but begins with short rests anew every two minutes"),
	},
	{
		name: "a list is answered with 410", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: expired}},
		ours:     inStep(atOnce, exactly(3), "lists the latest state"),
		clientGo: inStep(atOnce, exactly(3), "the same"),
	},
	{
		name: "lists are answered with 410 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: expired}}, lasts: 10 * time.Minute,
		says:     "resource expired",
		ours:     inStep(soon, about(20), "lists the latest state at once the first time, and rests then"),
		clientGo: inStep(soon, about(69), "asks twice at a time"),
	},
	{
		name: "lists are answered with 429 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: busy}}, lasts: 10 * time.Minute,
		says:     "too many requests",
		ours:     inStep(soon, about(20), "rests"),
		clientGo: inStep(soon, about(35), "rests"),
	},
	{
		name: "a list is answered with 429 and Retry-After 90", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, 90)}},
		says:     "too many requests",
		faceSays: "listing for",
		ours:     inStep(after(90*time.Second), exactly(2), "waits as long as it is told"),
		face:     &outcome{verdict: recovers, after: after(90 * time.Second), requests: exactly(2), how: "its client waits"},
		clientGo: inStep(after(90*time.Second), exactly(2), "its client waits"),
	},
	{
		name: "lists are answered with 429 and Retry-After 1 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, 1)}}, lasts: 10 * time.Minute,
		says:     "too many requests",
		faceSays: "listing for",
		ours:     inStep(soon, about(20), "takes that for the least, and rests longer each time"),
		face:     &outcome{verdict: recovers, after: soon, requests: about(164), how: "its client asks eleven times in a row"},
		clientGo: inStep(soon, about(301), "its client asks eleven times in a row"),
	},
	{
		name: "a list is answered with 500", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: failed}},
		says:     "an error on the server",
		ours:     inStep(oneRest, exactly(2), "rests"),
		clientGo: inStep(oneRest, exactly(2), "rests"),
	},
	{
		name: "lists are answered with 503 for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Err: unavailable}}, lasts: 10 * time.Minute,
		says:     "unable to handle the request",
		ours:     inStep(soon, about(20), "rests"),
		clientGo: inStep(soon, about(35), "rests"),
	},
	{
		name: "a list is answered in HTML, by a proxy (502)", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: html}},
		says:     "an error on the server",
		ours:     inStep(oneRest, exactly(2), "rests"),
		clientGo: inStep(oneRest, exactly(2), "rests"),
	},
	{
		name: "nobody listens for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{{Times: always, Err: cachetest.ErrConnectionRefused}}, lasts: 10 * time.Minute,
		says:     "connection refused",
		ours:     inStep(soon, about(20), "rests"),
		clientGo: inStep(soon, about(35), "rests"),
	},
	{
		name: "the connection of a list is reset before an answer", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Err: cachetest.ErrConnectionReset}},
		says:     "connection reset by peer",
		faceSays: "listing for",
		ours:     inStep(oneRest, exactly(2), "rests"),
		face:     &outcome{verdict: recovers, after: after(time.Second), requests: exactly(2), how: "its client asks again"},
		clientGo: inStep(after(time.Second), exactly(2), "its client asks again"),
	},
	{
		name: "a list is never answered", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, Hang: true}},
		says:     "listing for",
		ours:     inStep(oneRest.plus(4*time.Minute), exactly(2), "gives the list up after 4 minutes without a byte"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a list is half-open in the middle", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, After: 1, Hang: true}},
		says:     "listing for",
		ours:     inStep(oneRest.plus(4*time.Minute), exactly(2), "gives the list up after 4 minutes without a byte"),
		clientGo: never(hangs, exactly(1), "waits for ever"),
	},
	{
		name: "a list is cut off in the middle", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, After: 1, Err: cachetest.ErrConnectionReset}},
		says:     "connection reset by peer",
		ours:     inStep(oneRest, exactly(2), "drops the part, and rests"),
		clientGo: inStep(oneRest, exactly(2), "the same"),
	},
	{
		name: "a list ends in good order in the middle of an item", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, After: 1, Err: cachetest.ErrTruncated}},
		says:     "unexpected EOF",
		faceSays: "unexpected end of JSON input",
		ours:     inStep(oneRest, exactly(2), "drops the part, and rests"),
		clientGo: inStep(oneRest, exactly(2), "the same"),
	},
	{
		name: "a list has bytes in it that are no JSON", listing: true, early: true,
		faults:   []cachetest.Fault{{Verb: cachetest.List, After: 1, Err: cachetest.ErrGarbled}},
		says:     "can't be decoded",
		faceSays: "invalid character",
		ours:     inStep(oneRest, exactly(2), "drops the part, and rests"),
		clientGo: inStep(oneRest, exactly(2), "the same"),
	},
	{
		name: "a list expires between two pages", listing: true, early: true,
		prepare: manyPods, faults: []cachetest.Fault{{Verb: cachetest.List, Page: 2, Err: expired}},
		ours:     inStep(atOnce, exactly(4), "lists all in one page"),
		clientGo: inStep(atOnce, exactly(4), "the same"),
	},
	{
		name: "each list expires between two pages, for ten minutes", listing: true, early: true,
		prepare: manyPods, faults: []cachetest.Fault{{Verb: cachetest.List, Page: 2, Times: always, Err: expired}}, lasts: 10 * time.Minute,
		ours:     inStep(atOnce, count{5, 6}, "lists all in one page: nothing is lost meanwhile"),
		clientGo: inStep(atOnce, count{5, 6}, "the same"),
	},
	{
		name: "the items of each list come in another order", listing: true, early: true,
		prepare: manyPods, faults: []cachetest.Fault{{Verb: cachetest.List, Times: always, Shuffle: 1}},
		ours:     inStep(atOnce, exactly(4), "does not depend on an order"),
		clientGo: inStep(atOnce, exactly(4), "the same"),
	},
	{
		name: "an item can't be decoded for ten minutes", listing: true, early: true,
		faults: []cachetest.Fault{
			{Verb: cachetest.List, Times: always, If: byName, Err: undecodable},
			{Verb: cachetest.List, Times: always, After: 2, Err: undecodable},
		}, lasts: 10 * time.Minute,
		says:     `object "ns/c"`,
		faceSays: "cannot unmarshal string",
		ours:     inStep(between(0, 10*time.Minute), about(10), "leaves it out, and has the rest; looks it up by its name, more and more rarely"),
		face:     &outcome{verdict: recovers, after: soon, requests: about(20), how: "has nothing of the resource until then: it is its client that decodes"},
		clientGo: inStep(soon, about(35), "has nothing of the resource until then"),
	},
	{
		name: "an item can't be decoded, ever", listing: true, early: true, without: "c",
		faults:   []cachetest.Fault{{Verb: cachetest.List, Times: always, After: 2, Err: undecodable}},
		says:     `object "ns/c"`,
		faceSays: "cannot unmarshal string",
		ours:     inStep(atOnce, exactly(2), "leaves it out, and has the rest"),
		face:     &outcome{verdict: loops, requests: about(85), how: "rests, and never has anything of the resource: it is its client that decodes"},
		clientGo: never(loops, about(192), "never has anything of the resource"),
	},
	{
		name: "a relist asks for a version that the server has yet to see (504)", listing: true,
		faults:   []cachetest.Fault{{Verb: cachetest.Watch, Err: expired}, {Verb: cachetest.List, Err: tooLarge}},
		meet:     closeWatches,
		says:     "resource expired",
		ours:     inStep(oneRest, exactly(3), "lists the latest state"),
		face:     &outcome{verdict: recovers, after: oneRest.plus(time.Second), requests: exactly(3), how: "its client waits for Retry-After first"},
		clientGo: inStep(oneRest.plus(time.Second), exactly(3), "its client waits for Retry-After first"),
	},
}

// manyPods are more than fit on a page, of a server without a watch cache.
func manyPods(w *world) {
	w.api.SetWatchCache(false)
	for i := range 1000 {
		w.create(fmt.Sprintf("p%03d", i))
	}
}

// byName is whether a list is a look-up of one object.
func byName(r cachetest.Request) bool { return r.Options.FieldSelector != "" }
