package failure

import (
	"errors"
	"fmt"
)

// Errors of a list or watch, besides the errors of the server and the connection.
var (
	// ErrBookmarkMissing is the error of a watch-list that the informer gave up: the server sent no
	// bookmark that closes the initial events within cache.ListWatch.BookmarkTimeout.
	ErrBookmarkMissing = errors.New("no bookmark closed the initial events in time")

	// ErrStreamEnded is the error of a watch-list that the server closed before the bookmark that closes
	// the initial events. The informer requests it again.
	ErrStreamEnded = errors.New("closed before the initial events were complete")

	// ErrListIdle is the error of a list that the informer gave up: no part of it came within the idle
	// timeout.
	ErrListIdle = errors.New("nothing came in time")

	// ErrWatchIdle is the error of a watch that the informer closed: neither an event nor a bookmark came
	// within the idle timeout.
	ErrWatchIdle = errors.New("no event or bookmark in time")

	// ErrWatchTooShort is the error of a watch that was closed within a second. The informer backs off
	// before it watches again. If the watch delivered nothing, the informer also lists again. If the
	// connection was cut, it does so only after three such watches in a row.
	ErrWatchTooShort = errors.New("closed within a second")

	// ErrUnversioned is the error of a watch after which the informer lists again: the server has sent no
	// resourceVersion to watch from.
	ErrUnversioned = errors.New("no resourceVersion to watch from")

	// ErrHistoryRestarted means that the server's history has restarted, as after a restore from a backup:
	// the server sent a bookmark that is older than what it sent before. The informer lists again.
	ErrHistoryRestarted = errors.New("history of the server has restarted")

	// ErrSelectionChanged means that a source selects other objects than were listed, such as a shard with
	// other ranges. The informer lists again. Sources return it from Watch and from Watcher.Next.
	ErrSelectionChanged = errors.New("source selects other objects than before")

	// ErrUndecodable is wrapped by the errors of sources that can't decode a response as a whole.
	ErrUndecodable = errors.New("can't be decoded")
)

// Errors of informers, stores and handlers.
var (
	// ErrStarted is returned by Informer.Run if the informer runs or has run: an informer runs once.
	ErrStarted = errors.New("already started")

	// ErrStopped is returned by an informer that has stopped, for example when a handler or an index is
	// added, or a caller waits for its sync.
	ErrStopped = errors.New("already stopped")

	// ErrIndexExists is returned if an index of the same name is registered.
	ErrIndexExists = errors.New("already registered")

	// ErrIndexUnknown is returned for an index that is not registered.
	ErrIndexUnknown = errors.New("not registered")

	// ErrIndexInvalid is returned for an index without a name or a function.
	ErrIndexInvalid = errors.New("needs a name and one function")

	// ErrStale is the error of a health check: for too long, nothing has shown that the store is up to date
	// with the server.
	ErrStale = errors.New("stale")

	// ErrUnknown is returned by an informer of a set of names if it does not know whether an object exists.
	// The set does not have the name, or the name was not listed yet.
	ErrUnknown = errors.New("unknown")

	// ErrLeftOut is returned for an object that exists but is not in the store: it could not be decoded,
	// was too large, or a transform refused it.
	ErrLeftOut = errors.New("left out")

	// ErrBacklogFull is the reason for the removal of a handler: more events waited for it than
	// cache.HandlerOptions.Limit allows.
	ErrBacklogFull = errors.New("backlog is over its limit")
)

// ObjectError reports one object that could not be used. The other objects of its list or stream are not
// affected.
type ObjectError struct {
	// Object is the "namespace/name" of the object, or the part of it that is known. It may be empty.
	Object string
	// Err says what is wrong with the object.
	Err error
}

// Error returns the object and the cause: object "ns/name": cause.
func (e *ObjectError) Error() string {
	if e.Object == "" {
		return fmt.Sprintf("object: %v", e.Err)
	}
	return fmt.Sprintf("object %q: %v", e.Object, e.Err)
}

// Unwrap returns the cause.
func (e *ObjectError) Unwrap() error { return e.Err }
