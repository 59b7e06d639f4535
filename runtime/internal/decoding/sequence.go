package decoding

// Sequence is a list of all objects and the watches that continue it, which an informer requests one
// after the other. A source keeps there the part of the objects that it has listed, for the watches. The
// zero value is ready. One goroutine uses it at a time.
type Sequence struct {
	kept     map[any]any
	excludes []func(obj any) bool
}

// Keep notes a value of a source for the later requests. Excludes reports whether a stored object is not
// in the part that is listed.
func (s *Sequence) Keep(source, value any, excludes func(obj any) bool) {
	if s.kept == nil {
		s.kept = map[any]any{}
	}
	s.kept[source] = value
	s.excludes = append(s.excludes, excludes)
}

// Kept returns the value that a source has noted, nil if there is none.
func (s *Sequence) Kept(source any) any { return s.kept[source] }

// Excludes reports whether a stored object is not in the part of the objects that was listed.
func (s *Sequence) Excludes(obj any) bool {
	for _, excludes := range s.excludes {
		if excludes(obj) {
			return true
		}
	}
	return false
}
