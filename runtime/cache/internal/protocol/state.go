package protocol

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// defaultPageSize is the same as client-go's.
const defaultPageSize = 500

// maxIncomplete limits how many watch-lists in a row may be cut before the bookmark that closes their
// initial events, or get a 429. Then the informer falls back to a list, which a server may answer from a
// cache that is too far behind for a watch-list.
const maxIncomplete = 3

// longIncomplete is the duration from which on one such watch-list is enough: the next one would last as
// long.
const longIncomplete = time.Minute

// maxUselessWatches limits how many watches in a row may be cut at once without an event. Then the informer
// lists each time, since watches deliver nothing.
const maxUselessWatches = 3

// ErrPageRepeated means that the server, or a proxy that drops the continue parameter, sent a page twice.
// The informer then lists without pages.
var ErrPageRepeated = errors.New("page was sent before")

// State is the state of the reflector between two requests: the next request, and what earlier ones have
// shown about the server. It is a value. Each transition is a pure function of the state and of what
// happened. It returns the next state, and when to continue.
//
//	          ┌── fallback ──┐
//	          ▼              │
//	start ─► Listing     Streaming ◄─ start, if watch-lists are enabled
//	          │ last page    │ bookmark
//	          └─► Watching ◄─┘
//	                 │ closed: Watching   expired, failed, other objects selected: start
//
// After a failure the state also says whether the resource exists at all.
type State struct {
	// Phase is the kind of the next request.
	Phase Phase

	// ResourceVersion is the latest version that was seen. It is "" before the first.
	ResourceVersion string
	// latest means that the server no longer has ResourceVersion, or has not reached it yet: the next list
	// requests the latest state.
	latest bool
	// listed is the version of the last list until a watch was opened after it, and "" then.
	listed string

	// Restarted means that the server's history may have restarted: an object with the resourceVersion of a
	// stored one may be another object.
	Restarted bool

	// incomplete counts the watch-lists in a row that were cut before their bookmark, or got a 429.
	incomplete int

	// useless counts the watches in a row that were cut at once.
	useless int

	// Token continues the list in progress. It is "" before the first page.
	Token string
	// paged means that the server pages even lists of resourceVersion "0". It has no watch cache, so that
	// one large page has no advantage.
	paged bool
	// whole means that the list in progress is requested without pages, since it expired between two of
	// them.
	whole bool

	// notFound counts the responses in a row that say that there is no such resource.
	notFound int

	// pageSize is the page size that the user set, or 0.
	pageSize int64
	// watchList reports whether a round starts with a watch-list.
	watchList bool
}

// Phase is a kind of request.
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

// Pace says when to continue after a transition.
type Pace uint8

const (
	// AtOnce means no wait: the next request is expected to succeed.
	AtOnce Pace = iota
	// Soon means about a second: the last request succeeded, but delivered next to nothing.
	Soon
	// Later means a backoff, after a failure.
	Later
)

// NewState returns the state before the first request.
func NewState(pageSize int64, watchList bool) State {
	return State{pageSize: pageSize, watchList: watchList}.Start()
}

// Start starts a new round: everything is fetched again.
func (s State) Start() State {
	s.Token, s.whole = "", false
	s.Phase = Listing
	if s.watchList {
		s.Phase = Streaming
	}
	return s
}

// listVersion returns the resourceVersion of a list: at first anything that the server has in its cache,
// later nothing older than what was seen.
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

// Resumable reports whether a watch can continue where another one ended. Without a version, it would start
// with the present objects.
func (s State) Resumable() bool { return IsVersion(s.ResourceVersion) }

// ListOptions returns the options of the next page.
func (s State) ListOptions() metav1.ListOptions {
	if s.Token != "" {
		return metav1.ListOptions{Continue: s.Token, Limit: s.limit()}
	}
	options := metav1.ListOptions{ResourceVersion: s.listVersion(), Limit: s.limit()}
	if options.Limit != 0 && IsVersion(options.ResourceVersion) {
		// With a limit alone the server would list exactly this version, which may be too old to watch from.
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
		// With a limit, the server would not use its cache.
		return 0
	}
}

// Listed is the transition for a page. The list is complete if Phase becomes Watching.
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

// noted counts responses that say that there is no such resource.
func (s State) noted(err error) State {
	if failure.ClassOf(err) == failure.ClassNotFound {
		s.notFound++
	} else {
		s.notFound = 0
	}
	return s
}

// Absent reports whether there is no such resource. A single response may come from a server that is still
// starting.
func (s State) Absent() bool { return s.notFound > 1 }

// WatchOptions returns the options of the next watch or watch-list. They ask the server to end it after
// timeout.
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

// StreamEnded is the transition for a watch-list that ended before the closing bookmark.
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
			// A proxy may not support watches, but pass lists on.
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

// WatchEnded is the transition for a watch that ended. A watch that was cut is opened again where it was.
// If it was useless, that happens after a backoff, and only a few times: a proxy may cut every watch, but
// pass lists on. A list whose version expires at once is followed by a list of the latest state: the
// server's cache may be far behind, and would return the same version again. If the source selects other
// objects, that says nothing about the server.
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
