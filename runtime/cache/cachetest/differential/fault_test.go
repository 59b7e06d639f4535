package differential_test

import (
	"io"
	"net/http"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// fault is a response to a request, or an end of a watch, that a healthy server does not give.
type fault struct {
	name string
	// err is io.EOF for the normal end of a watch. A request that meets it
	// is answered with nothing.
	err error
	// relists reports whether every informer lists again when a watch meets it.
	relists bool
	// lost reports whether it is a lost connection, other than one that is refused.
	lost bool
}

var (
	closed  = fault{name: "end", err: io.EOF}
	refused = fault{name: "connection refused", err: cachetest.ErrConnectionRefused}
	expired = fault{name: "410", err: cachetest.Status(http.StatusGone), relists: true}

	statuses = []fault{
		expired,
		{name: "404", err: cachetest.Status(http.StatusNotFound), relists: true},
		{name: "403", err: cachetest.Status(http.StatusForbidden), relists: true},
		{name: "500", err: cachetest.Status(http.StatusInternalServerError), relists: true},
		{name: "503", err: cachetest.Status(http.StatusServiceUnavailable), relists: true},
		{name: "429", err: cachetest.Status(http.StatusTooManyRequests)},
	}

	// faults are the faults of requests.
	faults = append([]fault{
		refused,
		{name: "connection reset", err: cachetest.ErrConnectionReset, lost: true},
		{name: "timeout", err: os.ErrDeadlineExceeded, lost: true},
	}, statuses...)

	// cuts are the ends of watches.
	cuts = append([]fault{
		closed, closed, closed,
		expired, expired,
		{name: undecodableCut, err: undecodable, relists: true},
	}, statuses...)

	// undecodable is the error with which a watch of client-go ends if it can't read on.
	undecodable = apierrors.FromObject(apierrors.NewClientErrorReporter(
		http.StatusInternalServerError, http.MethodGet, "ClientWatchDecoding").AsObject(io.ErrNoProgress))
)

const undecodableCut = "what can't be decoded"

// status is the object of an event of type ERROR.
func (f fault) status() *metav1.Status {
	s, ok := f.err.(apierrors.APIStatus)
	if !ok {
		return nil
	}
	status := s.Status()
	return &status
}
