package protocol

import (
	"cmp"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// errDoubtful is wrapped by the errors of lists that prove nothing.
var errDoubtful = errors.New("doubtful list")

// Doubt returns why a page of a list proves nothing; nil if it proves that objects which the list does
// not have are gone. A doubtful list is requested again. It counts when every list was doubtful for a
// while.
//
// The cases are the rule. A group, version or kind is right if it was requested, or if the last list that
// counted said it: a CRD names the kind of its lists as it likes. A watch-list always proves: no other
// API ends initial events with a bookmark.
func (s *Server) Doubt(l decoding.List, page metav1.ListMeta) error {
	own, earlier := l.Own, l.Earlier
	switch {
	// One of its items says the right group, version and kind, or a client has checked the kind.
	case l.Checked, l.Item != "" && (l.Objects == "" || l.Item == l.Objects):
		return nil
	// It says another group or version.
	case own.APIVersion != "" && l.Requested != "" && own.APIVersion != l.Requested && own.APIVersion != earlier.APIVersion:
		return fmt.Errorf("%w: is of %s, not of %s", errDoubtful, own.APIVersion, l.Requested)
	// It says no kind, and earlier lists said theirs.
	case own.Kind == "" && earlier.Kind != "":
		return fmt.Errorf("%w: has no kind, where earlier lists are of the kind %s", errDoubtful, earlier.Kind)
	// No list says its kind, and this one has lost its items and its resourceVersion.
	case own.Kind == "" && l.Items == 0 && page.Continue == "" && s.versioned && !IsVersion(page.ResourceVersion):
		return fmt.Errorf("%w: has no items and the resourceVersion %q, where earlier lists have versions", errDoubtful, page.ResourceVersion)
	// No list says its kind, or it says the right one: then it needs no resourceVersion.
	case own.Kind == "", own.Kind == earlier.Kind, own.Kind == l.Objects+"List", earlier.Kind == "" && l.Objects == "":
		return nil
	// It says another kind.
	default:
		return fmt.Errorf("%w: is of the kind %s, not %s", errDoubtful, own.Kind, cmp.Or(earlier.Kind, l.Objects+"List"))
	}
}

// Doubt is Server.Doubt without the rule about resourceVersions.
func Doubt(l decoding.List) error { return new(Server).Doubt(l, metav1.ListMeta{}) }
