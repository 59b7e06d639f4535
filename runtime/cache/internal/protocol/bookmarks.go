package protocol

import "time"

// BookmarkInterval measures how often a server sends bookmarks. The zero value has not
// seen any.
type BookmarkInterval struct {
	longest time.Duration
	seen    int
}

const (
	// knownBookmarks is the number of intervals that must be seen before they count.
	knownBookmarks = 3
	// missingBookmarks is the number of bookmarks in a row that a watch must miss to be idle.
	missingBookmarks = 3
	// minimumIdleTimeout is the shortest timeout that the interval leads to, since bookmarks may be late.
	minimumIdleTimeout = 10 * time.Second
)

// Observe notes the time between two bookmarks of one watch.
func (b *BookmarkInterval) Observe(interval time.Duration) {
	b.seen++
	b.longest = max(b.longest, interval)
}

// IdleTimeout returns how long a watch may be silent. It is atMost as long as the interval of bookmarks is
// not known.
func (b *BookmarkInterval) IdleTimeout(atMost time.Duration) time.Duration {
	if b.seen < knownBookmarks {
		return atMost
	}
	return min(max(missingBookmarks*b.longest, minimumIdleTimeout), atMost)
}
