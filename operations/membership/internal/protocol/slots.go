package protocol

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Slots is the number of equal ranges of the hashes. One member owns each of them.
const Slots = 64

// Set is a set of slots, with a bit for each.
type Set uint64

// All is the set of all slots.
const All = ^Set(0)

// SetOf returns the set of one slot.
func SetOf(slot int) Set { return 1 << slot }

// SlotOf returns the slot of a hash, as a set.
func SlotOf(hash uint64) Set { return SetOf(int(hash / (1 << 64 / Slots))) }

// Has reports whether a slot is in the set.
func (s Set) Has(slot int) bool { return s&SetOf(slot) != 0 }

// Len returns the number of slots.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// Ranges returns the hashes of the slots.
func (s Set) Ranges() (all shard.Ranges) {
	for slot := range Slots {
		if s.Has(slot) {
			hashes, _ := shard.Of(slot, Slots) // of a valid slot
			all = all.Union(hashes)
		}
	}
	return all
}

// plan returns the member that should own each slot. All members that have read the same Leases get the
// same result. owners are the present owners. A session that is not in members, but has the identity of one
// that is, counts as that member.
//
// All members get the same number of slots, give or take one, and as few slots as possible move: a member
// keeps the slots that it owns, up to its share. A slot that moves goes to the owner of the slot before, if
// that has room, so that the slots of a member form few ranges.
func plan(owners, members []string) []string {
	targets, has, session := make([]string, len(owners)), map[string]int{}, map[string]string{}
	for _, member := range members {
		session[IdentityOf(member)] = member
	}
	for slot, owner := range owners {
		targets[slot] = session[IdentityOf(owner)]
		has[targets[slot]]++
	}
	members = slices.SortedStableFunc(slices.Values(members), func(a, b string) int { return cmp.Compare(has[b], has[a]) })
	room := map[string]int{}
	for i, member := range members { // the members with the most slots may have one more
		room[member] = (len(owners)-i+len(members)-1)/len(members) - has[member]
	}
	for slot, target := range slices.Backward(targets) {
		if target != "" && room[target] < 0 {
			targets[slot] = ""
			room[target]++
		}
	}
	for slot, target := range targets {
		if target != "" || len(members) == 0 {
			continue
		}
		target = slices.MaxFunc(members, func(a, b string) int { return cmp.Compare(room[a], room[b]) })
		if slot > 0 && room[targets[slot-1]] > 0 {
			target = targets[slot-1]
		}
		targets[slot] = target
		room[target]--
	}
	return targets
}
