package membership

import "errors"

var (
	// ErrStarted is the error of a second Run.
	ErrStarted = errors.New("member was started before")
	// ErrLost is why the context of work ended: its range is to be handed over and the work
	// took longer than DrainTimeout, or the Lease of the member could not be renewed.
	ErrLost = errors.New("range is no longer owned")

	// errExpired ends a session: its Lease is gone, or others hold it for expired.
	errExpired = errors.New("lease is expired or was deleted")
	// errNotHandedOver is the error of a Run that ended before its ranges had another owner.
	errNotHandedOver = errors.New("ranges were not handed over in time; others take them when the lease has expired")
)
