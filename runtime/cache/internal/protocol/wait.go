package protocol

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Sight holds the state of an informer's store at one moment, and of the scope of the object that a wait is
// about.
type Sight struct {
	// Never says why the object never arrives: the informer does not follow it, or the server refuses it.
	// It is nil otherwise.
	Never error
	// Gone is set if there is no scope that could reach a version.
	Gone bool
	// Listed is set if the store has a whole list of the objects that the source selects now.
	Listed bool
	// Version is the resourceVersion that the store has reached.
	Version string
	// Restarts counts how often the server's history has restarted.
	Restarts int

	// Stored is the stored object, or its latest state that the store could not take. Exists reports whether
	// there is one. Opaque is set if it has no metadata, so that its states can't be compared.
	Stored         Sent
	Exists, Opaque bool
	// LeftOut is set if the store could not take the latest state of the object.
	LeftOut bool
}

// Aim says when a wait is over.
type Aim int

const (
	// Reached waits until the store has reached a version.
	Reached Aim = iota
	// Written waits until it also has the object as it was written at that version, or a later state.
	Written
	// Finalized waits until it also has lost the object, since the write removed the last finalizer. The
	// server answers such a write with the version before the removal.
	Finalized
	// Deleted waits until it knows that the object was deleted, or is being deleted. The version may be
	// empty. It counts only if the store may not have heard of the object yet.
	Deleted
)

// Wait is a wait for a state of an informer's store.
type Wait struct {
	Aim     Aim
	Version string
	UID     types.UID
	// Restarts is Sight.Restarts at the start. Versions before and after a restart can't be compared.
	Restarts int
}

// Judge returns whether the wait is over, or what the store lacks. An error ends the wait: the state never
// comes, or can't be known.
func (w Wait) Judge(s Sight) (done bool, lacks string, err error) {
	switch {
	case s.Never != nil:
		return false, "", s.Never
	case s.Gone:
		_, err := AtLeast("", w.Version)
		return err == nil, "", err
	case s.Restarts != w.Restarts:
		return false, "", fmt.Errorf("%w: resourceVersion %q is one of the history before", failure.ErrHistoryRestarted, w.Version)
	}
	if w.Version != "" || w.Aim != Deleted {
		reached, err := AtLeast(s.Version, w.Version)
		if err != nil || !reached {
			return false, fmt.Sprintf("store is at %q", s.Version), err
		}
	}
	switch {
	case !s.Listed:
		return false, "it was not listed yet", nil
	case w.Aim == Reached:
		return true, "", nil
	case !s.Exists, s.Opaque, s.LeftOut && w.Aim == Written, w.fits(s.Stored):
		return true, "", nil
	}
	return false, "store has an earlier state", nil
}

// fits reports whether the stored state of the object is the wanted one.
func (w Wait) fits(stored Sent) bool {
	other := w.UID != "" && stored.UID != w.UID
	switch w.Aim {
	case Finalized:
		return stored.UID != w.UID
	case Deleted:
		return other || stored.Deleting
	default:
		return !Older(stored.ResourceVersion, w.Version)
	}
}
