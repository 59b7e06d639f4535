package protocol

import (
	"fmt"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Server holds the facts that lists have shown about a server. Another reflector for the same server may
// continue with them. Before the first list, Same is SameContent.
type Server struct {
	// Since is the version that the next list must not be older than. Empty means any version.
	Since string
	// Same says how to compare the next lists.
	Same Sameness
	// DetectsRestart reports whether a version older than a watch's means that the server's history has
	// restarted.
	DetectsRestart bool
	// versioned reports whether the last list had a version that says something about the server.
	versioned bool
	// bookmarked reports whether the server has sent a bookmark. undecided reports whether the last list
	// had too few objects to decide how to compare them.
	bookmarked, undecided bool
}

// Listed notes a list of a version. ordered is set for a source whose versions have an order, and fake for
// a source that may lack versions at any time.
func (s *Server) Listed(version string, sample *VersionSample, ordered, fake bool) {
	seen, decided := sample.Sameness(version)
	s.Same, s.undecided = SameContent, ordered && !decided
	switch {
	case ordered && decided:
		s.Same = seen
	case s.undecided && s.bookmarked:
		s.Same = SameVersion
	}
	s.DetectsRestart = ordered || seen == SameVersion
	s.versioned = IsVersion(version) && (ordered || !fake)
}

// Bookmarked notes a bookmark of a version. A bookmark shows that later changes have later versions.
func (s *Server) Bookmarked(version string) {
	if Newer(version, version) {
		return // such versions have no order
	}
	if s.bookmarked = true; s.undecided {
		s.Same = SameVersion
	}
}

// Contradicted notes that two states of an object had the same version.
func (s *Server) Contradicted() {
	s.Same, s.bookmarked, s.undecided = SameContent, false, false
}

// CheckHistory returns an error if the latest version of a server is earlier than one that was seen: its
// history has restarted.
func CheckHistory(latest, seen string) error {
	if Older(latest, seen) {
		return fmt.Errorf("%w: it is at resourceVersion %s, after %s", failure.ErrHistoryRestarted, latest, seen)
	}
	return nil
}
