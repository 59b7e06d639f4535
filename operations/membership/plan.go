package membership

import (
	"cmp"
	"slices"
)

// plan returns who should own each slot: the same for all who have read the same. Owners are the
// present ones; one of another session of a member's identity counts as that member.
//
// Each member has equally many slots, give or take one, and as few as possible move: a member
// keeps what it owns, up to its share. Which slots move, and to whom, is chosen so that what a
// member owns stays few ranges.
func plan(owners, members []string) []string {
	if len(members) == 0 {
		return make([]string, len(owners))
	}
	targets, has := current(owners, members), map[string]int{}
	for _, owner := range targets {
		has[owner]++
	}
	room := shares(len(owners), has, members)
	for _, member := range members {
		room[member] -= has[member]
		for ; room[member] < 0; room[member]++ {
			targets[spare(targets, member)] = ""
		}
	}
	for i, owner := range targets {
		if owner == "" {
			targets[i] = receiver(targets, i, members, room)
			room[targets[i]]--
		}
	}
	return targets
}

// current returns the members that own the slots, "" for slots that none of them owns.
func current(owners, members []string) []string {
	by := map[string]string{}
	for _, member := range members {
		by[member], by[identityOf(member)+"/"] = member, member
	}
	now := make([]string, len(owners))
	for i, owner := range owners {
		if owner != "" {
			now[i] = cmp.Or(by[owner], by[identityOf(owner)+"/"])
		}
	}
	return now
}

// shares returns how many slots each member should have. Those with most may have one more.
func shares(count int, has map[string]int, members []string) map[string]int {
	base, more := count/len(members), count%len(members)
	ordered := slices.SortedStableFunc(slices.Values(members), func(a, b string) int {
		return cmp.Compare(min(has[b], base+1), min(has[a], base+1))
	})
	share := make(map[string]int, len(members))
	for i, member := range ordered {
		share[member] = base
		if i < more {
			share[member]++
		}
	}
	return share
}

// spare returns the slot that a member gives up first: the last one of its shortest run.
func spare(targets []string, member string) (slot int) {
	shortest := len(targets) + 1
	for end := len(targets) - 1; end >= 0; end-- {
		if targets[end] != member {
			continue
		}
		first := end
		for first > 0 && targets[first-1] == member {
			first--
		}
		if length := end - first + 1; length < shortest {
			shortest, slot = length, end
		}
		end = first
	}
	return slot
}

// receiver returns the member that gets a slot that nobody keeps: that of the slot before, or that
// behind this run of slots if it has room for no more than that, or the one with most room.
func receiver(targets []string, slot int, members []string, room map[string]int) string {
	if slot > 0 && room[targets[slot-1]] > 0 {
		return targets[slot-1]
	}
	end := slot
	for end < len(targets) && targets[end] == "" {
		end++
	}
	if end < len(targets) && room[targets[end]] >= end-slot {
		return targets[end]
	}
	return slices.MaxFunc(members, func(a, b string) int { return cmp.Compare(room[a], room[b]) })
}
