package protocol

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// ShortWatch is the shortest time that a watch lasts if all is well. A watch that lasted longer is opened
// again at once, which is one request a second at most.
const ShortWatch = time.Second

// Ending describes the end of a watch or watch-list.
type Ending struct {
	// Err is the error with which it ended. It is nil if the server closed it normally.
	Err error
	// Opened reports whether the server accepted the request. Events counts the watch events that came,
	// bookmarks included. Lasted is the time since the request was sent, and Flowed the time since the
	// first event, or zero if there was none.
	Opened         bool
	Events         int
	Lasted, Flowed time.Duration
}

// cut reports whether the stream ended without a refusal: the server closed it, or the connection was lost.
func (e Ending) cut() bool {
	if !e.Opened {
		return false
	}
	class := failure.ClassOf(e.Err)
	return e.Err == nil || class == failure.ClassConnection || class == failure.ClassOther && !isStatus(e.Err)
}

func (e Ending) short() bool { return e.Lasted < ShortWatch }

// Useless reports whether the request ended soon, without an event.
func (e Ending) Useless() bool { return e.short() && e.Events == 0 }

// Reason returns the error that says why there is no watch.
func (e Ending) Reason() error {
	switch {
	case e.Err == nil:
		return failure.ErrWatchTooShort
	case e.cut() && e.Useless():
		return fmt.Errorf("%w: %w", failure.ErrWatchTooShort, e.Err)
	}
	return e.Err
}

// reopen returns when to open the next watch after a useful one.
func (e Ending) reopen() Pace {
	if e.short() {
		return Soon
	}
	return AtOnce
}

// isStatus reports whether err is a status of the API server.
func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}
