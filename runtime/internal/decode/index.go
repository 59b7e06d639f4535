package decode

// Index lists the containers of a JSON value, its objects and arrays, in the order in which
// they begin: what a walk along a Go type needs to skip parts, and to make slices and maps of
// the right size. Offsets are from the first byte of the value.
type Index []container

type container struct {
	// end is the offset behind it.
	end int
	// next is the place in the index of the first container that begins behind it.
	next int
	// members is the number of its members.
	members int
}
