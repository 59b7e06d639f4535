package table

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"unique"

	"k8s.io/apimachinery/pkg/types"
)

// keyTable finds the row of a key. It is an open-addressing hash table that leaves the keys in the rows,
// where they are needed anyway. A map would hold each key a second time, which is a third of an object's
// cost.
//
// Changes need the store's write lock. Reads are safe without a lock, but during a change they may see a
// part of it.
type keyTable struct {
	seed uint64
	// rows counts the rows. moves counts how often a key was added or removed: between two moves each key
	// keeps its row. Both need a lock.
	rows  int
	moves uint64
	// namespace is the namespace of the last key, which the next key probably has too.
	namespace unique.Handle[string]
	memory    atomic.Pointer[keyMemory]
}

// keyMemory is the memory for a number of keys. A keyTable replaces it when it is full.
type keyMemory struct {
	// A slot holds a key's hash, in the upper half, and its row plus one. 0 is a free slot. At most four
	// fifths of the slots are taken. The slot of a key is the first free slot from the home of its hash on,
	// at the time when it was added. No slot between the two is free.
	slots []atomic.Uint64
	// keys holds the keys of the rows. A key is never changed.
	keys []atomic.Pointer[rowKey]
}

// rowKey is a key in little memory: a namespace is held once for all its keys.
type rowKey struct {
	namespace unique.Handle[string]
	name      string
}

func (k *rowKey) is(key Key) bool {
	return k.name == key.Name && k.namespace.Value() == key.Namespace
}

// Hash returns the hash of a key.
func Hash(seed uint64, key Key) uint32 {
	return uint32(hash(seed, key.Namespace)*odd ^ hash(^seed, key.Name))
}

// minimumRows is the number of keys that the smallest table has room for.
const minimumRows = 6

// init sets up an empty table with room for size keys.
func (t *keyTable) init(size int) {
	t.seed = rand.Uint64()
	t.memory.Store(newKeyMemory(size))
}

func newKeyMemory(rows int) *keyMemory {
	rows = max(rows, minimumRows)
	return &keyMemory{
		slots: make([]atomic.Uint64, rows+rows/4+1),
		keys:  make([]atomic.Pointer[rowKey], rows),
	}
}

// find returns the row of key, if it has one.
func (t *keyTable) find(key Key) (row uint32, ok bool) {
	return t.findHash(Hash(t.seed, key), key)
}

// findHash is find with the hash of key.
func (t *keyTable) findHash(hash uint32, key Key) (row uint32, ok bool) {
	m := t.memory.Load()
	i := m.home(hash)
	for range m.slots { // during a change, there may be no free slot to end at
		slot := m.slots[i].Load()
		if slot == 0 {
			break
		}
		if uint32(slot>>32) == hash {
			row = uint32(slot) - 1
			if k := m.keys[row].Load(); k != nil && k.is(key) {
				return row, true
			}
		}
		i = m.after(i)
	}
	return 0, false
}

// key returns the key of a row, which must exist.
func (t *keyTable) key(row uint32) Key {
	k := t.memory.Load().keys[row].Load()
	return Key{Namespace: k.namespace.Value(), Name: k.name}
}

// reserve makes room for more keys. It needs only the writers' lock: readers find the same in the old
// memory and in the new one, until a change, after which they look again.
func (t *keyTable) reserve(more int) {
	m := t.memory.Load()
	if n := t.rows + more; n > len(m.keys) {
		t.memory.Store(m.copy(max(n, len(m.keys)+len(m.keys)/2)))
	}
}

// append adds a new key with the given hash as the next row.
func (t *keyTable) append(key Key, hash uint32) {
	t.reserve(1)
	m := t.memory.Load()
	if t.rows == 0 || t.namespace.Value() != key.Namespace {
		t.namespace = unique.Make(key.Namespace)
	}
	m.keys[t.rows].Store(&rowKey{namespace: t.namespace, name: key.Name})
	t.rows++
	t.moves++
	m.place(hash, uint32(t.rows))
}

// swapRemove removes the key of row, which has the given hash, and gives row to the last key.
func (t *keyTable) swapRemove(row, hash uint32) {
	m := t.memory.Load()
	m.free(m.slotOf(row, hash))
	t.rows--
	t.moves++
	last := uint32(t.rows)
	if row != last {
		slot := &m.slots[m.slotOf(last, Hash(t.seed, t.key(last)))]
		slot.Store(slot.Load()>>32<<32 | uint64(row+1))
		m.keys[row].Store(m.keys[last].Load())
	}
	m.keys[last].Store(nil)
}

// slotOf returns the slot of the key of row, which has the given hash.
func (m *keyMemory) slotOf(row, hash uint32) int {
	i := m.home(hash)
	for uint32(m.slots[i].Load()) != row+1 {
		i = m.after(i)
	}
	return i
}

// home returns the slot at which the search for a key starts.
func (m *keyMemory) home(hash uint32) int {
	return int(uint64(hash) * uint64(len(m.slots)) >> 32)
}

func (m *keyMemory) after(i int) int {
	if i++; i < len(m.slots) {
		return i
	}
	return 0
}

// distance returns the number of steps from one slot to another.
func (m *keyMemory) distance(from, to int) int {
	if from <= to {
		return to - from
	}
	return to - from + len(m.slots)
}

// place stores the key of a row, given as the row plus one, in its slot.
func (m *keyMemory) place(hash, number uint32) {
	i := m.home(hash)
	for m.slots[i].Load() != 0 {
		i = m.after(i)
	}
	m.slots[i].Store(uint64(hash)<<32 | uint64(number))
}

// copy returns memory with the same keys and room for the given number of rows.
func (m *keyMemory) copy(rows int) *keyMemory {
	c := newKeyMemory(rows)
	for row := range m.keys {
		c.keys[row].Store(m.keys[row].Load())
	}
	same := len(c.slots) == len(m.slots)
	for i := range m.slots {
		slot := m.slots[i].Load()
		switch {
		case slot == 0:
		case same:
			c.slots[i].Store(slot)
		default:
			c.place(uint32(slot>>32), uint32(slot))
		}
	}
	return c
}

// free empties slot i and closes the gap: every later slot up to the next free one moves up if it may.
func (m *keyMemory) free(i int) {
	for j := m.after(i); ; j = m.after(j) {
		slot := m.slots[j].Load()
		if slot == 0 {
			break
		}
		// The key at j may stand at i unless its home lies between.
		if m.distance(m.home(uint32(slot>>32)), j) >= m.distance(i, j) {
			m.slots[i].Store(slot)
			i = j
		}
	}
	m.slots[i].Store(0)
}

// Key identifies an object of a table.
type Key = types.NamespacedName

// hash is wyhash, for short strings such as the parts of keys. It makes Get a quarter faster than with
// hash/maphash, whose calls go through a pointer.
func hash(seed uint64, s string) uint64 {
	n := len(s)
	seed ^= uint64(n) * odd
	switch {
	case n > 16:
		return hashLong(seed, s)
	case n >= 8:
		return mix(seed^eight(s), secret^eight(s[n-8:]))
	case n >= 4:
		return mix(seed^four(s), secret^four(s[n-4:]))
	case n > 0:
		return mix(seed^uint64(s[0])<<16^uint64(s[n/2])<<8^uint64(s[n-1]), secret)
	}
	return seed
}

func hashLong(seed uint64, s string) uint64 {
	for len(s) > 16 {
		seed = mix(seed^eight(s), secret^eight(s[8:]))
		s = s[16:]
	}
	return hash(seed, s)
}

// secret and odd are random, and differ from process to process. If the secret were known, names could be
// chosen whose hashes are the same for every seed: a factor of zero makes a product of zero.
var secret, odd = rand.Uint64(), rand.Uint64() | 1

func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// eight and four return the first bytes of s as a number, in one load.

func eight(s string) uint64 { return four(s) | four(s[4:])<<32 }

func four(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
