package protocol

import (
	"errors"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Notice says how to report a request that ended with an error, and is followed by another request without
// a backoff.
type Notice struct {
	// Verbosity and Message are the log line's.
	Verbosity int
	Message   string
	// Failure reports whether it is a failure, after which the user may want a backoff.
	Failure bool
	// Attempt reports whether it counts as a failed attempt, and Fallback whether a list follows because of
	// it.
	Attempt, Fallback bool
}

// NoticeOf returns the notice for a request of one phase that is followed by a request of the next phase. A
// silent watch is no failure, nor is a watch that was closed: there may have been no changes.
func NoticeOf(err error, phase, next Phase) Notice {
	switch {
	case errors.Is(err, failure.ErrWatchIdle):
		return Notice{Verbosity: 4, Message: "Watch is silent, opening it again"}
	case errors.Is(err, failure.ErrWatchTooShort):
		return Notice{Verbosity: 4, Message: "Watch was closed, opening it again"}
	case errors.Is(err, failure.ErrSelectionChanged), errors.Is(err, failure.ErrUndecodable) && phase == Watching:
		return Notice{Verbosity: 2, Message: "Listing again"}
	case phase == Watching:
		return Notice{Verbosity: 2, Message: "Watch was cut, opening it again", Failure: true}
	case errors.Is(err, failure.ErrBookmarkMissing):
		return Notice{Message: "Watch-list given up for good, listing instead", Failure: true, Fallback: true}
	case next == Listing:
		// If the list fails too, that is reported, as by client-go.
		return Notice{Verbosity: 2, Message: "Watch-list failed, listing instead", Fallback: true}
	default:
		return Notice{Verbosity: 2, Message: "Watch-list failed, trying again", Failure: true, Attempt: true}
	}
}
