package protocol

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// timePerObject is the time that an initial object adds. Many objects may come slowly, but one new
	// object a second does not keep a watch-list open.
	timePerObject = 100 * time.Millisecond
	// graceAfterBookmark limits the time between another bookmark and the closing one.
	graceAfterBookmark = time.Second
)

var (
	errChangesCame  = fmt.Errorf("%w, after changes", failure.ErrBookmarkMissing)
	errBookmarkCame = fmt.Errorf("%w, after one without the annotation %s", failure.ErrBookmarkMissing, metav1.InitialEventsAnnotationKey)
)

// InitialLimit limits the wait for the bookmark that closes the initial events of a watch-list, by what
// arrives before it. An API server sends each object once, as added. Changes that happen meanwhile follow,
// and the bookmark is due at once. The server sends no other bookmark before.
//
// A change or another bookmark therefore shows that the initial events are over. It does not show
// that they are complete: a server that does not know watch-lists sends only the changes since the
// requested version. Only the closing bookmark makes a list of the events; without it, the
// informer lists.
type InitialLimit struct {
	// Timeout is the time at the start, and the maximum at any time.
	Timeout time.Duration
	// changed reports whether a change has come, and bookmarked whether another bookmark has.
	changed, bookmarked bool
}

// Allowance says how an event changes the time that is left for the closing bookmark.
type Allowance struct {
	// Adds is the time that the event adds, up to InitialLimit.Timeout.
	Adds time.Duration
	// Last, if it is not zero, is the time that is left from now on, whatever else comes. Err is the error
	// of the watch-list when it is over.
	Last time.Duration
	Err  error
}

// Arrived notes an event of the watch-list. first reports whether it is the first event of its object.
func (l *InitialLimit) Arrived(kind watch.EventType, first bool) Allowance {
	switch {
	case l.bookmarked:
		return Allowance{}
	case kind == watch.Bookmark:
		l.bookmarked = true
		return Allowance{Last: min(graceAfterBookmark, l.Timeout), Err: errBookmarkCame}
	case l.changed:
		return Allowance{}
	case kind != watch.Added || !first:
		l.changed = true
		return Allowance{Last: l.Timeout, Err: errChangesCame}
	default:
		return Allowance{Adds: timePerObject}
	}
}
