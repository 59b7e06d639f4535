package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

const (
	// parts is the number of ranges of equal size. Each has one owner. terms is the largest number of
	// ranges in an informer's selector.
	parts, terms = 64, 32
	// hashed is the number of UIDs that stand for the objects.
	hashed = 200_000
)

// owners has the member that owns each part, or -1.
type owners []int

// assign returns the owners when the members are others. Each has equally many parts, give or
// take one, and keeps what it has up to that. What it gives up is the end of its shortest run, and
// a part goes to the member beside it that has room, or to the one with most.
func assign(before owners, members []int) owners {
	after, has, room := slices.Clone(before), map[int]int{}, map[int]int{}
	for part, owner := range before {
		if !slices.Contains(members, owner) {
			after[part] = -1
		}
		has[after[part]]++
	}
	// Those with most may have one more.
	ordered := slices.SortedStableFunc(slices.Values(members), func(a, b int) int { return cmp.Compare(has[b], has[a]) })
	for i, member := range ordered {
		room[member] = (parts+len(members)-1-i)/len(members) - has[member]
		for ; room[member] < 0; room[member]++ {
			after[after.spare(member)] = -1
		}
	}
	for part, owner := range after {
		if owner < 0 {
			after[part] = after.receiver(part, members, room)
			room[after[part]]--
		}
	}
	return after
}

// spare is the part that a member gives up first.
func (o owners) spare(member int) (part int) {
	shortest := parts + 1
	for end := parts - 1; end >= 0; end-- {
		if o[end] != member {
			continue
		}
		first := end
		for first > 0 && o[first-1] == member {
			first--
		}
		if length := end - first + 1; length < shortest {
			shortest, part = length, end
		}
		end = first
	}
	return part
}

// receiver is the member that gets a part that nobody keeps.
func (o owners) receiver(part int, members []int, room map[int]int) int {
	if part > 0 && room[o[part-1]] > 0 {
		return o[part-1]
	}
	end := part
	for end < parts && o[end] < 0 {
		end++
	}
	if end < parts && room[o[end]] >= end-part {
		return o[end]
	}
	return slices.MaxFunc(members, func(a, b int) int { return cmp.Compare(room[a], room[b]) })
}

// first returns the owners when n members start together, and the members.
func first(n int) (owners, []int) {
	members := make([]int, n)
	for i := range members {
		members[i] = i
	}
	return assign(slices.Repeat(owners{-1}, parts), members), members
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

// fullest returns three maxima over n members. They are the part of all hashes that a member owns, the part
// that it requests from the server, which may be larger, and the number of ranges in the request.
func fullest(n int) (owned, requested float64, most int) {
	all, members := first(n)
	for _, member := range members {
		ranges := all.ranges(member)
		cover := ranges.Cover(terms)
		owned, requested, most = max(owned, ranges.Fraction()), max(requested, cover.Fraction()), max(most, len(cover))
	}
	return owned, requested, most
}

// move is the effect of a change of members.
type move struct {
	// Hashes and Objects are the parts of all that have another owner.
	Hashes, Objects float64
	// Receivers is the number of members that gain some, and Gain the most that one of them gains.
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
