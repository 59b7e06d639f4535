package cache

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// defaultPageSize is client-go's.
const defaultPageSize = 500

// shortWatch is how long a watch lasts at the least, if all is well. One that
// lasted so long is opened again at once, since that is one request a second at
// the most.
const shortWatch = time.Second

// maxCutWatchLists is how many watch-lists in a row may be cut before the bookmark
// that closes their initial events: then the informer falls back to a list.
const maxCutWatchLists = 3

// maxUselessWatches is how many watches in a row may be cut at once, with nothing
// delivered: after that the informer lists each time, since watches deliver nothing.
const maxUselessWatches = 3

// state is the state of the reflector between two requests: the next request, and what
// earlier ones have shown of the server. It is a value. Each transition is a pure function
// of it and of what happened, and returns the next state and when to go on.
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
	// unavailable means that the server no longer has resourceVersion, or does not have
	// it yet: the next list is one of the latest state.
	unavailable bool

	// restarted means that the server's history may have restarted: an object of the
	// same resourceVersion as one in the store may be another one.
	restarted bool

	// cut counts the watch-lists in a row that were cut before their bookmark.
	cut int

	// useless counts the watches in a row that were cut at once.
	useless int

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
	// soon is after about a second: the last request succeeded, but nearly
	// nothing came of it.
	soon
	// later is after a failure, with a backoff.
	later
)

func newState(pageSize int64, watchList bool) state {
	return state{pageSize: pageSize, watchList: watchList}.start()
}

// start begins a new round: everything is fetched again.
func (s state) start() state {
	s.token, s.whole = "", false
	s.phase = PhaseListing
	if s.watchList {
		s.phase = PhaseStreaming
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

// resumable is whether a watch can go on where another one ended. From no particular
// version, it would begin with what there is then.
func (s state) resumable() bool { return isVersion(s.resourceVersion) }

func isVersion(resourceVersion string) bool { return resourceVersion != "" && resourceVersion != "0" }

// listOptions are those of the next page.
func (s state) listOptions() metav1.ListOptions {
	if s.token != "" {
		return metav1.ListOptions{Continue: s.token, Limit: s.limit()}
	}
	options := metav1.ListOptions{ResourceVersion: s.listVersion(), Limit: s.limit()}
	if options.Limit != 0 && isVersion(options.ResourceVersion) {
		// With a limit alone the list would be that of exactly this version, which may
		// be older than what the server can still watch from.
		options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	return options
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
	s.phase = PhaseWatching
	return s
}

// listFailed is the transition for a page that failed.
func (s state) listFailed(err error) (state, pace) {
	switch {
	case s.token != "" && failure.ClassOf(err) == failure.ClassExpired, !s.whole && errors.Is(err, errPageRepeated):
		s.token, s.whole = "", true
		return s, atOnce
	case (failure.ClassOf(err) == failure.ClassExpired || failure.ClassOf(err) == failure.ClassTooLarge) && !s.unavailable:
		s.token, s.whole, s.unavailable = "", false, true
		s.restarted = s.restarted || failure.ClassOf(err) == failure.ClassTooLarge
		return s, atOnce
	default:
		return s.noted(err).start(), later
	}
}

// noted counts the answers that there is no such resource.
func (s state) noted(err error) state {
	if failure.ClassOf(err) == failure.ClassNotFound {
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
	if s.phase == PhaseStreaming {
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
	s.unavailable, s.restarted, s.notFound, s.cut = false, false, 0, 0
	s.resourceVersion = resourceVersion
	s.phase = PhaseWatching
	return s
}

// ending is how a watch or watch-list ended.
type ending struct {
	// err is nil if the server closed it normally.
	err error
	// opened is whether the server accepted the request, events is how many watch
	// events came then, bookmarks included, and lasted is how long ago it was sent.
	opened bool
	events int
	lasted time.Duration
}

// cut is whether the stream ended although the server refused nothing: it closed
// the stream, or the connection was lost.
func (e ending) cut() bool {
	if !e.opened {
		return false
	}
	class := failure.ClassOf(e.err)
	return e.err == nil || class == failure.ClassConnection || class == failure.ClassOther && !isStatus(e.err)
}

func (e ending) short() bool { return e.lasted < shortWatch }

// useless is whether nothing came of the request, and soon.
func (e ending) useless() bool { return e.short() && e.events == 0 }

// reason is why there is no watch.
func (e ending) reason() error {
	switch {
	case e.err == nil:
		return failure.ErrWatchTooShort
	case e.cut() && e.useless():
		return fmt.Errorf("%w: %w", failure.ErrWatchTooShort, e.err)
	}
	return e.err
}

// reopen is when to open the next watch after one that was of use.
func (e ending) reopen() pace {
	if e.short() {
		return soon
	}
	return atOnce
}

// streamEnded is the transition for a watch-list that ended before that
// bookmark.
func (s state) streamEnded(e ending) (state, pace) {
	s = s.noted(e.err)
	if e.cut() {
		s.cut = min(s.cut+1, maxCutWatchLists)
		if s.cut == maxCutWatchLists {
			s.phase = PhaseListing
		}
		return s, e.reopen()
	}
	switch class := failure.ClassOf(e.err); class {
	case failure.ClassTooManyRequests, failure.ClassConnection:
		return s, later
	case failure.ClassNotFound:
		if s.absent() {
			// A proxy may not support watches, and let lists through.
			s.phase = PhaseListing
		}
		return s, later
	case failure.ClassExpired, failure.ClassTooLarge:
		if !s.unavailable {
			s.unavailable, s.restarted = true, s.restarted || class == failure.ClassTooLarge
			return s, atOnce
		}
	case failure.ClassSilent:
		s.watchList = false
	}
	s.phase = PhaseListing
	return s, atOnce
}

// watchEnded is the transition for a watch that ended. One that was cut is opened
// again where it was. If it was of no use, that is after a backoff, and not for ever: a
// proxy may cut every watch, and let lists through.
func (s state) watchEnded(e ending) (state, pace) {
	s = s.noted(e.err)
	s.restarted = errors.Is(e.err, failure.ErrHistoryRestarted)
	s.unavailable = s.restarted
	if !e.useless() {
		s.useless = 0
	} else if e.cut() {
		s.useless = min(s.useless+1, maxUselessWatches)
	}
	class := failure.ClassOf(e.err)
	switch {
	case class == failure.ClassSilent, e.cut() && !e.useless():
		return s, e.reopen()
	case s.useless == maxUselessWatches:
		return s.start(), later
	case class == failure.ClassTooManyRequests, class == failure.ClassConnection:
		return s, later
	default:
		return s.start(), later
	}
}

// isStatus is true for an answer of the API server.
func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}
