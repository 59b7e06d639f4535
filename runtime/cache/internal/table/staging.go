package table

import (
	"slices"
)

// Staging holds the preparations of a writer for its next changes, before it locks the store: the index
// values of their objects, and memory for everything that grows or must be copied. So the time under the
// lock depends neither on the size of the store nor on user code.
type Staging struct {
	values indexValues
	// found holds the prepared changes. The first taken of them were used.
	found []Found
	taken int
	// moves is the table's number of moves at the last look-up of a key.
	moves uint64
	// moving is true once a change moves a row or a value. Until then all are where they were found.
	moving bool
	// added counts the rows that may be new, and posted the index values that may be new. work counts the
	// postings and objects that change.
	added, posted, work int
	// objects is new memory for the table's objects. large holds the changing postings that take long to
	// copy.
	objects []Object
	large   []room
}

// Found is a prepared change: the hash of its key, and its row plus one, or 0 if it has none. The row is
// right until the table's next move.
type Found struct {
	object       Object
	number, hash uint32
	// same is true for an update that leaves every index unchanged. Its values are not kept. There is at
	// most one in each index.
	same bool
}

func (k Found) row() (row uint32, existed bool) { return k.number - 1, k.number > 0 }

// room is new memory for a posting. It has none if the posting needs none.
type room struct {
	list    *Posting
	objects []Object
	rows    []uint32
}

const (
	// LongCopy limits how many elements are copied under the lock.
	LongCopy = 1 << 15
	// LongWork limits the work under the lock, except for the change of a single object.
	LongWork = 8192
)

// Add prepares one of several changes.
func (s *Staging) Add(t *Table, remove bool, key Key, obj Object) {
	if remove {
		s.found = append(s.found, s.Delete(t, key))
	} else {
		s.found = append(s.found, s.Set(t, key, obj))
	}
}

// Next returns what Add prepared for the next change.
func (s *Staging) Next() Found {
	s.taken++
	return s.found[s.taken-1]
}

// Set prepares a change that stores obj under key.
func (s *Staging) Set(t *Table, key Key, obj Object) Found {
	found := s.find(t, key)
	found.object = obj
	row, existed := found.row()
	if !existed {
		s.added++
	}
	before, same := s.values.mark(), existed && !s.moving
	for _, index := range t.indexes {
		from := len(s.values.values)
		t.compute(index, key, obj, &s.values)
		values := s.values.values[from:]
		switch {
		case index.large == 0 && len(values) < 2 && len(index.rest) == 0:
			s.work += 2
			if !existed || !index.sameOne(row, values) {
				// Only a place must be prepared, and in most cases there is one.
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
		s.values.truncate(before)
	} else {
		s.moving = true
	}
	return found
}

// Delete prepares the removal of the object of key.
func (s *Staging) Delete(t *Table, key Key) Found {
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
func (s *Staging) find(t *Table, key Key) Found {
	s.work++
	s.moves = t.moves
	found := Found{hash: Hash(t.seed, key)}
	if row, existed := t.findHash(found.hash, key); existed {
		found.number = row + 1
	}
	return found
}

// row returns the present row of a key that was found.
func (s *Staging) row(t *Table, key Key, found Found) (row uint32, existed bool) {
	if t.moves != s.moves {
		return t.findHash(found.hash, key)
	}
	return found.row()
}

// CommitSet makes a change prepared by Set. The caller holds the lock.
func (s *Staging) CommitSet(t *Table, key Key, found Found) (old Object, existed bool) {
	row, existed := s.row(t, key, found)
	if found.same {
		return t.replace(row, found.object), true
	}
	return t.put(row, existed, key, found.hash, found.object, &s.values), existed
}

// CommitDelete makes a change prepared by Delete. The caller holds the lock.
func (s *Staging) CommitDelete(t *Table, key Key, found Found) (old Object, existed bool) {
	row, existed := s.row(t, key, found)
	if existed {
		old = t.remove(row, found.hash)
	}
	return old, existed
}

func (s *Staging) change(index *Postings, row uint32, values []string) {
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

func (s *Staging) post(index *Postings, value string) {
	s.work++
	if list := index.Find(value); list != nil {
		s.touch(list)
		return
	}
	s.posted++
}

// touch notes that a posting will change.
func (s *Staging) touch(list *Posting) {
	if len(list.rows) <= LongCopy {
		return
	}
	for i := range s.large {
		if s.large[i].list == list {
			return
		}
	}
	s.large = append(s.large, room{list: list})
}

// Prepare allocates memory for everything that must not grow or be copied under the lock.
func (s *Staging) Prepare(t *Table) {
	if s.added > 0 {
		t.keyTable.reserve(s.added)
	}
	if s.added > 0 || s.posted > 0 {
		for _, index := range t.indexes {
			index.reserve(s.added, s.posted)
		}
	}
	if s.objects == nil && t.objects.Len() > LongCopy && t.objects.mustMove(s.added) {
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

// Install gives t its new memory. It fails, and changes nothing, if since Prepare a snapshot was taken of
// something large: then there is more to prepare. The caller holds the lock.
func (s *Staging) Install(t *Table) bool {
	if s.objects == nil && t.objects.Len() > LongCopy && t.objects.shared.Load() {
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

// Work counts the prepared changes of objects and postings.
func (s *Staging) Work() int { return s.work }

// Reset empties the staging.
func (s *Staging) Reset() {
	s.values.reset()
	clear(s.found)
	if s.found, s.taken = s.found[:0], 0; cap(s.found) > longScratch {
		s.found = nil
	}
	s.added, s.posted, s.work, s.moving = 0, 0, 0, false
	s.objects, s.large = nil, nil
}

// indexValues holds the values of objects in each of the indexes, in order. User code computes them before
// the store is locked. The zero value is empty.
type indexValues struct {
	values []string
	// ends holds the end of the values of each object and index. The next one to take is number taken, and
	// its values begin at from.
	ends        []int
	taken, from int
}

// longScratch limits how much memory is kept for the next use.
const longScratch = 1024

// fewValues is the largest number of values that are not cleared, since that would take longer: the next
// values overwrite them.
const fewValues = 8

// add adds the values of the next object and index. all is values with these appended.
func (v *indexValues) add(all []string) {
	v.values = all
	v.ends = append(v.ends, len(all))
}

// mark returns the present size, for truncate.
func (v *indexValues) mark() (mark [2]int) { return [2]int{len(v.values), len(v.ends)} }

// truncate removes everything that was added since the mark.
func (v *indexValues) truncate(mark [2]int) {
	v.values, v.ends = v.values[:mark[0]], v.ends[:mark[1]]
}

// take returns the values of the next object and index, in the order of their addition.
func (v *indexValues) take() []string {
	from, to := v.from, v.ends[v.taken]
	v.from = to
	v.taken++
	return v.values[from:to]
}

// reset removes all values.
func (v *indexValues) reset() {
	if len(v.values) > fewValues {
		clear(v.values)
	}
	v.values, v.ends = v.values[:0], v.ends[:0]
	v.taken, v.from = 0, 0
	if cap(v.values) > longScratch || cap(v.ends) > longScratch {
		*v = indexValues{}
	}
}
