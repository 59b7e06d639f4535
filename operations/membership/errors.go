package membership

import "errors"

var (
	// ErrInvalid is the error for options that are wrong.
	ErrInvalid = errors.New("invalid membership")
	// ErrStarted is the error of a second Run.
	ErrStarted = errors.New("member was started before")
	// ErrLost is why the context of work ended: its slot is to be given up and the work took
	// longer than DrainTimeout, or the member could not renew its life or list the slots, or
	// someone deleted one of its Leases.
	ErrLost = errors.New("slot is no longer owned")

	errNotGivenUp = errors.New("slots were not given up in time; others take them when they see no life of this member")
	errForbidden  = errors.New("slots may not be written")
	errForeign    = errors.New("lease is not of this group; delete it or choose another Group")
)
