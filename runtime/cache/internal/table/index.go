package table

import "slices"

// Index says which values objects have.
type Index struct {
	Name string
	// ByNamespace is for the index whose values are the namespaces of the keys.
	ByNamespace bool
	// Values appends those of an object to others, in any order. If it fails, the
	// object has those that it has appended.
	Values func(others []string, obj Object) ([]string, error)
}

// values appends the values of obj to some others: each of them once, and in order,
// so that two states of an object can be compared in one pass.
func (x *Index) values(others []string, key Key, obj Object) ([]string, error) {
	if x.ByNamespace {
		return append(others, key.Namespace), nil
	}
	all, err := x.Values(others, obj)
	if own := all[len(others):]; len(own) > 1 {
		slices.Sort(own)
		all = all[:len(others)+len(slices.Compact(own))]
	}
	return all, err
}
