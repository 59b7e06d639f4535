package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

const (
	// parts is how many ranges of equal size there are, each of which has one owner, and
	// terms of how many ranges the selector of an informer is at the most.
	parts, terms = 64, 32
	// hashed is how many UIDs stand for the objects.
	hashed = 200_000
)

// owners has the member that owns each part, or -1.
type owners []int

// assign returns the owners when the members are others. Each has equally many parts, give or
// take one, keeps what it has up to that, and of those with room the one with the highest score
// gets a part that moves: rendezvous hashing with a limit.
func assign(before owners, members []int) owners {
	after, count := slices.Repeat(owners{-1}, parts), map[int]int{}
	had := map[int][]int{}
	for part, owner := range before {
		if slices.Contains(members, owner) {
			had[owner] = append(had[owner], part)
		}
	}
	// Those with most may have one more.
	ordered := slices.SortedStableFunc(slices.Values(members), func(a, b int) int { return cmp.Compare(len(had[b]), len(had[a])) })
	share := map[int]int{}
	for i, member := range ordered {
		share[member] = (parts + len(members) - 1 - i) / len(members)
		kept := had[member]
		slices.SortFunc(kept, func(a, b int) int { return cmp.Compare(score(member, b), score(member, a)) })
		for _, part := range kept[:min(len(kept), share[member])] {
			after[part] = member
			count[member]++
		}
	}
	for part, owner := range after {
		if owner >= 0 {
			continue
		}
		for _, member := range members {
			if count[member] < share[member] && (after[part] < 0 || score(member, part) > score(after[part], part)) {
				after[part] = member
			}
		}
		count[after[part]]++
	}
	return after
}

// first returns the owners when n members start together, and the members.
func first(n int) (owners, []int) {
	members := make([]int, n)
	for i := range members {
		members[i] = i
	}
	return assign(slices.Repeat(owners{-1}, parts), members), members
}

func score(member, part int) uint64 {
	return rand.New(rand.NewPCG(shard.Hash("replica-"+strconv.Itoa(member)), uint64(part))).Uint64()
}

// ranges returns those that a member has.
func (o owners) ranges(member int) shard.Ranges {
	var all []shard.Range
	for part, owner := range o {
		if owner == member {
			r, _ := shard.Of(part, parts)
			all = append(all, r...)
		}
	}
	ranges, _ := shard.RangesOf(all...)
	return ranges
}

// fullest returns the largest part of all hashes that one of n members owns, the largest that
// one asks the server for, which may be more, and of how many ranges that is.
func fullest(n int) (owned, requested float64, most int) {
	all, members := first(n)
	for _, member := range members {
		ranges := all.ranges(member)
		cover := ranges.Cover(terms)
		owned, requested, most = max(owned, ranges.Fraction()), max(requested, cover.Fraction()), max(most, len(cover))
	}
	return owned, requested, most
}

// move is what happens when the members are others.
type move struct {
	// Hashes and Objects are the parts of all that have another owner.
	Hashes, Objects float64
	// Receivers is how many members gain some, and Gain the most that one of them gains.
	Receivers int
	Gain      float64
}

// moveBetween compares owners, for objects with UIDs as API servers make them.
func moveBetween(before, after owners) move {
	gained := map[int]float64{}
	for part := range after {
		if before[part] != after[part] {
			gained[after[part]]++
		}
	}
	m := move{Receivers: len(gained)}
	for _, n := range gained {
		m.Hashes += n / parts
		m.Gain = max(m.Gain, n/parts)
	}
	for _, part := range partsOfObjects() {
		if before[part] != after[part] {
			m.Objects += 1. / hashed
		}
	}
	return m
}

// partsOfObjects returns the parts of objects with random UIDs.
func partsOfObjects() []int {
	random := rand.New(rand.NewPCG(1, 1))
	bounds := make([]uint64, parts)
	for i := range bounds {
		r, _ := shard.Of(i, parts)
		bounds[i] = r[0].Last
	}
	of := make([]int, hashed)
	for i := range of {
		hash := shard.Hash(string(uid(random)))
		of[i] = sort.Search(parts, func(part int) bool { return bounds[part] >= hash })
	}
	return of
}
