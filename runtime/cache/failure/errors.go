package failure

import (
	"errors"
	"fmt"
)

// Why a list or watch failed or ended, beside what the server and the connection say.
var (
	// ErrBookmarkMissing is why an informer gave up a watch-list: the server
	// sent no bookmark that closes the initial events within cache.ListWatch.BookmarkTimeout.
	ErrBookmarkMissing = errors.New("no bookmark closed the initial events in time")

	// ErrStreamEnded is why an informer asks for a watch-list again: the server
	// closed it before the bookmark that closes the initial events.
	ErrStreamEnded = errors.New("closed before the initial events were complete")

	// ErrListIdle is why an informer gave up a list: nothing of it came within
	// the idle timeout.
	ErrListIdle = errors.New("nothing came in time")

	// ErrWatchIdle is why an informer closed a watch: neither an event nor a
	// bookmark came within the idle timeout.
	ErrWatchIdle = errors.New("no event or bookmark in time")

	// ErrWatchTooShort is why an informer backs off before it watches again: the
	// watch was closed within a second. If it delivered nothing, the informer also
	// lists again; if the connection was cut, only after three of them in a row.
	ErrWatchTooShort = errors.New("closed within a second")

	// ErrUnversioned is why an informer lists again after a watch: the server has sent
	// no resourceVersion to watch from.
	ErrUnversioned = errors.New("no resourceVersion to watch from")

	// ErrHistoryRestarted is why an informer lists again: the server sent a bookmark
	// that is older than what it sent before. It has lost what happened since,
	// as after a restore from a backup.
	ErrHistoryRestarted = errors.New("history of the server has restarted")

	// ErrSelectionChanged is why an informer lists again: its source selects other objects
	// than those that were listed, such as a shard with other ranges. Sources return it from
	// Watch and from Watcher.Next.
	ErrSelectionChanged = errors.New("source selects other objects than before")

	// ErrUndecodable is the error that sources wrap when they can't decode a response as a whole.
	ErrUndecodable = errors.New("can't be decoded")
)

// What an informer or its store refuses, and why an informer is not healthy or has removed a handler.
var (
	// ErrStarted is returned by Informer.Run when the informer runs or has run: an
	// informer runs once.
	ErrStarted = errors.New("already started")

	// ErrStopped is returned for what can't be asked of an informer that has
	// stopped: adding a handler or an index, waiting for its sync.
	ErrStopped = errors.New("already stopped")

	// ErrIndexExists is returned when an index of that name is registered.
	ErrIndexExists = errors.New("already registered")

	// ErrIndexUnknown is returned by a lookup in an index that is not
	// registered.
	ErrIndexUnknown = errors.New("not registered")

	// ErrIndexInvalid is returned for an index without a name or a function.
	ErrIndexInvalid = errors.New("needs a name and one function")

	// ErrStale is why an informer is not healthy: for too long, nothing has shown that
	// its store is up to date with the server.
	ErrStale = errors.New("stale")

	// ErrUnknown is returned for an object of which an informer of names does not know whether
	// it exists: its name is not one of the set, or was not listed yet.
	ErrUnknown = errors.New("unknown")

	// ErrLeftOut is returned for an object that exists but is not in the store: it could not be
	// decoded, was too large, or was refused by a transform.
	ErrLeftOut = errors.New("left out")

	// ErrBacklogFull is why a handler was removed: more events waited for it
	// than cache.HandlerOptions.Limit allows.
	ErrBacklogFull = errors.New("backlog is over its limit")
)

// ObjectError reports one object that could not be used. The others of its
// list or stream are not affected.
type ObjectError struct {
	// Object is the "namespace/name" of the object, or as much of it as is known; it
	// may be empty.
	Object string
	// Err says what is wrong with it.
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
