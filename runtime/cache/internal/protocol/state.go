package protocol

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// defaultPageSize is client-go's.
const defaultPageSize = 500

// maxIncomplete limits how many watch-lists in a row may be cut before the bookmark that closes
// their initial events, or get a 429. After that the informer falls back to a list, which a server
// may answer from a cache that is too far behind for a watch-list.
const maxIncomplete = 3

// longIncomplete is the time from which on such a watch-list counts as all of them: the next one
// would last as long.
const longIncomplete = time.Minute

// maxUselessWatches limits how many watches in a row may be cut at once, with nothing
// delivered. After that the informer lists each time, since watches deliver nothing.
const maxUselessWatches = 3

// ErrPageRepeated is why an informer lists without pages: the server, or a proxy that drops
// the continue parameter, sent a page that it had sent before.
var ErrPageRepeated = errors.New("page was sent before")

// State is the state of the reflector between two requests: the next request, and what
// earlier ones have shown of the server. It is a value. Each transition is a pure function
// of it and of what happened, and returns the next state and when to go on.
//
//	          ┌── fallback ──┐
//	          ▼              │
//	start ─► Listing     Streaming ◄─ start, if watch-lists are enabled
//	          │ last page    │ bookmark
//	          └─► Watching ◄─┘
//	                 │ closed: Watching   expired, failed, other objects selected: start
//
// After a failure the state says as well whether the resource exists at all.
type State struct {
	// Phase is the kind of the next request.
	Phase Phase

	// ResourceVersion is the latest that was seen, "" before the first.
	ResourceVersion string
	// latest means that the server no longer has ResourceVersion, or does not have it
	// yet: the next list is one of the latest state.
	latest bool
	// listed is the version of the last list until a watch was opened after it, then "".
	listed string

	// Restarted means that the server's history may have restarted: an object of the
	// same resourceVersion as one in the store may be another one.
	Restarted bool

	// incomplete counts the watch-lists in a row that were cut before their bookmark, or got a 429.
	incomplete int

	// useless counts the watches in a row that were cut at once.
	useless int

	// Token continues the list in progress; "" before its first page.
	Token string
	// paged means that the server pages lists even of resourceVersion "0": it
	// has no watch cache, so that there is nothing to gain by one large page.
	paged bool
	// whole asks for the list in progress without pages, since it expired
	// between two of them.
	whole bool

	// notFound counts the answers in a row that there is no such resource.
	notFound int

	// pageSize is the size that the user asked for, or 0.
	pageSize int64
	// watchList reports whether a start is a watch-list.
	watchList bool
}

// Phase is a kind of requests.
type Phase uint8

const (
	// Listing fetches the pages of a list.
	Listing Phase = iota
	// Streaming opens a watch-list (KEP-3157), and waits for the bookmark that closes its
	// initial events.
	Streaming
	// Watching opens a watch at the latest version.
	Watching
)

// Pace says when to go on after a transition.
type Pace uint8

const (
	// AtOnce is for what is expected to succeed.
	AtOnce Pace = iota
	// Soon is after about a second: the last request succeeded, but nearly
	// nothing came of it.
	Soon
	// Later is after a failure, with a backoff.
	Later
)

// NewState returns the state before the first request.
func NewState(pageSize int64, watchList bool) State {
	return State{pageSize: pageSize, watchList: watchList}.Start()
}

// Start begins a new round: everything is fetched again.
func (s State) Start() State {
	s.Token, s.whole = "", false
	s.Phase = Listing
	if s.watchList {
		s.Phase = Streaming
	}
	return s
}

// listVersion is the resourceVersion of a list: anything that the server has in
// its cache at first, then nothing older than what was seen.
func (s State) listVersion() string {
	switch {
	case s.latest:
		return ""
	case s.ResourceVersion == "":
		return "0"
	default:
		return s.ResourceVersion
	}
}

// Resumable reports whether a watch can go on where another one ended. From no particular
// version, it would begin with the objects that exist then.
func (s State) Resumable() bool { return IsVersion(s.ResourceVersion) }

// ListOptions are those of the next page.
func (s State) ListOptions() metav1.ListOptions {
	if s.Token != "" {
		return metav1.ListOptions{Continue: s.Token, Limit: s.limit()}
	}
	options := metav1.ListOptions{ResourceVersion: s.listVersion(), Limit: s.limit()}
	if options.Limit != 0 && IsVersion(options.ResourceVersion) {
		// With a limit alone the list would be that of exactly this version, which may
		// be older than what the server can still watch from.
		options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	return options
}

func (s State) limit() int64 {
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

// Listed is the transition for a page. The list is complete if the phase
// becomes Watching.
func (s State) Listed(page metav1.ListMeta) State {
	if page.Continue != "" {
		if s.Token == "" && s.listVersion() == "0" {
			s.paged = true
		}
		s.Token = page.Continue
		return s
	}
	s.Token, s.whole, s.latest, s.notFound = "", false, false, 0
	s.ResourceVersion, s.listed = page.ResourceVersion, page.ResourceVersion
	s.Phase = Watching
	return s
}

// ListFailed is the transition for a page that failed.
func (s State) ListFailed(err error) (State, Pace) {
	switch {
	case s.Token != "" && failure.ClassOf(err) == failure.ClassExpired, !s.whole && errors.Is(err, ErrPageRepeated):
		s.Token, s.whole = "", true
		return s, AtOnce
	case (failure.ClassOf(err) == failure.ClassExpired || failure.ClassOf(err) == failure.ClassTooLarge) && !s.latest:
		s.Token, s.whole, s.latest = "", false, true
		s.Restarted = s.Restarted || failure.ClassOf(err) == failure.ClassTooLarge
		return s, AtOnce
	default:
		return s.noted(err).Start(), Later
	}
}

// noted counts the answers that there is no such resource.
func (s State) noted(err error) State {
	if failure.ClassOf(err) == failure.ClassNotFound {
		s.notFound++
	} else {
		s.notFound = 0
	}
	return s
}

// Absent reports whether there is no such resource. A single answer may come from a server
// that is about to start.
func (s State) Absent() bool { return s.notFound > 1 }

// WatchOptions are those of the next watch or watch-list, which the server is
// asked to end after timeout.
func (s State) WatchOptions(timeout time.Duration) metav1.ListOptions {
	seconds := int64(timeout / time.Second)
	options := metav1.ListOptions{
		ResourceVersion:     s.ResourceVersion,
		AllowWatchBookmarks: true,
		TimeoutSeconds:      &seconds,
	}
	if s.Phase == Streaming {
		initial := true
		options.SendInitialEvents = &initial
		options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
		if s.latest {
			options.ResourceVersion = ""
		}
	}
	return options
}

// Streamed is the transition for the bookmark that closes the initial events.
func (s State) Streamed(resourceVersion string) State {
	s.latest, s.Restarted, s.notFound, s.incomplete = false, false, 0, 0
	s.ResourceVersion, s.listed = resourceVersion, resourceVersion
	s.Phase = Watching
	return s
}

// StreamEnded is the transition for a watch-list that ended before that
// bookmark.
func (s State) StreamEnded(e Ending) (State, Pace) {
	if failure.ClassOf(e.Err) == failure.ClassSelectionChanged {
		return s, AtOnce
	}
	s = s.noted(e.Err)
	class := failure.ClassOf(e.Err)
	if e.cut() || class == failure.ClassTooManyRequests {
		if s.incomplete++; s.incomplete >= maxIncomplete || e.Opened && e.Lasted >= longIncomplete {
			s.Phase, s.incomplete = Listing, maxIncomplete
		}
		if class == failure.ClassTooManyRequests {
			return s, Later
		}
		return s, e.reopen()
	}
	switch class {
	case failure.ClassConnection:
		return s, Later
	case failure.ClassNotFound:
		if s.Absent() {
			// A proxy may not support watches, and let lists through.
			s.Phase = Listing
		}
		return s, Later
	case failure.ClassExpired, failure.ClassTooLarge:
		if !s.latest {
			s.latest, s.Restarted = true, s.Restarted || class == failure.ClassTooLarge
			return s, AtOnce
		}
	case failure.ClassSilent:
		s.watchList = false
	}
	s.Phase = Listing
	return s, AtOnce
}

// WatchEnded is the transition for a watch that ended. One that was cut is opened
// again where it was. If it was of no use, that is after a backoff, and not for ever: a
// proxy may cut every watch, and let lists through. A list whose version expires at once is
// followed by a list of the latest state: the server's cache, which may be far behind, would
// answer with the same version again. That a source selects other objects says nothing about the server.
func (s State) WatchEnded(e Ending) (State, Pace) {
	if failure.ClassOf(e.Err) == failure.ClassSelectionChanged {
		return s.Start(), AtOnce
	}
	s = s.noted(e.Err)
	class := failure.ClassOf(e.Err)
	s.Restarted = errors.Is(e.Err, failure.ErrHistoryRestarted)
	s.latest = s.Restarted || class == failure.ClassExpired && e.short() && s.listed == s.ResourceVersion
	if e.Opened {
		s.listed = ""
	}
	if !e.Useless() {
		s.useless = 0
	} else if e.cut() {
		s.useless = min(s.useless+1, maxUselessWatches)
	}
	switch {
	case class == failure.ClassSilent, e.cut() && !e.Useless():
		return s, e.reopen()
	case s.useless == maxUselessWatches:
		return s.Start(), Later
	case class == failure.ClassTooManyRequests, class == failure.ClassConnection:
		return s, Later
	default:
		return s.Start(), Later
	}
}
