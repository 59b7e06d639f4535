package protocol

import (
	"cmp"
	"slices"
)

// plan returns who should own each slot: the same for all who have read the same. Owners are the
// present ones; one of another session of a member's identity counts as that member.
//
// Each member has equally many slots, give or take one, and as few as possible move: a member
// keeps what it owns, up to its share. Slots that move go to the owner of the slot before if it
// has room, so that what a member owns stays few ranges.
func plan(owners, members []string) []string {
	targets, has := make([]string, len(owners)), map[string]int{}
	if len(members) == 0 {
		return targets
	}
	session := map[string]string{}
	for _, member := range members {
		session[IdentityOf(member)] = member
	}
	for slot, owner := range owners {
		targets[slot] = session[IdentityOf(owner)]
		has[targets[slot]]++
	}
	members = slices.SortedStableFunc(slices.Values(members), func(a, b string) int { return cmp.Compare(has[b], has[a]) })
	share := map[string]int{}
	for i, member := range members { // those with most may have one more
		share[member] = (len(owners) - i + len(members) - 1) / len(members)
	}
	for slot, target := range slices.Backward(targets) {
		if target != "" && has[target] > share[target] {
			targets[slot] = ""
			has[target]--
		}
	}
	for slot, target := range targets {
		if target != "" {
			continue
		}
		target = slices.MaxFunc(members, func(a, b string) int { return cmp.Compare(share[a]-has[a], share[b]-has[b]) })
		if slot > 0 && has[targets[slot-1]] < share[targets[slot-1]] {
			target = targets[slot-1]
		}
		targets[slot] = target
		has[target]++
	}
	return targets
}
