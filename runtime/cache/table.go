package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// table is the data of a store, without its locks: rows of objects in the
// order in which they came, their keys, and the indexes. Removing a row fills
// it with the last one.
type table[T any] struct {
	keyTable
	objects column[T]
	indexes []*postings[T]
	// complain is told of an index function that failed.
	complain func(error)
}

func newTable[T any](size int, complain func(error)) *table[T] {
	t := &table[T]{objects: newColumn[T](size), complain: complain}
	t.keyTable.init(size)
	return t
}

func (t *table[T]) get(key types.NamespacedName) (obj T, ok bool) {
	row, ok := t.find(key)
	if !ok {
		return obj, false
	}
	return t.objects.items[row], true
}

// set makes obj, whose values are the next ones, the object of key and returns the one
// that it replaces.
func (t *table[T]) set(key types.NamespacedName, obj T, values *indexValues) (old T, existed bool) {
	hash := hashKey(t.seed, key)
	row, existed := t.findHash(hash, key)
	return t.put(row, existed, key, hash, obj, values), existed
}

// put is set where it is known whether key has a row, and which, and its hash.
func (t *table[T]) put(row uint32, existed bool, key types.NamespacedName, hash uint32, obj T, values *indexValues) (old T) {
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

// replace makes obj the object of row, which has the same values as the one before it,
// one in each index at the most, and returns that one.
func (t *table[T]) replace(row uint32, obj T) (old T) {
	old = t.objects.items[row]
	t.objects.set(row, obj)
	for _, index := range t.indexes {
		index.replace(index.first[row], obj)
	}
	return old
}

// change makes one change. The values of an object that is set are the next ones.
func (t *table[T]) change(c *Change[T], values *indexValues) {
	if c.Delete {
		t.delete(c.Key)
	} else {
		t.set(c.Key, c.Object, values)
	}
}

// compute adds the values of obj in each index.
func (t *table[T]) compute(key types.NamespacedName, obj T, values *indexValues) {
	for _, index := range t.indexes {
		t.computeIn(index, key, obj, values)
	}
}

func (t *table[T]) computeIn(index *postings[T], key types.NamespacedName, obj T, values *indexValues) {
	all, err := index.values(values.values, key, obj)
	if err != nil {
		t.complain(fmt.Errorf("index %q: %w", index.Name, &ObjectError{Object: keyString(key), Err: err}))
	}
	values.add(all)
}

func (t *table[T]) delete(key types.NamespacedName) (old T, existed bool) {
	hash := hashKey(t.seed, key)
	row, existed := t.findHash(hash, key)
	if existed {
		old = t.remove(row, hash)
	}
	return old, existed
}

// remove takes out a row, whose key has that hash, and returns its object.
func (t *table[T]) remove(row, hash uint32) (old T) {
	old = t.objects.items[row]
	t.keyTable.swapRemove(row, hash)
	t.objects.swapRemove(row)
	for _, index := range t.indexes {
		index.remove(row)
	}
	return old
}

// index returns the postings of the index of that name, or nil.
func (t *table[T]) index(name string) *postings[T] {
	for _, index := range t.indexes {
		if index.Name == name {
			return index
		}
	}
	return nil
}

// build makes the postings of a new index from the objects of the table.
func (t *table[T]) build(index Index[T]) *postings[T] {
	p := newPostings(index, t.objects.len())
	var values indexValues
	for row, obj := range t.objects.items {
		values.reset()
		t.computeIn(p, t.key(uint32(row)), obj, &values)
		p.add(obj, values.take())
	}
	return p
}

// rebuilt returns a table of other items, with the indexes of t. Of two items
// with the same key the later one counts.
func (t *table[T]) rebuilt(items []item[T]) *table[T] {
	fresh := newTable[T](len(items), t.complain)
	fresh.seed = t.seed
	for i := range items {
		fresh.set(items[i].key, items[i].obj, nil)
	}
	for _, index := range t.indexes {
		fresh.indexes = append(fresh.indexes, fresh.build(index.Index))
	}
	return fresh
}

// copy returns a table with the same content and memory of its own.
func (t *table[T]) copy() *table[T] {
	c := &table[T]{complain: t.complain}
	c.seed, c.rows, c.namespace = t.seed, t.rows, t.namespace
	c.memory.Store(t.memory.Load().copy(len(t.memory.Load().keys)))
	c.objects.isWords = t.objects.isWords
	c.objects.replace(t.objects.roomier(0))
	for _, index := range t.indexes {
		c.indexes = append(c.indexes, index.copy())
	}
	return c
}

// patched returns a copy of t with changes.
func (t *table[T]) patched(changes []Change[T]) *table[T] {
	c := t.copy()
	var values indexValues
	for i := range changes {
		change := &changes[i]
		values.reset()
		if !change.Delete {
			c.compute(change.Key, change.Object, &values)
		}
		c.change(change, &values)
	}
	return c
}

// become gives t the content of fresh, which has its seed and which nobody else has.
func (t *table[T]) become(fresh *table[T]) {
	t.rows, t.namespace = fresh.rows, fresh.namespace
	t.memory.Store(fresh.memory.Load())
	t.objects.replace(fresh.objects.items)
	t.indexes = fresh.indexes
}
