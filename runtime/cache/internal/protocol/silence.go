package protocol

import (
	"errors"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// promptness is the minimum time between an event and the end of its watch. Such an event shows that
	// nothing holds events back until the end.
	promptness = 10 * time.Second
	// replayTime limits the time after its opening in which a watch may repeat the events of an earlier
	// one.
	replayTime = time.Second
)

// Silence decides what silent watches mean, judged by earlier watches. The zero value has not seen any.
type Silence struct {
	// BookmarkInterval measures how often the server sends bookmarks.
	BookmarkInterval
	// buffered reports whether the last watches delivered nothing before their end: a proxy may buffer the
	// stream.
	buffered bool
	// silenced reports whether the informer closed the last watch because it was silent.
	silenced bool
}

// Ended notes the end of a watch, and reports whether the watch may have been from a future version. Such a
// watch is silent too.
func (s *Silence) Ended(e Ending) (future bool) {
	s.silenced = errors.Is(e.Err, failure.ErrWatchIdle)
	empty := e.Events == 0
	future = empty && (s.silenced || e.Err == nil && s.buffered)
	s.buffered = s.silenced && empty || s.buffered && e.Flowed <= promptness
	if s.silenced && empty {
		// Bookmarks that were held back come all at once, so their interval was not the server's.
		s.BookmarkInterval = BookmarkInterval{}
	}
	return future
}

// WatchTimeout returns the timeout to request for the next watch, in general least. A proxy that buffers
// responses passes them on when the server ends the watch. So if the last watch was idle for too long, the
// next watch must end before it counts as idle.
func (s *Silence) WatchTimeout(least, idle time.Duration) time.Duration {
	if s.buffered {
		return min(least, max(idle/3, time.Second))
	}
	return least
}

// Replays reports whether a watch that was opened the given time ago may repeat the events of the last one.
func (s *Silence) Replays(opened time.Duration) bool { return s.silenced && opened < replayTime }
