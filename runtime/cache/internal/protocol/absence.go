package protocol

import "time"

// Absence decides whether a resource was removed, and whether the objects that a doubtful list does not
// have are gone. A 404 proves neither: proxies answer it too, and so do API servers that are starting or
// being upgraded. Objects are deleted only if every response for a while has been without them: discovery
// without the resource, or one doubtful list after another.
type Absence struct {
	// Since is when the first such response came. It is zero if the last response was another one.
	Since time.Time
}

// Proven notes a response, and reports whether the absence is proven.
func (a *Absence) Proven(served bool, err error, now time.Time, grace time.Duration) bool {
	switch {
	case served || err != nil:
		a.Since = time.Time{}
	case a.Since.IsZero():
		a.Since = now
	}
	return !a.Since.IsZero() && now.Sub(a.Since) >= grace
}
