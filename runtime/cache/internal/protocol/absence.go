package protocol

import "time"

// Absence decides whether a resource was removed. A 404 does not show that: proxies
// answer it too, and API servers that are starting or being upgraded. Objects are deleted
// only if the server's discovery has been without the resource for a while, each time
// that it was asked.
type Absence struct {
	// Since is when discovery was first without the resource; zero if it was not, or
	// has had the resource again.
	Since time.Time
}

// Proven notes what discovery said, and reports whether that is enough.
func (a *Absence) Proven(served bool, err error, now time.Time, grace time.Duration) bool {
	switch {
	case served || err != nil:
		a.Since = time.Time{}
	case a.Since.IsZero():
		a.Since = now
	}
	return !a.Since.IsZero() && now.Sub(a.Since) >= grace
}
