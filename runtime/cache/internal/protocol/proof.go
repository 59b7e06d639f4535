package protocol

import (
	"cmp"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// errDoubtful is wrapped by the errors of lists that do not prove that objects are gone.
var errDoubtful = errors.New("doubtful list")

// Doubt returns an error if a page does not prove that objects which its list lacks are gone. A doubtful
// list is requested again. It counts when every list has been doubtful for a while.
//
// The cases are the rule. A group, version or kind is right if it was requested, or if the last list that
// counted had it: a CRD chooses the kind of its lists. A watch-list always proves the absence, since no
// other API ends initial events with a bookmark.
func (s *Server) Doubt(l decoding.List, page metav1.ListMeta) error {
	own, earlier := l.Own, l.Earlier
	switch {
	// One of its items says the right group, version and kind, or a client has checked the kind.
	case l.Checked, l.Item != "" && (l.Objects == "" || l.Item == l.Objects):
		return nil
	// The list has another group or version.
	case own.APIVersion != "" && l.Requested != "" && own.APIVersion != l.Requested && own.APIVersion != earlier.APIVersion:
		return fmt.Errorf("%w: is of %s, not of %s", errDoubtful, own.APIVersion, l.Requested)
	// The list has no kind, but earlier lists had one.
	case own.Kind == "" && earlier.Kind != "":
		return fmt.Errorf("%w: has no kind, where earlier lists are of the kind %s", errDoubtful, earlier.Kind)
	// No list has a kind, and this one has lost its items and its resourceVersion.
	case own.Kind == "" && l.Items == 0 && page.Continue == "" && s.versioned && !IsVersion(page.ResourceVersion):
		return fmt.Errorf("%w: has no items and the resourceVersion %q, where earlier lists have versions", errDoubtful, page.ResourceVersion)
	// No list has a kind, or this one has the right kind: then it needs no resourceVersion.
	case own.Kind == "", own.Kind == earlier.Kind, own.Kind == l.Objects+"List", earlier.Kind == "" && l.Objects == "":
		return nil
	// The list has another kind.
	default:
		return fmt.Errorf("%w: is of the kind %s, not %s", errDoubtful, own.Kind, cmp.Or(earlier.Kind, l.Objects+"List"))
	}
}

// Doubt is Server.Doubt without the rule about resourceVersions.
func Doubt(l decoding.List) error { return new(Server).Doubt(l, metav1.ListMeta{}) }
