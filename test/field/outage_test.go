package field_test

import (
	"io"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// outageRows are about servers that are not there for a while.
var outageRows = []row{
	{
		name: "the server is killed, back after 10 s, and answers 503, 429 and 403 for 5 s each",
		during: func(w *world) {
			w.front.kill()
			w.pass(10 * time.Second)
			w.comesBack()
		},
		core:     bounds{requests: 60, right: 8 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "the server is killed, back after ten minutes, and answers 503, 429 and 403 for 5 s each",
		during: func(w *world) {
			w.front.kill()
			w.pass(10 * time.Minute)
			w.comesBack()
		},
		core:     bounds{requests: 60, right: 65 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "the server is killed, back after 20 s with its history compacted: watches are answered with 410",
		during: func(w *world) {
			w.front.kill()
			w.pass(20 * time.Second)
			w.api.Compact()
			w.front.start()
		},
		core:     bounds{right: 45 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "the server is back after ten minutes, its history is compacted, and watch-lists are ended twice before their bookmark",
		during: func(w *world) {
			w.front.kill()
			w.pass(10 * time.Minute)
			w.api.Compact()
			w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: 2, Opened: true, After: 1, Err: io.EOF})
			w.front.start()
		},
		core:     bounds{right: 70 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "the server's network drops everything for 5 minutes",
		during: func(w *world) {
			w.network.dropping.Store(true)
			w.pass(5 * time.Minute)
			w.network.drop()
			w.network.dropping.Store(false)
		},
		core:     bounds{right: 2 * time.Minute},
		clientGo: bounds{never: true},
	},
	{
		name: "the server's network drops everything for 5 minutes, in HTTP/2", http2: true,
		during: func(w *world) {
			w.network.dropping.Store(true)
			w.pass(5 * time.Minute)
			w.network.drop()
			w.network.dropping.Store(false)
		},
		core:     bounds{right: 2 * time.Minute},
		clientGo: bounds{},
	},
	{
		name: "the server is restarted every minute, and away for 3 s each time",
		during: func(w *world) {
			w.every(time.Minute, time.Hour, func() {
				w.front.kill()
				w.pass(3 * time.Second)
				w.front.start()
			})
		},
		core:     bounds{blind: 12, late: 10 * time.Second, right: 6 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "the server is killed, and answers 410 to all for a minute when it is back",
		during: func(w *world) {
			w.front.kill()
			w.pass(10 * time.Second)
			w.on.Store(true)
			w.front.start()
			w.pass(time.Minute)
		},
		proxy: func(w *world) http.Handler {
			return status(http.StatusGone, "")(w)
		},
		core:     bounds{requests: 60, right: 60 * time.Second},
		clientGo: bounds{},
	},
}

// comesBack lets an API server start, with the responses that it gives meanwhile.
func (w *world) comesBack() {
	w.front.start()
	for _, code := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusForbidden} {
		w.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(code)})
		w.pass(5 * time.Second)
		w.api.ClearFaults()
	}
	w.api.Compact()
}

// status answers with a status, and with Retry-After unless that is empty.
func status(code int, retryAfter string) func(*world) http.Handler {
	return func(*world) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			answer := cachetest.Status(code).Status()
			if retryAfter != "" {
				rw.Header().Set("Retry-After", retryAfter)
				// An API server says it in both places.
				seconds, _ := strconv.ParseInt(retryAfter, 10, 32)
				answer.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(seconds)}
			}
			answer.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(code)
			writeBody(rw, answer)
		})
	}
}
