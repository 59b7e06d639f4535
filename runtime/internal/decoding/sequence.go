package decoding

import "slices"

// Sequence stands for a list of all objects and the watches that continue it, which an informer requests
// one after the other. A source keeps in it the part of the objects that it has listed, for the watches.
// The zero value is ready. One goroutine uses it until the list is complete. After that it does not change.
type Sequence struct {
	kept  map[any]any
	parts []Part
}

// Part is the part of the objects that a source lists.
type Part struct {
	// Excludes reports whether an object is known not to be in the part.
	Excludes func(obj any) bool
	// Changed reports whether the source selects another part now.
	Changed func() bool
}

// Keep notes the part that a source lists, and a value for the later requests.
func (s *Sequence) Keep(source, value any, part Part) {
	if s.kept == nil {
		s.kept = map[any]any{}
	}
	s.kept[source] = value
	s.parts = append(s.parts, part)
}

// Kept returns the value that a source has noted, or nil.
func (s *Sequence) Kept(source any) any { return s.kept[source] }

// Changed reports whether a source now selects another part of the objects than it has listed. A nil
// Sequence stands for all objects.
func (s *Sequence) Changed() bool {
	return s != nil && slices.ContainsFunc(s.parts, func(p Part) bool { return p.Changed() })
}

// Excludes reports whether an object is not in the part that was listed.
func (s *Sequence) Excludes(obj any) bool {
	return s != nil && slices.ContainsFunc(s.parts, func(p Part) bool { return p.Excludes(obj) })
}
