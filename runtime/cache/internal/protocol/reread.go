package protocol

// longestReread is the largest number of watches after which a list with undecodable objects is repeated.
// That is about an hour.
const longestReread = 8

// Reread decides when to list again because objects could not be decoded. The server may be able to send
// them again without a change of the object, for example when a conversion webhook works again. It is a
// value. Its methods are called for each list and watch.
type Reread struct {
	// pending reports whether an object was not readable in the last list or since.
	pending bool
	// after is the number of watches that must end before the next list. ended counts the ones that have.
	after, ended int
}

// Listing is called before a list. The list finds unreadable objects again.
func (r *Reread) Listing() { r.pending = false }

// Listed is called after a list.
func (r *Reread) Listed() {
	if !r.pending {
		r.after = 0
	}
}

// Unreadable is called for an object that could not be decoded.
func (r *Reread) Unreadable() { r.pending = true }

// Watched is called when a watch has ended, and reports whether to list again.
func (r *Reread) Watched() bool {
	if !r.pending {
		return false
	}
	if r.ended++; r.ended < r.after {
		return false
	}
	r.ended = 0
	r.after = min(max(2*r.after, 1), longestReread)
	return true
}
