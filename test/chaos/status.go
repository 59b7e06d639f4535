package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// statuses are the failures of an API server. The first four do not come in a watch that was opened.
var statuses = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusServiceUnavailable,
	http.StatusGone, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusGatewayTimeout,
}

// retryAfter is for how many seconds clients are sent away.
const retryAfter = 1

// status answers with one of the statuses, or sends it as a watch event.
func (x *exchange) status(at point) {
	codes := statuses
	if at != atRequest {
		codes = statuses[4:]
	}
	status := statusOf(codes[x.random.IntN(len(codes))])
	if at != atRequest {
		object, _ := json.Marshal(status)
		_ = x.write(fmt.Appendf(nil, `{"type":"ERROR","object":%s}`+"\n", object))
		return
	}
	x.w.Header().Set("Content-Type", "application/json")
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	x.w.WriteHeader(int(status.Code))
	_ = json.NewEncoder(x.w).Encode(status)
}

func statusOf(code int) metav1.Status {
	seconds := 0
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		seconds = retryAfter
	}
	err := apierrors.NewGenericServerResponse(code, "get", schema.GroupResource{}, "", "made by the proxy", seconds, false)
	if code == http.StatusGone {
		err = apierrors.NewResourceExpired("made by the proxy")
	}
	status := err.Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return status
}

// page answers with a page of HTML, as a success or as a failure.
func (x *exchange) page() {
	x.w.Header().Set("Content-Type", "text/html")
	x.w.WriteHeader([]int{http.StatusOK, http.StatusBadGateway}[x.random.IntN(2)])
	_, _ = x.w.Write([]byte("<html><body><h1>Please log in</h1></body></html>\n"))
}
