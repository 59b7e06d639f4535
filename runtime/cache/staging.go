package cache

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// staging is what a writer prepares before it locks the store, for the changes that it
// is about to make: the values of their objects in the indexes, and memory for what
// grows or must be copied. Under the lock then nothing is done whose time depends on
// the size of the store or on user code.
type staging[T any] struct {
	values indexValues
	// found is where the keys of several changes are: taken of them were used.
	found []foundKey
	taken int
	// moves is how many moves the table had made when the last key was looked up.
	moves uint64
	// moving is true as soon as a change moves a row or a value: until then all are
	// where they were found.
	moving bool
	// added and posted are how many rows, and values of an index, may be new; work
	// is how many postings change, and objects.
	added, posted, work int
	// objects is new memory for those of the table, and large are the postings that
	// change and that take long to copy.
	objects []T
	large   []room[T]
}

// foundKey is the hash of a key, and its row plus one, or 0 if it has none. The row is
// right until the table makes another move.
type foundKey struct {
	number, hash uint32
	// same is true of an update that leaves every index as it is. Its values, of which
	// there is one in each index at the most, are not kept.
	same bool
}

func (k foundKey) row() (row uint32, existed bool) { return k.number - 1, k.number > 0 }

// room is new memory for a posting; none if it needs none.
type room[T any] struct {
	list    *posting[T]
	objects []T
	rows    []uint32
}

const (
	// longCopy is how many elements are copied under the lock at the most.
	longCopy = 1 << 15
	// longWork is how much work is done under the lock at the most, but for the
	// change of a single object.
	longWork = 8192
)

// add prepares the next one of several changes.
func (s *staging[T]) add(t *table[T], remove bool, key types.NamespacedName, obj T) {
	if remove {
		s.found = append(s.found, s.delete(t, key))
	} else {
		s.found = append(s.found, s.set(t, key, obj))
	}
}

// next returns what add found for the next change.
func (s *staging[T]) next() foundKey {
	s.taken++
	return s.found[s.taken-1]
}

// set prepares that obj becomes the object of key.
func (s *staging[T]) set(t *table[T], key types.NamespacedName, obj T) foundKey {
	found := s.find(t, key)
	row, existed := found.row()
	if !existed {
		s.added++
	}
	before, same := s.values.mark(), existed && !s.moving
	for _, index := range t.indexes {
		from := len(s.values.values)
		t.computeIn(index, key, obj, &s.values)
		values := s.values.values[from:]
		switch {
		case index.large == 0 && len(values) < 2 && len(index.rest) == 0:
			s.work += 2
			if !existed || !index.sameOne(row, values) {
				// There is nothing to prepare but a place, which is mostly there.
				s.posted++
				same = false
			}
		case existed:
			s.change(index, row, values)
			same = false
		default:
			for _, value := range values {
				s.post(index, value)
			}
		}
	}
	if same {
		found.same = true
		s.values.forgetSince(before)
	} else {
		s.moving = true
	}
	return found
}

// delete prepares that the object of key goes.
func (s *staging[T]) delete(t *table[T], key types.NamespacedName) foundKey {
	found := s.find(t, key)
	row, existed := found.row()
	s.moving = true
	if !existed {
		return found
	}
	for _, index := range t.indexes {
		if index.large == 0 && len(index.rest) == 0 {
			s.work++
			continue
		}
		s.change(index, row, nil)
	}
	return found
}

// find finds the row of a key.
func (s *staging[T]) find(t *table[T], key types.NamespacedName) foundKey {
	s.work++
	s.moves = t.moves
	found := foundKey{hash: hashKey(t.seed, key)}
	if row, existed := t.findHash(found.hash, key); existed {
		found.number = row + 1
	}
	return found
}

// row returns the row of a key that was found, where it is now.
func (s *staging[T]) row(t *table[T], key types.NamespacedName, found foundKey) (row uint32, existed bool) {
	if t.moves != s.moves {
		return t.findHash(found.hash, key)
	}
	return found.row()
}

// commitSet makes a change that is a set. The caller holds the lock.
func (s *staging[T]) commitSet(t *table[T], key types.NamespacedName, found foundKey, obj T) (old T, existed bool) {
	row, existed := s.row(t, key, found)
	if found.same {
		return t.replace(row, obj), true
	}
	return t.put(row, existed, key, found.hash, obj, &s.values), existed
}

// commitDelete makes a change that is a deletion. The caller holds the lock.
func (s *staging[T]) commitDelete(t *table[T], key types.NamespacedName, found foundKey) (old T, existed bool) {
	row, existed := s.row(t, key, found)
	if existed {
		old = t.remove(row, found.hash)
	}
	return old, existed
}

func (s *staging[T]) change(index *postings[T], row uint32, values []string) {
	if len(values) == 1 && index.same(row, values) {
		s.touch(index.lists[index.first[row].list-1])
		return
	}
	index.compare(row, values, func(at place, value string, stays bool) {
		if at.list == 0 {
			s.post(index, value)
			return
		}
		s.touch(index.lists[at.list-1])
		if !stays {
			s.work++
		}
	})
}

func (s *staging[T]) post(index *postings[T], value string) {
	s.work++
	if list := index.list(value); list != nil {
		s.touch(list)
		return
	}
	s.posted++
}

// touch notes that a posting changes.
func (s *staging[T]) touch(list *posting[T]) {
	if len(list.rows) <= longCopy {
		return
	}
	for i := range s.large {
		if s.large[i].list == list {
			return
		}
	}
	s.large = append(s.large, room[T]{list: list})
}

// prepare makes new memory for what must not grow or be copied under the lock.
func (s *staging[T]) prepare(t *table[T]) {
	if s.added > 0 {
		t.keyTable.reserve(s.added)
	}
	if s.added > 0 || s.posted > 0 {
		for _, index := range t.indexes {
			index.reserve(s.added, s.posted)
		}
	}
	if s.objects == nil && t.objects.len() > longCopy && t.objects.mustMove(s.added) {
		s.objects = t.objects.roomier(s.added)
	}
	for i := range s.large {
		r := &s.large[i]
		if r.objects == nil && r.list.objects.mustMove(s.added) {
			r.objects = r.list.objects.roomier(s.added)
		}
		if n := len(r.list.rows); r.rows == nil && cap(r.list.rows)-n < s.added {
			r.rows = slices.Grow(r.list.rows[:n:n], s.added)
		}
	}
}

// install makes t take its new memory. It fails, and changes nothing, if a snapshot
// was taken since prepare of something large: then there is more to prepare. The
// caller holds the lock.
func (s *staging[T]) install(t *table[T]) bool {
	if s.objects == nil && t.objects.len() > longCopy && t.objects.shared.Load() {
		return false
	}
	for i := range s.large {
		if r := &s.large[i]; r.objects == nil && r.list.objects.shared.Load() {
			return false
		}
	}
	if s.objects != nil {
		t.objects.replace(s.objects)
	}
	for i := range s.large {
		r := &s.large[i]
		if r.objects != nil {
			r.list.objects.move(r.objects)
		}
		if r.rows != nil {
			r.list.rows = r.rows
		}
	}
	return true
}

// reset forgets everything.
func (s *staging[T]) reset() {
	s.values.reset()
	if s.found, s.taken = s.found[:0], 0; cap(s.found) > longScratch {
		s.found = nil
	}
	s.added, s.posted, s.work, s.moving = 0, 0, 0, false
	s.objects, s.large = nil, nil
}
