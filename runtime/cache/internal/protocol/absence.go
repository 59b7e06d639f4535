package protocol

import "time"

// Absence decides whether a resource was removed, or the objects that a doubtful list does not have.
// A 404 does not show that: proxies answer it too, and API servers that are starting or being
// upgraded. Objects are deleted only if each response has been without them for a while: the server's
// discovery without the resource, or each list a doubtful one.
type Absence struct {
	// Since is when the first such response came; zero if the last one was another.
	Since time.Time
}

// Proven notes what a response said, and reports whether that is enough.
func (a *Absence) Proven(served bool, err error, now time.Time, grace time.Duration) bool {
	switch {
	case served || err != nil:
		a.Since = time.Time{}
	case a.Since.IsZero():
		a.Since = now
	}
	return !a.Since.IsZero() && now.Sub(a.Since) >= grace
}
