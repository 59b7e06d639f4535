package protocol

import (
	"errors"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// promptness is the time before the end of a watch by which an event has to come. Such an
	// event shows that nothing holds events back until then.
	promptness = 10 * time.Second
	// replayTime limits how long after its opening a watch may repeat the events of an earlier
	// one.
	replayTime = time.Second
)

// Silence says what to make of watches on which nothing happens, from those that have ended. The
// zero value has not seen any.
type Silence struct {
	// BookmarkInterval measures how often the server sends bookmarks.
	BookmarkInterval
	// buffered reports whether the last watches delivered nothing before their end: a proxy may
	// be buffering the stream.
	buffered bool
	// silenced reports whether the last watch was closed from here because it was silent.
	silenced bool
}

// Ended notes the end of a watch, and reports whether the watch may have been one from a future
// version, which is silent too.
func (s *Silence) Ended(e Ending) (future bool) {
	s.silenced = errors.Is(e.Err, failure.ErrWatchIdle)
	empty := e.Events == 0
	future = empty && (s.silenced || e.Err == nil && s.buffered)
	s.buffered = s.silenced && empty || s.buffered && e.Flowed <= promptness
	if s.silenced && empty {
		// Bookmarks that were held back come all at once: their interval was not the
		// server's.
		s.BookmarkInterval = BookmarkInterval{}
	}
	return future
}

// WatchTimeout returns for how long to ask for the next watch, which is least in general. A proxy
// that buffers responses passes them on when the server ends the watch. So if the last watch was
// idle for too long, the next one is to end before it is.
func (s *Silence) WatchTimeout(least, idle time.Duration) time.Duration {
	if s.buffered {
		return min(least, max(idle/3, time.Second))
	}
	return least
}

// Replays reports whether a watch that was opened so long ago may repeat the events of the last one.
func (s *Silence) Replays(opened time.Duration) bool { return s.silenced && opened < replayTime }
