package protocol

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Server has the facts that lists have shown of a server. Another reflector of it may go on with
// them. Before the first list, Same is SameContent.
type Server struct {
	// Since is the version that the next list is not to be older than; "" is any.
	Since string
	// Same says what the next lists are to compare.
	Same Sameness
	// DetectsRestart reports whether a version older than a watch's means that the server's
	// history has restarted.
	DetectsRestart bool
	// versioned reports whether the source should have versions and the last list had one.
	versioned bool
}

// Listed notes a list of a version. Ordered is set for a source whose versions have an order.
func (s *Server) Listed(version string, sample *VersionSample, ordered bool) {
	seen := sample.Sameness(version)
	if s.Same = SameContent; ordered {
		s.Same = seen
	}
	s.DetectsRestart = ordered || seen == SameVersion
	s.versioned = ordered && IsVersion(version)
}

// Check returns an error for a page that ends a list, after one of a version, and is no response
// of the server: as a list, it would delete all objects.
func (s *Server) Check(page metav1.ListMeta, after string) error {
	if page.Continue == "" && s.versioned && !IsVersion(page.ResourceVersion) {
		return fmt.Errorf("%w: list has the resourceVersion %q, after one of version %s", failure.ErrUndecodable, page.ResourceVersion, after)
	}
	return nil
}

// CheckHistory returns an error if the latest version of a server is earlier than one that was
// seen: its history has restarted.
func CheckHistory(latest, seen string) error {
	if Older(latest, seen) {
		return fmt.Errorf("%w: it is at resourceVersion %s, after %s", failure.ErrHistoryRestarted, latest, seen)
	}
	return nil
}
