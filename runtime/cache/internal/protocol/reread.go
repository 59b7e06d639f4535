package protocol

// longestReread is the largest number of watches that end before a list with objects that
// could not be decoded is repeated: about an hour.
const longestReread = 8

// Reread says when to list again because objects could not be decoded. The server may be
// able to send them again without a change of the object, for example when a conversion
// webhook works again. It is a value. Its methods are called for each list and watch.
type Reread struct {
	// pending reports whether an object of the last list, or since, is not readable.
	pending bool
	// after is the number of watches to end before the next list. ended counts those that have.
	after, ended int
}

// Listing is called before a list, which finds again what is not readable.
func (r *Reread) Listing() { r.pending = false }

// Listed is called after it.
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
