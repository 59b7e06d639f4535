package table

import (
	"slices"
	"strings"
)

// Postings is the state of one index: for each value the objects that have it.
//
// Every row of the table has a place in the posting of each of its values, and every posting knows the row
// of each of its objects. So an object is removed by swapping the last one into its place, whatever the
// posting's length.
type Postings struct {
	Index
	// byValue and its postings are read by readers.
	byValue map[string]*Posting

	// The fields below are for writers only: they may grow without the readers' lock.

	// lists holds the postings. places refer to them by their index. free holds the indexes of postings
	// that no longer exist.
	lists []*Posting
	free  []uint32
	// large counts the postings that take long to copy.
	large int
	// first holds the place of each row's first value.
	first []place
	// rest holds the places of the other values of rows with several values. All
	// places of a row are in the order of the values.
	rest map[uint32][]place
}

// Posting holds the objects of one value, in parallel with their rows.
type Posting struct {
	value   string
	objects Vector
	rows    []uint32
	// number is the posting's index in lists, plus one.
	number uint32
}

// place is the place of an object: its posting, by index in lists plus one, and the position there. The
// zero place is nowhere.
type place struct {
	list, at uint32
}

// newPostings returns an index without objects, with room for size objects.
func newPostings(index Index, size int) *Postings {
	return &Postings{Index: index, byValue: map[string]*Posting{}, first: make([]place, 0, size)}
}

// copy returns postings with the same content in separate memory.
func (p *Postings) copy() *Postings {
	c := &Postings{
		Index:   p.Index,
		byValue: make(map[string]*Posting, len(p.byValue)),
		lists:   make([]*Posting, len(p.lists)),
		free:    slices.Clone(p.free),
		large:   p.large,
		first:   slices.Clone(p.first),
	}
	for i, list := range p.lists {
		if list != nil {
			c.lists[i] = list.copy()
			c.byValue[list.value] = c.lists[i]
		}
	}
	if len(p.rest) > 0 {
		c.rest = make(map[uint32][]place, len(p.rest))
		for row, rest := range p.rest {
			c.rest[row] = slices.Clone(rest)
		}
	}
	return c
}

func (l *Posting) copy() *Posting {
	c := &Posting{value: l.value, rows: slices.Clone(l.rows), number: l.number}
	c.objects.items = slices.Clone(l.objects.items)
	return c
}

// Find returns the posting of a value, or nil.
func (p *Postings) Find(value string) *Posting { return p.byValue[value] }

// Values returns the values that objects have, in no order.
func (p *Postings) Values() []string {
	values := make([]string, 0, len(p.byValue))
	for value := range p.byValue {
		values = append(values, value)
	}
	return values
}

// Objects returns the objects.
func (l *Posting) Objects() *Vector { return &l.objects }

// Rows returns the row of each of the objects.
func (l *Posting) Rows() []uint32 { return l.rows }

// reserve makes room for more rows and more values, if necessary.
func (p *Postings) reserve(rows, values int) {
	if cap(p.first)-len(p.first) < rows {
		p.first = slices.Grow(p.first, rows)
	}
	if cap(p.lists)-len(p.lists) < values {
		p.lists = slices.Grow(p.lists, values)
	}
}

// add adds the object of the next row, which has the given values.
func (p *Postings) add(obj Object, values []string) {
	row := uint32(len(p.first))
	p.first = append(p.first, place{})
	p.enter(row, obj, values)
}

func (p *Postings) enter(row uint32, obj Object, values []string) {
	if len(values) == 0 {
		return
	}
	p.first[row] = p.post(row, obj, values[0])
	if len(values) == 1 {
		return
	}
	rest := make([]place, len(values)-1)
	for i, value := range values[1:] {
		rest[i] = p.post(row, obj, value)
	}
	p.setRest(row, rest)
}

func (p *Postings) setRest(row uint32, rest []place) {
	if p.rest == nil {
		p.rest = map[uint32][]place{}
	}
	p.rest[row] = rest
}

func (p *Postings) post(row uint32, obj Object, value string) place {
	list := p.byValue[value]
	if list == nil {
		list = p.newList(value)
	}
	list.objects.append(obj)
	list.rows = append(list.rows, row)
	if len(list.rows) == LongCopy+1 {
		p.large++
	}
	return place{list: list.number, at: uint32(len(list.rows) - 1)}
}

func (p *Postings) newList(value string) *Posting {
	// The value may be a part of a large string.
	list := &Posting{value: strings.Clone(value)}
	if n := len(p.free); n > 0 {
		list.number, p.free = p.free[n-1], p.free[:n-1]
		p.lists[list.number-1] = list
	} else {
		p.lists = append(p.lists, list)
		list.number = uint32(len(p.lists))
	}
	p.byValue[list.value] = list
	return list
}

// update replaces the object of row by another with the given values. It changes only the postings whose
// values were added or removed.
func (p *Postings) update(row uint32, obj Object, values []string) {
	if len(p.rest) == 0 && len(values) == 1 {
		p.updateOne(row, obj, values[0])
		return
	}
	switch {
	case p.same(row, values):
		p.replace(p.first[row], obj)
		for _, at := range p.rest[row] {
			p.replace(at, obj)
		}
	case len(values) < 2 && len(p.rest[row]) == 0:
		p.leave(row)
		p.enter(row, obj, values)
	default:
		p.exchange(row, obj, values)
	}
}

// updateOne is update for an index with at most one value for each object.
func (p *Postings) updateOne(row uint32, obj Object, value string) {
	first := p.first[row]
	if first.list != 0 {
		list := p.lists[first.list-1]
		if list.value == value {
			list.objects.set(first.at, obj)
			return
		}
		p.unpost(first)
	}
	p.first[row] = p.post(row, obj, value)
}

func (p *Postings) replace(at place, obj Object) {
	if at.list != 0 {
		p.lists[at.list-1].objects.set(at.at, obj)
	}
}

// exchange is update if one of several values was added or removed.
func (p *Postings) exchange(row uint32, obj Object, values []string) {
	places := make([]place, 0, len(values))
	p.compare(row, values, func(at place, value string, stays bool) {
		switch {
		case at.list == 0:
			places = append(places, p.post(row, obj, value))
		case stays:
			p.replace(at, obj)
			places = append(places, at)
		default:
			// A place of row can't move meanwhile: they are in different postings.
			p.unpost(at)
		}
	})
	p.first[row] = place{}
	delete(p.rest, row)
	if len(places) > 0 {
		p.first[row] = places[0]
	}
	if len(places) > 1 {
		p.setRest(row, places[1:])
	}
}

// same reports whether row has exactly these values.
func (p *Postings) same(row uint32, values []string) bool {
	first := p.first[row]
	if first.list == 0 {
		return len(values) == 0
	}
	rest := p.rest[row]
	if len(values) != 1+len(rest) || values[0] != p.valueAt(first) {
		return false
	}
	for i, at := range rest {
		if p.valueAt(at) != values[i+1] {
			return false
		}
	}
	return true
}

// sameOne is same for an index with at most one value for each object.
func (p *Postings) sameOne(row uint32, values []string) bool {
	first := p.first[row]
	if first.list == 0 || len(values) == 0 {
		return first.list == 0 && len(values) == 0
	}
	return values[0] == p.valueAt(first)
}

func (p *Postings) valueAt(at place) string { return p.lists[at.list-1].value }

// compare visits the values that row has and the given ones, in the order of the values. For a value that
// row has, visit gets its place, and whether it is among the given ones. For a given value that row does
// not have, the place is zero.
func (p *Postings) compare(row uint32, values []string, visit func(at place, value string, stays bool)) {
	had := func(at place) {
		value := p.valueAt(at)
		for len(values) > 0 && values[0] < value {
			visit(place{}, values[0], true)
			values = values[1:]
		}
		stays := len(values) > 0 && values[0] == value
		if stays {
			values = values[1:]
		}
		visit(at, value, stays)
	}
	if first := p.first[row]; first.list != 0 {
		had(first)
		for _, at := range p.rest[row] {
			had(at)
		}
	}
	for _, value := range values {
		visit(place{}, value, true)
	}
}

// leave removes the object of row from all its postings.
func (p *Postings) leave(row uint32) {
	if first := p.first[row]; first.list != 0 {
		p.unpost(first)
		p.first[row] = place{}
	}
	if len(p.rest) == 0 {
		return
	}
	// A place in rest can't move meanwhile: the places of one row are in
	// different postings.
	for _, at := range p.rest[row] {
		p.unpost(at)
	}
	delete(p.rest, row)
}

func (p *Postings) unpost(from place) {
	list := p.lists[from.list-1]
	last := uint32(len(list.rows) - 1)
	if from.at != last {
		moved := list.rows[last]
		list.rows[from.at] = moved
		p.move(moved, from)
	}
	list.rows = list.rows[:last]
	if last == LongCopy {
		p.large--
	}
	list.objects.swapRemove(from.at)
	if last == 0 {
		delete(p.byValue, list.value)
		p.lists[from.list-1] = nil
		p.free = append(p.free, from.list)
	}
}

// move notes another place of row's object in its posting.
func (p *Postings) move(row uint32, to place) {
	if p.first[row].list == to.list {
		p.first[row] = to
		return
	}
	rest := p.rest[row]
	at, _ := slices.BinarySearchFunc(rest, p.valueAt(to), func(at place, value string) int {
		return strings.Compare(p.valueAt(at), value)
	})
	rest[at] = to
}

// remove removes the object of row. The last row then becomes row.
func (p *Postings) remove(row uint32) {
	p.leave(row)
	last := uint32(len(p.first) - 1)
	if row != last {
		p.rename(last, row)
	}
	p.first[last] = place{}
	p.first = p.first[:last]
}

func (p *Postings) rename(from, to uint32) {
	first := p.first[from]
	if first.list == 0 {
		return
	}
	p.first[to] = first
	p.lists[first.list-1].rows[first.at] = to
	if len(p.rest) == 0 {
		return
	}
	if rest, ok := p.rest[from]; ok {
		for _, at := range rest {
			p.lists[at.list-1].rows[at.at] = to
		}
		p.rest[to] = rest
		delete(p.rest, from)
	}
}

// Index computes the values of objects.
type Index struct {
	Name string
	// ByNamespace is set for the index whose values are the namespaces of the keys.
	ByNamespace bool
	// Values appends the values of an object to others, in any order. If it fails, the object has the
	// values that it has appended.
	Values func(others []string, obj Object) ([]string, error)
}

// values appends the values of obj to others: each value once, and in order, so that two states of an
// object can be compared in one pass.
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
