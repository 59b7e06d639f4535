package cache

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// postings is one index at work: for each value the objects that have it.
//
// Every row of the table has a place in the posting of each of its values, and
// every posting knows the row of each of its objects, so that an object leaves
// by swapping the last one into its place, whatever the posting's length.
type postings[T any] struct {
	Index[T]
	// lists holds the postings, in places that others name; free are those of
	// postings that are no more.
	lists   []*posting[T]
	free    []uint32
	byValue map[string]uint32
	// first holds the place of each row's first value.
	first []place
	// rest holds the places of the other values of rows that have several.
	rest map[uint32][]place
}

// posting holds the objects of one value, in parallel with their rows.
type posting[T any] struct {
	value   string
	objects vector[T]
	rows    []uint32
}

// place is where an object stands: in which posting, as its number in lists
// plus one, and where in it. The zero place is nowhere.
type place struct {
	list, at uint32
}

// newPostings returns an index without objects, with room for size.
func newPostings[T any](index Index[T], size int) *postings[T] {
	return &postings[T]{Index: index, byValue: map[string]uint32{}, first: make([]place, 0, size)}
}

// list returns the posting of value, or nil.
func (p *postings[T]) list(value string) *posting[T] {
	if list, ok := p.byValue[value]; ok {
		return p.lists[list-1]
	}
	return nil
}

// values computes the values of obj, each of them once. A single one comes
// back in one, so that it costs no allocation. A panic of the function is an
// error.
func (p *postings[T]) values(key types.NamespacedName, obj T, one *[1]string) (values []string, err error) {
	if p.namespace {
		one[0] = key.Namespace
		return one[:], nil
	}
	defer catch(&err)
	if p.Value != nil {
		one[0] = p.Value(obj)
		return one[:], nil
	}
	values, err = p.Values(obj)
	if err != nil || len(values) < 2 {
		return values, err
	}
	return distinct(values), nil
}

// distinct returns values without repetitions, in their order. The slice of the
// caller is left as it is.
func distinct(values []string) []string {
	seen := make(map[string]bool, len(values))
	out := make([]string, 0, len(values))
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// add enters the object of the next row, which has the given values.
func (p *postings[T]) add(obj T, values []string) {
	row := uint32(len(p.first))
	p.first = append(p.first, place{})
	p.enter(row, obj, values)
}

func (p *postings[T]) enter(row uint32, obj T, values []string) {
	for i, value := range values {
		at := p.post(row, obj, value)
		if i == 0 {
			p.first[row] = at
			continue
		}
		if p.rest == nil {
			p.rest = map[uint32][]place{}
		}
		p.rest[row] = append(p.rest[row], at)
	}
}

func (p *postings[T]) post(row uint32, obj T, value string) place {
	number, ok := p.byValue[value]
	if !ok {
		number = p.newList(value)
	}
	list := p.lists[number-1]
	list.objects.append(obj)
	list.rows = append(list.rows, row)
	return place{list: number, at: uint32(len(list.rows) - 1)}
}

func (p *postings[T]) newList(value string) (number uint32) {
	if n := len(p.free); n > 0 {
		number, p.free = p.free[n-1], p.free[:n-1]
	} else {
		p.lists = append(p.lists, nil)
		number = uint32(len(p.lists))
	}
	// The value may be a part of something large.
	value = strings.Clone(value)
	p.lists[number-1] = &posting[T]{value: value}
	p.byValue[value] = number
	return number
}

// update replaces the object of row by another with the given values.
func (p *postings[T]) update(row uint32, obj T, values []string) {
	if !p.same(row, values) {
		p.leave(row)
		p.enter(row, obj, values)
		return
	}
	if first := p.first[row]; first.list != 0 {
		p.lists[first.list-1].objects.set(first.at, obj)
	}
	for _, at := range p.rest[row] {
		p.lists[at.list-1].objects.set(at.at, obj)
	}
}

// same reports whether row has just these values, in this order: an index
// function that returns them in another one costs a little time.
func (p *postings[T]) same(row uint32, values []string) bool {
	first := p.first[row]
	if first.list == 0 {
		return len(values) == 0
	}
	rest := p.rest[row]
	if len(values) != 1+len(rest) || values[0] != p.lists[first.list-1].value {
		return false
	}
	for i, at := range rest {
		if p.lists[at.list-1].value != values[i+1] {
			return false
		}
	}
	return true
}

// leave takes the object of row out of all its postings.
func (p *postings[T]) leave(row uint32) {
	if first := p.first[row]; first.list != 0 {
		p.unpost(first)
		p.first[row] = place{}
	}
	// A place in rest can't move meanwhile: the places of one row are in
	// different postings.
	for _, at := range p.rest[row] {
		p.unpost(at)
	}
	delete(p.rest, row)
}

func (p *postings[T]) unpost(from place) {
	list := p.lists[from.list-1]
	last := uint32(len(list.rows) - 1)
	if from.at != last {
		moved := list.rows[last]
		list.rows[from.at] = moved
		p.move(moved, from)
	}
	list.rows = list.rows[:last]
	list.objects.swapRemove(from.at)
	if last == 0 {
		delete(p.byValue, list.value)
		p.lists[from.list-1] = nil
		p.free = append(p.free, from.list)
	}
}

// move notes that the object of row stands at another place of its posting.
func (p *postings[T]) move(row uint32, to place) {
	if p.first[row].list == to.list {
		p.first[row] = to
		return
	}
	for i := range p.rest[row] {
		if p.rest[row][i].list == to.list {
			p.rest[row][i] = to
			return
		}
	}
}

// remove takes out the object of row; the last row then becomes row.
func (p *postings[T]) remove(row uint32) {
	p.leave(row)
	last := uint32(len(p.first) - 1)
	if row != last {
		p.rename(last, row)
	}
	p.first[last] = place{}
	p.first = p.first[:last]
}

func (p *postings[T]) rename(from, to uint32) {
	first := p.first[from]
	if first.list == 0 {
		return
	}
	p.first[to] = first
	p.lists[first.list-1].rows[first.at] = to
	if rest, ok := p.rest[from]; ok {
		for _, at := range rest {
			p.lists[at.list-1].rows[at.at] = to
		}
		p.rest[to] = rest
		delete(p.rest, from)
	}
}
