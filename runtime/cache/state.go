package cache

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// defaultPageSize is client-go's.
const defaultPageSize = 500

// shortWatch is how long a watch without an event lasts at the least, if all is
// well.
const shortWatch = time.Second

// state is where the reflector stands between two requests: what it asks for
// next and what it knows. It is a value. Each transition is a pure function of
// it and of what happened, and returns the next state and when to go on.
//
//	          ┌── fallback ──┐
//	          ▼              │
//	start ─► Listing     Streaming ◄─ start, if watch-lists are enabled
//	          │ last page    │ bookmark
//	          └─► Watching ◄─┘
//	                 │ closed: Watching   expired, failed: start
//
// After a failure the state says as well whether the resource exists at all.
type state struct {
	phase Phase

	// resourceVersion is the latest that was seen, "" before the first.
	resourceVersion string
	// unavailable means that the server has no longer, or not yet, what it was
	// asked for with resourceVersion: the next list is one of the latest state.
	unavailable bool

	// anew means that the server may have begun a new history: an object of the
	// same resourceVersion as one in the store may be another one.
	anew bool

	// token continues the list in progress; "" before its first page.
	token string
	// paged means that the server pages lists even of resourceVersion "0": it
	// has no watch cache, so that there is nothing to gain by one large page.
	paged bool
	// whole asks for the list in progress without pages, since it expired
	// between two of them.
	whole bool

	// notFound counts the answers in a row that there is no such resource.
	notFound int

	// pageSize is what the user asked for, or 0.
	pageSize int64
	// watchList is whether a start is a watch-list.
	watchList bool
}

// pace says when to go on after a transition.
type pace uint8

const (
	// atOnce is for what is expected to succeed.
	atOnce pace = iota
	// later is after a delay that grows from failure to failure.
	later
)

func newState(pageSize int64, watchList bool) state {
	return state{pageSize: pageSize, watchList: watchList}.start()
}

// start begins a new round: everything is fetched again.
func (s state) start() state {
	s.token, s.whole = "", false
	s.phase = Listing
	if s.watchList {
		s.phase = Streaming
	}
	return s
}

// listVersion is the resourceVersion of a list: anything that the server has in
// its cache at first, then nothing older than what was seen.
func (s state) listVersion() string {
	switch {
	case s.unavailable:
		return ""
	case s.resourceVersion == "":
		return "0"
	default:
		return s.resourceVersion
	}
}

// listOptions are those of the next page.
func (s state) listOptions() metav1.ListOptions {
	if s.token != "" {
		return metav1.ListOptions{Continue: s.token, Limit: s.limit()}
	}
	return metav1.ListOptions{ResourceVersion: s.listVersion(), Limit: s.limit()}
}

func (s state) limit() int64 {
	version := s.listVersion()
	switch {
	case s.whole:
		return 0
	case s.pageSize != 0:
		return s.pageSize
	case s.paged || version == "" || version == "0":
		return defaultPageSize
	default:
		// A limit would keep the server from answering from its cache.
		return 0
	}
}

// origin is where an object comes from.
type origin uint8

const (
	// inWatch is a state that the store has not had.
	inWatch origin = iota
	// inList may be the state that the store has.
	inList
	// inNewList is another state than that of the store even if it looks the same.
	inNewList
)

// listing is the origin of what the list in progress holds.
func (s state) listing() origin {
	if s.anew {
		return inNewList
	}
	return inList
}

// listed is the transition for a page. The list is complete if the phase
// becomes Watching.
func (s state) listed(page metav1.ListMeta) state {
	if page.Continue != "" {
		if s.token == "" && s.listVersion() == "0" {
			s.paged = true
		}
		s.token = page.Continue
		return s
	}
	s.token, s.whole, s.unavailable, s.notFound = "", false, false, 0
	s.resourceVersion = page.ResourceVersion
	s.phase = Watching
	return s
}

// listFailed is the transition for a page that failed.
func (s state) listFailed(err error) (state, pace) {
	switch {
	case s.token != "" && isExpired(err):
		s.token, s.whole = "", true
		return s, atOnce
	case (isExpired(err) || isTooLarge(err)) && !s.unavailable:
		s.token, s.whole, s.unavailable = "", false, true
		s.anew = s.anew || isTooLarge(err)
		return s, atOnce
	default:
		return s.noted(err).start(), later
	}
}

// noted counts the answers that there is no such resource.
func (s state) noted(err error) state {
	if ClassOf(err) == ClassNotFound {
		s.notFound++
	} else {
		s.notFound = 0
	}
	return s
}

// absent is whether there is no such resource: one answer may be that of a
// server that is about to start.
func (s state) absent() bool { return s.notFound > 1 }

// watchOptions are those of the next watch or watch-list, which the server is
// asked to end after timeout.
func (s state) watchOptions(timeout time.Duration) metav1.ListOptions {
	seconds := int64(timeout / time.Second)
	options := metav1.ListOptions{
		ResourceVersion:     s.resourceVersion,
		AllowWatchBookmarks: true,
		TimeoutSeconds:      &seconds,
	}
	if s.phase == Streaming {
		initial := true
		options.SendInitialEvents = &initial
		options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
		if s.unavailable {
			options.ResourceVersion = ""
		}
	}
	return options
}

// streamed is the transition for the bookmark that closes the initial events.
func (s state) streamed(resourceVersion string) state {
	s.unavailable, s.anew, s.notFound = false, false, 0
	s.resourceVersion = resourceVersion
	s.phase = Watching
	return s
}

// streamEnded is the transition for a watch-list that ended before that
// bookmark; err is nil if the server closed it.
func (s state) streamEnded(err error) (state, pace) {
	s = s.noted(err)
	switch class := ClassOf(err); class {
	case ClassTooManyRequests, ClassConnection, ClassNotFound:
		return s, later
	case ClassExpired, ClassTooLarge:
		if !s.unavailable {
			s.unavailable, s.anew = true, s.anew || class == ClassTooLarge
			return s, atOnce
		}
	case ClassSilent:
		s.watchList = false
	case ClassOther:
		if err == nil {
			return s, later
		}
	}
	s.phase = Listing
	return s, atOnce
}

// watchEnded is the transition for a watch that ended; err is nil if the server
// closed it. Frames and lasted are what came of it. What is no answer of the
// server is the connection's fault, unless the watch ended as soon as it began:
// then the same one could fail for ever. A connection that held for long is opened
// again at once: such watches keep their distance by themselves.
func (s state) watchEnded(err error, frames int, lasted time.Duration) (state, pace) {
	s = s.noted(err)
	s.anew = errors.Is(err, ErrNewHistory)
	s.unavailable = s.anew
	short := lasted < shortWatch
	stillborn := short && frames == 0
	switch class := ClassOf(err); {
	case err == nil && stillborn:
		return s.start(), later
	case err == nil && short:
		return s, later
	case err == nil, class == ClassSilent, class == ClassConnection && lasted >= backoffReset:
		return s, atOnce
	case class == ClassTooManyRequests, class == ClassConnection, class == ClassOther && !isStatus(err) && !stillborn:
		return s, later
	default:
		return s.start(), later
	}
}
