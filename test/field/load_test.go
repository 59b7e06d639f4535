package field_test

import (
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// later is a condition of a server that asks clients to retry later, for a minute.
func later(name string, code int, retryAfter string, right time.Duration) row {
	return row{
		name:  name,
		proxy: status(code, retryAfter), severs: true,
		lasts:    time.Minute,
		core:     bounds{requests: 60, right: right},
		layer:    &bounds{requests: 120, right: right}, // its client repeats requests by itself
		clientGo: bounds{},
	}
}

// loadRows are about servers that ask clients to retry later, and informers without a backoff.
var loadRows = []row{
	neverOfClientGo(later("for a minute, all is answered with 429 and Retry-After 2147483647", 429, "2147483647", 11*time.Minute)),
	neverOfClientGo(later("for a minute, all is answered with 503 and Retry-After 2147483647", 503, "2147483647", 11*time.Minute)),
	later("for a minute, all is answered with 429 and Retry-After 99999999999999999999", 429, "99999999999999999999", 11*time.Minute),
	later("for a minute, all is answered with 429 and Retry-After -1", 429, "-1", 62*time.Second),
	later("for a minute, all is answered with 429 and Retry-After 0", 429, "0", 62*time.Second),
	later("for a minute, all is answered with 503 and Retry-After as a date", 503, "Wed, 21 Oct 2099 07:28:00 GMT", 62*time.Second),
	{
		name: "the informer has Backoff: &wait.Backoff{}, and connections are refused for a minute", backoff: &wait.Backoff{},
		during: func(w *world) {
			w.front.kill()
			w.pass(time.Minute)
			w.front.start()
		},
		core:     bounds{right: 2 * time.Second},
		layer:    &bounds{right: 62 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "the informer has Backoff: &wait.Backoff{}, and every request is answered with 500 for a minute", backoff: &wait.Backoff{},
		proxy: status(http.StatusInternalServerError, ""), severs: true,
		lasts:    time.Minute,
		core:     bounds{requests: 700, right: 2 * time.Second},
		layer:    &bounds{requests: 60, right: 62 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "an object can't be decoded when it changes, and can three seconds later", quiet: true, still: true,
		during: func(w *world) {
			var mended atomic.Bool
			bad := cachetest.Fault{Times: -1, Err: &failure.ObjectError{}, Opened: true}
			bad.If = func(cachetest.Request) bool { return !mended.Load() }
			w.api.Fail(bad)
			w.api.CloseWatches()
			w.pass(3 * time.Second)
			w.update("a") // the first of all
			w.pass(3 * time.Second)
			mended.Store(true)
		},
		core:     bounds{right: 10 * time.Second},
		layer:    &bounds{right: 60 * time.Second},
		clientGo: bounds{},
	},
	{
		name:  "the server says that the resourceVersion is too large for a minute: a replica that is behind",
		proxy: tooLarge, severs: true,
		lasts:    time.Minute,
		core:     bounds{requests: 60, right: 62 * time.Second},
		clientGo: bounds{},
	},
}

// tooLarge answers as a replica that has not seen a resourceVersion yet.
func tooLarge(*world) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusGatewayTimeout)
		writeBody(rw, metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status:   metav1.StatusFailure, Code: http.StatusGatewayTimeout, Reason: metav1.StatusReasonTimeout,
			Message: "Timeout: Too large resource version: 100, current: 50",
			Details: &metav1.StatusDetails{RetryAfterSeconds: 1, Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}},
		})
	})
}
