// Package table holds objects by key, and finds them by their values in indexes. It is the core of a
// runtime/cache store, without the locks. It does not depend on the type of the objects, and is compiled
// once for all types: an object is one word, see Form. It uses nothing of Kubernetes but the two parts of a
// key.
//
// A Table has rows of objects, keys and postings. A Staging prepares changes while other goroutines read
// the table. Then it makes them under the lock of the store, in little time. A Vector can be handed out as
// a snapshot without a copy.
package table

import (
	"fmt"
	"iter"
	"slices"
)

// Table has rows of objects in the order in which they were added, their keys, and the indexes. If a row is
// removed, the last row takes its place.
//
// Changes need the store's write lock, and reads its read lock. Load needs no lock.
type Table struct {
	keyTable
	objects column
	indexes []*Postings
	// Failed is called for an index function that failed. It must be set.
	Failed func(index string, key Key, err error)
}

// New returns an empty table with room for size objects.
func New(size int, failed func(index string, key Key, err error)) *Table {
	t := &Table{Failed: failed}
	t.objects.items = make([]Object, 0, size)
	t.keyTable.init(size)
	return t
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// Find returns the row of a key, if it has one.
func (t *Table) Find(key Key) (row uint32, ok bool) { return t.find(key) }

// At returns the object of a row.
func (t *Table) At(row uint32) Object { return t.objects.items[row] }

// Key returns the key of a row.
func (t *Table) Key(row uint32) Key { return t.key(row) }

// Objects returns all objects.
func (t *Table) Objects() *Vector { return &t.objects.Vector }

// Get returns the object of a key.
func (t *Table) Get(key Key) (obj Object, ok bool) {
	row, ok := t.find(key)
	if !ok {
		return nil, false
	}
	return t.objects.items[row], true
}

// Load is Get without a lock. During a change it may return anything, which must not be used.
func (t *Table) Load(key Key) (obj Object, ok bool) {
	row, ok := t.findHash(Hash(t.seed, key), key)
	if !ok {
		return nil, false
	}
	return t.objects.load(row), true
}

// set stores obj under key. Its values are the next ones of values.
func (t *Table) set(key Key, obj Object, values *indexValues) {
	hash := Hash(t.seed, key)
	row, existed := t.findHash(hash, key)
	t.put(row, existed, key, hash, obj, values)
}

// put is set with a known hash and row of key. It returns the replaced object.
func (t *Table) put(row uint32, existed bool, key Key, hash uint32, obj Object, values *indexValues) (old Object) {
	if !existed {
		t.keyTable.append(key, hash)
		t.objects.append(obj)
	} else {
		old = t.objects.items[row]
		t.objects.set(row, obj)
	}
	for _, index := range t.indexes {
		if existed {
			index.update(row, obj, values.take())
		} else {
			index.add(obj, values.take())
		}
	}
	return old
}

// replace replaces the object of row by obj, and returns the old one. Both have the same values, at most
// one in each index.
func (t *Table) replace(row uint32, obj Object) (old Object) {
	old = t.objects.items[row]
	t.objects.set(row, obj)
	for _, index := range t.indexes {
		index.replace(index.first[row], obj)
	}
	return old
}

// compute adds the values of obj in an index.
func (t *Table) compute(index *Postings, key Key, obj Object, values *indexValues) {
	all, err := index.values(values.values, key, obj)
	if err != nil {
		t.Failed(index.Name, key, err)
	}
	values.add(all)
}

func (t *Table) delete(key Key) {
	hash := Hash(t.seed, key)
	if row, existed := t.findHash(hash, key); existed {
		t.remove(row, hash)
	}
}

// remove removes a row, whose key has the given hash, and returns its object.
func (t *Table) remove(row, hash uint32) (old Object) {
	old = t.objects.items[row]
	t.keyTable.swapRemove(row, hash)
	t.objects.swapRemove(row)
	for _, index := range t.indexes {
		index.remove(row)
	}
	return old
}

// Index returns the postings of the index with a name, or nil.
func (t *Table) Index(name string) *Postings {
	for _, index := range t.indexes {
		if index.Name == name {
			return index
		}
	}
	return nil
}

// AddIndexes adds postings made by Build.
func (t *Table) AddIndexes(built ...*Postings) { t.indexes = append(t.indexes, built...) }

// Build makes the postings of a new index from the objects of the table.
func (t *Table) Build(index Index) *Postings {
	p := newPostings(index, t.objects.Len())
	var values indexValues
	for row, obj := range t.objects.items {
		values.reset()
		t.compute(p, t.key(uint32(row)), obj, &values)
		p.add(obj, values.take())
	}
	return p
}

// Rebuilt returns a table of other objects, about size of them, with the indexes of t. If two objects have
// the same key, the later one counts.
func (t *Table) Rebuilt(size int, objects iter.Seq2[Key, Object]) *Table {
	fresh := New(size, t.Failed)
	fresh.seed = t.seed
	for key, obj := range objects {
		fresh.set(key, obj, nil)
	}
	for _, index := range t.indexes {
		fresh.indexes = append(fresh.indexes, fresh.Build(index.Index))
	}
	return fresh
}

// copy returns a table with the same content in separate memory.
func (t *Table) copy() *Table {
	c := &Table{Failed: t.Failed}
	c.seed, c.rows, c.namespace = t.seed, t.rows, t.namespace
	c.memory.Store(t.memory.Load().copy(len(t.memory.Load().keys)))
	c.objects.replace(t.objects.roomier(0))
	for _, index := range t.indexes {
		c.indexes = append(c.indexes, index.copy())
	}
	return c
}

// Mapped returns a copy of t in which of was applied to each object.
func (t *Table) Mapped(of func(Object) Object) *Table {
	c := t.copy()
	for row, obj := range c.objects.items {
		c.objects.items[row] = of(obj)
	}
	for _, index := range c.indexes {
		for _, list := range index.byValue {
			for i, row := range list.rows {
				list.objects.items[i] = c.objects.items[row]
			}
		}
	}
	return c
}

// Change is a change to make: Object replaces the object of Key or, if Delete is true, the object of Key is
// removed.
type Change struct {
	Key    Key
	Object Object
	Delete bool
}

// Patched returns a copy of t with changes.
func (t *Table) Patched(changes iter.Seq[Change]) *Table {
	c := t.copy()
	var values indexValues
	for change := range changes {
		if change.Delete {
			c.delete(change.Key)
			continue
		}
		values.reset()
		for _, index := range c.indexes {
			c.compute(index, change.Key, change.Object, &values)
		}
		c.set(change.Key, change.Object, &values)
	}
	return c
}

// Become gives t the content of fresh, which must have t's seed and must not be used afterwards.
func (t *Table) Become(fresh *Table) {
	t.rows, t.namespace = fresh.rows, fresh.namespace
	t.memory.Store(fresh.memory.Load())
	t.objects.replace(fresh.objects.items)
	t.indexes = fresh.indexes
}

// Check compares the places of all rows with the postings, in both directions. It is for tests.
func (t *Table) Check() error {
	for _, p := range t.indexes {
		places := 0
		for row, obj := range t.objects.items {
			values, err := p.placesOf(uint32(row), obj)
			if err != nil {
				return fmt.Errorf("index %q: row %d: %w", p.Name, row, err)
			}
			places += values
		}
		large := 0
		for _, list := range p.byValue {
			if len(list.rows) != list.objects.Len() {
				return fmt.Errorf("index %q: %q has %d rows and %d objects", p.Name, list.value, len(list.rows), list.objects.Len())
			}
			places -= len(list.rows)
			if len(list.rows) > LongCopy {
				large++
			}
		}
		if places != 0 || len(p.first) != t.rows || large != p.large {
			return fmt.Errorf("index %q: %d places too many, %d rows of %d, %d large postings of %d", p.Name, places, len(p.first), t.rows, p.large, large)
		}
	}
	return nil
}

// placesOf returns the number of values of a row, and an error if the row is not at its places.
func (p *Postings) placesOf(row uint32, obj Object) (int, error) {
	var values []string
	var wrong error
	p.compare(row, nil, func(at place, value string, _ bool) {
		values = append(values, value)
		list := p.lists[at.list-1]
		if list != p.Find(value) || list.number != at.list || list.rows[at.at] != row || list.objects.items[at.at] != obj {
			wrong = fmt.Errorf("is not where it is said to be of %q", value)
		}
	})
	if !slices.IsSorted(values) {
		wrong = fmt.Errorf("has its values in the order %q", values)
	}
	return len(values), wrong
}
