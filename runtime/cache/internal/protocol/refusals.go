package protocol

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// maxRefusals is the number of refusals in a row after which the informer goes on without a
// namespace or name: a server that has just started may not know all roles yet.
const maxRefusals = 3

// Refuses reports whether an error is the server's refusal of one namespace. An absent
// resource is not refused: it may be installed, with objects. Credentials that are not
// accepted say nothing about a namespace.
func Refuses(err error) bool { return apierrors.IsForbidden(err) }

// Refusals decides when an informer goes on without a namespace or name that the server refuses.
// The zero value is one since its last list.
type Refusals struct {
	// LeftOut is set from then on.
	LeftOut bool
	inARow  int
}

// Failed notes a failure, and reports whether it is the one from which on to leave it out.
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
