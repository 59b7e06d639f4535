package protocol

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// maxRefusals is the number of refusals in a row after which the informer continues without a namespace or
// name: a server that has just started may not know all roles yet.
const maxRefusals = 3

// Refuses reports whether an error means that the server refuses one namespace. An absent resource is not
// refused: it may be installed, with objects. Rejected credentials say nothing about a namespace.
func Refuses(err error) bool { return apierrors.IsForbidden(err) }

// Refusals decides when an informer continues without a namespace or name that the server refuses. It
// starts anew with each list.
type Refusals struct {
	// LeftOut is set once the informer continues without it.
	LeftOut bool
	inARow  int
}

// Failed notes a failure, and reports whether the informer continues without the namespace or name from now
// on.
func (r *Refusals) Failed(err error) bool {
	if !Refuses(err) {
		r.inARow = 0
		return false
	}
	if r.inARow++; r.LeftOut || r.inARow < maxRefusals {
		return false
	}
	r.LeftOut = true
	return true
}
