package cache

// longestReread is how many watches may end, in the end, before a list is repeated of
// which objects could not be decoded: about an hour.
const longestReread = 8

// reread says when to list again because objects could not be decoded, which may have
// been mended without a change of the object: by a conversion webhook that works
// again, for example. It is a value, and told of lists and watches in their order.
type reread struct {
	// pending is whether something of the last list, or since, is not readable.
	pending bool
	// after is how many watches are to end before the next list, and ended how
	// many of them have.
	after, ended int
}

// listing is called before a list, which tells anew what is not readable.
func (r *reread) listing() { r.pending = false }

// listed is called after it.
func (r *reread) listed() {
	if !r.pending {
		r.after = 0
	}
}

func (r *reread) unreadable() { r.pending = true }

// watched is called when a watch has ended, and reports whether to list again.
func (r *reread) watched() bool {
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
