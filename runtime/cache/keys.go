package cache

import (
	"hash/maphash"

	"k8s.io/apimachinery/pkg/types"
)

// keyTable finds the row of a key: an open-addressing hash table that leaves
// the keys themselves in the rows, where they are needed anyway. A map would
// hold each a second time, which is a third of what an object costs.
type keyTable struct {
	seed maphash.Seed
	// keys are those of the rows.
	keys []types.NamespacedName
	// slots has a power of two of elements, at most seven eighths of them
	// taken. A key stands in the first slot from that of its hash on that was
	// free when it came, and no slot between the two is free.
	slots []keySlot
}

// keySlot holds a part of a key's hash, and its row plus one; 0 is a free slot.
type keySlot struct {
	hash, row uint32
}

// minimumSlots is the size of a table with few keys.
const minimumSlots = 8

func newKeyTable(size int) keyTable {
	t := keyTable{seed: maphash.MakeSeed(), keys: make([]types.NamespacedName, 0, size)}
	slots := minimumSlots
	for size > slots/8*7 {
		slots *= 2
	}
	t.slots = make([]keySlot, slots)
	return t
}

func (t *keyTable) hash(key types.NamespacedName) uint32 {
	return uint32(maphash.Comparable(t.seed, key))
}

// row returns the row of key, if it has one.
func (t *keyTable) row(key types.NamespacedName) (uint32, bool) {
	hash, mask := t.hash(key), uint32(len(t.slots)-1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch slot := t.slots[i]; {
		case slot.row == 0:
			return 0, false
		case slot.hash == hash && t.keys[slot.row-1] == key:
			return slot.row - 1, true
		}
	}
}

// append gives key, which must be new, the next row.
func (t *keyTable) append(key types.NamespacedName) {
	if len(t.keys) >= len(t.slots)/8*7 {
		t.grow()
	}
	t.keys = append(t.keys, key)
	t.place(keySlot{hash: t.hash(key), row: uint32(len(t.keys))})
}

func (t *keyTable) place(slot keySlot) {
	mask := uint32(len(t.slots) - 1)
	i := slot.hash & mask
	for t.slots[i].row != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = slot
}

func (t *keyTable) grow() {
	old := t.slots
	t.slots = make([]keySlot, 2*len(old))
	for _, slot := range old {
		if slot.row != 0 {
			t.place(slot)
		}
	}
}

// swapRemove takes out the key of row and gives row to the last key.
func (t *keyTable) swapRemove(row uint32) {
	t.free(t.slotOf(row))
	last := uint32(len(t.keys) - 1)
	if row != last {
		t.slots[t.slotOf(last)].row = row + 1
		t.keys[row] = t.keys[last]
	}
	t.keys[last] = types.NamespacedName{}
	t.keys = t.keys[:last]
}

// slotOf returns the slot of the key of row.
func (t *keyTable) slotOf(row uint32) uint32 {
	mask := uint32(len(t.slots) - 1)
	i := t.hash(t.keys[row]) & mask
	for t.slots[i].row != row+1 {
		i = (i + 1) & mask
	}
	return i
}

// free empties slot i and closes the gap: every later slot up to the next free
// one moves up if it may.
func (t *keyTable) free(i uint32) {
	mask := uint32(len(t.slots) - 1)
	for j := (i + 1) & mask; t.slots[j].row != 0; j = (j + 1) & mask {
		// The key at j may stand at i unless its own place lies between.
		if home := t.slots[j].hash & mask; (j-home)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = keySlot{}
}
