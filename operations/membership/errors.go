package membership

import "errors"

var (
	// ErrInvalid is the error for options that are wrong.
	ErrInvalid = errors.New("invalid membership")
	// ErrStarted is the error of a second Run.
	ErrStarted = errors.New("member was started before")
	// ErrLost is why the context of work ended: its slot is to be given up and the work took
	// longer than DrainTimeout, or the member could not list the slots or renew its life, or
	// someone deleted the Lease of the slot.
	ErrLost = errors.New("slot is no longer owned")

	errNotGivenUp = errors.New("slots were not given up in time; others take them when they see no life of this member")
	errForeign    = errors.New("exists, and is not listed with those of the group; delete it or choose another Group")
)
