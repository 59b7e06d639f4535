package table

import "math/rand/v2"

// LastOfEachKey returns the items without those that a later item of the same key supersedes.
func LastOfEachKey[T any](items []T, key func(*T) Key) []T {
	if !repeats(items, key) {
		return items
	}
	at := make(map[Key]int, len(items))
	for i := range items {
		at[key(&items[i])] = i
	}
	kept := make([]T, 0, len(at))
	for i := range items {
		if at[key(&items[i])] == i {
			kept = append(kept, items[i])
		}
	}
	return kept
}

// repeats reports whether two items have the same key. Servers do not send such lists.
func repeats[T any](items []T, key func(*T) Key) bool {
	seed := rand.Uint64()
	slots := make([]uint32, 2*len(items))
	for i := range items {
		k := key(&items[i])
		at := uint64(Hash(seed, k)) * uint64(len(slots)) >> 32
		for slots[at] != 0 {
			if key(&items[slots[at]-1]) == k {
				return true
			}
			at = (at + 1) % uint64(len(slots))
		}
		slots[at] = uint32(i) + 1
	}
	return false
}
