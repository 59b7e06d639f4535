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
	// found is where the keys of the changes are: taken of them were used. The rows are
	// right while the table has made so many moves.
	found []foundKey
	taken int
	moves uint64
	// added and posted are how many rows, and values of an index, may be new; work
	// is how many postings change, and objects.
	added, posted, work int
	// objects is new memory for those of the table, and large are the postings that
	// change and that take long to copy.
	objects []T
	large   []room[T]
}

// foundKey is the hash of a key, and its row plus one, or 0 if it has none.
type foundKey struct {
	number, hash uint32
}

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

// add prepares a change.
func (s *staging[T]) add(t *table[T], c *Change[T]) {
	if c.Delete {
		s.delete(t, c.Key)
	} else {
		s.set(t, c.Key, c.Object)
	}
}

// set prepares that obj becomes the object of key.
func (s *staging[T]) set(t *table[T], key types.NamespacedName, obj T) {
	row, existed := s.find(t, key)
	if !existed {
		s.added++
	}
	for _, index := range t.indexes {
		from := len(s.values.values)
		t.computeIn(index, key, obj, &s.values)
		values := s.values.values[from:]
		switch {
		case index.large == 0 && len(values) < 2 && len(index.rest) == 0:
			// There is nothing to prepare but a place, which is mostly there.
			s.posted++
			s.work += 2
		case existed:
			s.change(index, row, values)
		default:
			for _, value := range values {
				s.post(index, value)
			}
		}
	}
}

// delete prepares that the object of key goes.
func (s *staging[T]) delete(t *table[T], key types.NamespacedName) {
	row, existed := s.find(t, key)
	if !existed {
		return
	}
	for _, index := range t.indexes {
		if index.large == 0 && len(index.rest) == 0 {
			s.work++
			continue
		}
		s.change(index, row, nil)
	}
}

// find finds the row of the next change.
func (s *staging[T]) find(t *table[T], key types.NamespacedName) (row uint32, existed bool) {
	s.work++
	s.moves = t.moves
	k := foundKey{hash: hashKey(t.seed, key)}
	if row, existed = t.findHash(k.hash, key); existed {
		k.number = row + 1
	}
	s.found = append(s.found, k)
	return row, existed
}

// take returns what find has found for the next change, or finds it again.
func (s *staging[T]) take(t *table[T], key types.NamespacedName) (row, hash uint32, existed bool) {
	k := s.found[s.taken]
	s.taken++
	if t.moves != s.moves {
		row, existed = t.findHash(k.hash, key)
		return row, k.hash, existed
	}
	return k.number - 1, k.hash, k.number > 0
}

// commitSet makes the next change, which is a set. The caller holds the lock.
func (s *staging[T]) commitSet(t *table[T], key types.NamespacedName, obj T) (old T, existed bool) {
	row, hash, existed := s.take(t, key)
	return t.put(row, existed, key, hash, obj, &s.values), existed
}

// commitDelete makes the next change, which is a deletion. The caller holds the lock.
func (s *staging[T]) commitDelete(t *table[T], key types.NamespacedName) (old T, existed bool) {
	row, hash, existed := s.take(t, key)
	if existed {
		old = t.remove(row, hash)
	}
	return old, existed
}

// commit makes the next change. The caller holds the lock.
func (s *staging[T]) commit(t *table[T], c *Change[T]) {
	if c.Delete {
		s.commitDelete(t, c.Key)
	} else {
		s.commitSet(t, c.Key, c.Object)
	}
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
	s.added, s.posted, s.work = 0, 0, 0
	s.objects, s.large = nil, nil
}
