package cache

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Phase says what an informer is doing.
type Phase uint8

const (
	// PhasePending means that the informer has not been started.
	PhasePending Phase = iota
	// PhaseListing means that the informer fetches the pages of a list.
	PhaseListing
	// PhaseStreaming means that the informer receives the initial events of a watch-list (KEP-3157) and
	// waits for the bookmark that closes them.
	PhaseStreaming
	// PhaseWatching means that the informer's store follows the API.
	PhaseWatching
	// PhaseBackingOff means that a request failed, and that the informer waits before the next one.
	PhaseBackingOff
	// PhaseAbsent means that the server does not have the resource. The informer requests it about every
	// ten seconds, until it is installed.
	PhaseAbsent
	// PhaseStopped means that the informer has stopped. Run may still wait for handlers.
	PhaseStopped
)

var phaseNames = [...]string{
	PhasePending:    "not started",
	PhaseListing:    "listing",
	PhaseStreaming:  "waiting for the bookmark that closes the initial events",
	PhaseWatching:   "watching",
	PhaseBackingOff: "backing off",
	PhaseAbsent:     "waiting for the resource to be installed",
	PhaseStopped:    "stopped",
}

// phaseTimes has the formats of a phase's duration, which stands behind its name. The default is " for %v".
// "The initial events for 10s" would be read as if these had lasted so long, and "backing off for 3s" as
// the length of the backoff.
var phaseTimes = map[Phase]string{
	PhaseStreaming:  " (%v so far)",
	PhaseBackingOff: " (%v so far)",
	PhaseAbsent:     " (%v so far)",
	PhaseStopped:    " %v ago",
}

// String completes the sentence "the informer is …".
func (p Phase) String() string {
	if int(p) >= len(phaseNames) {
		return fmt.Sprintf("in phase %d", uint8(p))
	}
	return phaseNames[p]
}

// Status says what an informer is doing and what went wrong lately. Times and counters are zero until the
// event that they describe happens. A Status can be marshalled into JSON and back.
type Status struct {
	// Name is the informer's name.
	Name  string `json:"name"`
	Phase Phase  `json:"phase"`
	// Since is when the phase began, and Started when the informer was started.
	Since   time.Time `json:"since,omitzero"`
	Started time.Time `json:"started,omitzero"`
	// NextAttempt is when the next list or watch is due in PhaseBackingOff or PhaseAbsent. It is zero in
	// other phases.
	NextAttempt time.Time `json:"nextAttempt,omitzero"`
	// Synced is true once the store has held a whole list.
	Synced bool `json:"synced"`
	// Attempts counts the lists and watches that failed since the last one that succeeded, and FailingSince
	// is when the first of them failed.
	Attempts     int       `json:"attempts"`
	FailingSince time.Time `json:"failingSince,omitzero"`
	// LastError is the error of the last of them, or the reason why the informer lists instead of
	// requesting a watch-list. It is nil when all is well.
	LastError error `json:"lastError,omitempty"`

	// Received counts the objects that the list or watch-list in progress has delivered so far, or the last
	// one if none is in progress. Expected estimates how many objects the one in progress will deliver. It
	// is zero if the server does not say, as for watch-lists and lists of one page.
	Received int `json:"received,omitzero"`
	Expected int `json:"expected,omitzero"`

	// Objects counts the objects in the store.
	Objects int `json:"objects"`
	// ResourceVersion is the latest version that was seen in a list or a watch. The store may still be at
	// an earlier one.
	ResourceVersion string `json:"resourceVersion"`
	// LastEvent is when the last watch event of an object came.
	LastEvent time.Time `json:"lastEvent,omitzero"`
	// LastBookmark is when the last bookmark came.
	LastBookmark time.Time `json:"lastBookmark,omitzero"`
	// LastContact is when the store was last known to be up to date with the server. Such events are a
	// complete list, an opened watch, a watch event, a bookmark, and the response that the server does not
	// have the resource.
	LastContact time.Time `json:"lastContact,omitzero"`
	// Reconnects counts the watches that the server has opened to replace one that ended. ReconnectReason
	// is the error with which the last of these ended. It is nil if the server closed it.
	Reconnects      int   `json:"reconnects"`
	ReconnectReason error `json:"reconnectReason,omitempty"`
	// Relists counts how often all objects were listed again, and RelistReason is the
	// error that led to the last relist.
	Relists      int   `json:"relists"`
	RelistReason error `json:"relistReason,omitempty"`
	// RelistReasons counts the relists by the class of the error that led to each.
	RelistReasons failure.Counts `json:"relistReasons,omitzero"`
	// Lists, WatchLists and Watches count the requests that have ended, except for requests that the end of
	// the informer has cut. The pages of a list are one request. A watch-list succeeds when its initial
	// events are complete, and continues as a watch. A watch succeeds if the server closes it normally.
	Lists      failure.Outcomes `json:"lists,omitzero"`
	WatchLists failure.Outcomes `json:"watchLists,omitzero"`
	Watches    failure.Outcomes `json:"watches,omitzero"`
	// Events counts the changes of single objects that the store has committed: watch events, and objects
	// that were read by name. Duplicates and the initial events of a watch-list do not count. Bookmarks
	// counts the bookmarks.
	Events    uint64 `json:"events"`
	Bookmarks uint64 `json:"bookmarks"`
	// LeftOut counts the objects that are left out now: their latest state is not in the store, or not in
	// one of its indexes. Objects whose name is not known count as one. LeftOutObjects has the reasons by
	// namespace/name, for the first hundred names in order. The key "" stands for objects whose name is not
	// known.
	LeftOut        int               `json:"leftOut"`
	LeftOutObjects map[string]string `json:"leftOutObjects,omitempty"`
	// ObjectErrors counts how often an object was left out since the start, and LastObjectError is the last
	// of these errors.
	ObjectErrors    int   `json:"objectErrors"`
	LastObjectError error `json:"lastObjectError,omitempty"`

	// Namespaces has the status of each namespace, sorted by Name, if the informer has several. The fields
	// above are then from the namespace that is worst off, or sums. The Objects of each are zero without
	// NamespaceIndex.
	Namespaces []Status `json:"namespaces,omitempty"`

	// Names counts the objects of an informer of a set of names. It is nil for other informers. The fields
	// above are then from the object that is worst off, or sums.
	Names *NamesStatus `json:"names,omitempty"`

	// DecodedByClient says why the client decodes the responses to the latest lists and watches, although
	// the source would decode them faster and in less memory. It is "" if the source decodes them.
	DecodedByClient string `json:"decodedByClient,omitempty"`

	// Handlers has the handlers that were not removed, in the order in which they were added.
	Handlers []HandlerStatus `json:"handlers,omitempty"`
}

// NamesStatus says what an informer knows of the objects of a set of names.
type NamesStatus struct {
	// Followed counts the names of the set, Known the names that were listed, and Absent the known names
	// without an object.
	Followed int `json:"followed"`
	Known    int `json:"known"`
	Absent   int `json:"absent"`
	// ByMetadata counts the names that share a watch of metadata. Each other name has its own watch.
	ByMetadata int `json:"byMetadata"`
	// Failing counts the names whose latest request failed. Reasons has the errors of a hundred of them at
	// most, by namespace/name.
	Failing int               `json:"failing"`
	Reasons map[string]string `json:"reasons,omitempty"`
}

// maxReasons limits NamesStatus.Reasons.
const maxReasons = 100

func (s *NamesStatus) fail(name string, err error) {
	if s.Failing++; s.Failing > maxReasons {
		return
	}
	if s.Reasons == nil {
		s.Reasons = map[string]string{}
	}
	s.Reasons[name] = err.Error()
}

// HandlerStatus is the progress of a handler.
type HandlerStatus struct {
	// Name is the handler's name.
	Name string `json:"name"`
	// Backlog counts the events that wait for the handler; see Registration.Backlog.
	Backlog int `json:"backlog"`
	// Lag is the time since the store made the change with which the handler is being called. It is zero
	// while the handler is not called, and during initial events.
	Lag time.Duration `json:"lag"`
	// Delivered counts the calls. A few dozen calls of the last millisecond may be missing.
	Delivered uint64 `json:"delivered"`
	// LongestCall is the duration of the longest call, including a call in progress. Quick calls in
	// succession are measured together.
	LongestCall time.Duration `json:"longestCall"`
	// Panics counts the calls that ended in a panic, and LastPanic is when the last one did.
	Panics    int       `json:"panics"`
	LastPanic time.Time `json:"lastPanic,omitzero"`
}

// String completes the sentence "the informer is …".
func (s Status) String() string {
	var b strings.Builder
	b.WriteString(s.Phase.String())
	if !s.Since.IsZero() {
		fmt.Fprintf(&b, cmp.Or(phaseTimes[s.Phase], " for %v"), time.Since(s.Since).Round(time.Millisecond))
	}
	if !s.NextAttempt.IsZero() {
		fmt.Fprintf(&b, ", next attempt in %v", max(0, time.Until(s.NextAttempt)).Round(time.Millisecond))
	}
	switch {
	case s.Attempts == 1:
		b.WriteString(", 1 failed attempt")
	case s.Attempts > 1:
		fmt.Fprintf(&b, ", %d failed attempts in %v", s.Attempts, time.Since(s.FailingSince).Round(time.Millisecond))
	}
	if s.LastError != nil {
		fmt.Fprintf(&b, ", last error: %v", s.LastError)
	}
	return b.String()
}

// Stale returns how long the store has not been known to be up to date: the time since LastContact or,
// before the first contact, since the start. It is zero if the informer has not been started.
func (s Status) Stale() time.Duration {
	switch {
	case s.Phase == PhasePending:
		return 0
	case s.LastContact.IsZero():
		return time.Since(s.Started)
	default:
		return time.Since(s.LastContact)
	}
}

// shortestStale is the minimum for HealthCheck's stale: API servers send a bookmark about once a minute
// while nothing changes, and one may be late.
const shortestStale = 2 * time.Minute

var warnOfShortStale sync.Once

// Check returns the error of Informer.HealthCheck for a status.
func (s Status) Check(stale time.Duration) error {
	if stale < shortestStale {
		warnOfShortStale.Do(func() {
			klog.Background().Info("HealthCheck may fail although nothing is wrong: without changes, a server sends a bookmark a minute", "stale", stale, "least", shortestStale)
		})
	}
	if s.Phase == PhaseStopped {
		return fmt.Errorf("informer %q: %w", s.Name, failure.ErrStopped)
	}
	if s.Started.IsZero() {
		return nil // it was not started, or is not of this module and has no times
	}
	if age := s.Stale(); age > stale {
		return fmt.Errorf("informer %q: %w for %v: %v", s.Name, failure.ErrStale, age.Round(time.Second), s)
	}
	return nil
}

// CheckSynced returns a *SyncError without a cause if the store has not held a whole list yet. It is for a
// readiness probe. An informer that waits for its resource to be installed fails it, unless the informer
// was in sync before.
func (s Status) CheckSynced() error {
	if s.Synced {
		return nil
	}
	return &SyncError{Informer: s.Name, Status: s}
}
