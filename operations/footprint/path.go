package footprint

const (
	// longest is the greatest number of names in a path.
	longest = 3
	// mostPaths limits the paths of objects without a Go type, where each key is a name.
	mostPaths = 1000
)

// path is the place of a field in the objects.
type path struct {
	index  int
	parent *path // nil for the object itself
	name   string
	length int
	below  map[string]*path
}

func (p *path) String() string {
	switch {
	case p.parent == nil:
		return "."
	case p.parent.parent == nil:
		return "." + p.name
	}
	return p.parent.String() + "." + p.name
}

// below returns the path of a field, or the struct's path for a field that has no path of its own.
func (w *walk) below(at *path, name string) *path {
	if name == "" || at.length == longest {
		return at
	}
	if p := at.below[name]; p != nil {
		return p
	}
	if len(w.paths) == mostPaths {
		return at
	}
	p := &path{index: len(w.paths), parent: at, name: name, length: at.length + 1}
	w.paths = append(w.paths, p)
	if at.below == nil {
		at.below = map[string]*path{}
	}
	at.below[name] = p
	return p
}
