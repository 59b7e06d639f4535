package membership

import (
	"cmp"
	"maps"
	"slices"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// candidate is a session that may own ranges.
type candidate struct{ session, identity string }

// plan returns which ranges each of the candidates should own. It is the same for all members
// that have read the same.
//
// Each candidate has equally many parts, give or take one, and as few parts as possible move:
// a candidate keeps what it owns up to its share. A part that moves goes to the candidate with
// the highest score for it, of those that have less than their share: rendezvous hashing,
// with a limit.
func plan(parts []shard.Ranges, owners map[string]shard.Ranges, candidates []candidate) map[string]shard.Ranges {
	if len(candidates) == 0 {
		return nil
	}
	candidates = slices.SortedFunc(slices.Values(candidates), func(a, b candidate) int { return cmp.Compare(a.session, b.session) })
	kept, moving := holders(parts, owners, candidates)
	share := shares(len(parts), kept, candidates)
	for _, c := range candidates {
		have := kept[c.session]
		slices.SortStableFunc(have, func(a, b int) int { return cmp.Compare(score(c.identity, parts[b]), score(c.identity, parts[a])) })
		if surplus := len(have) - share[c.session]; surplus > 0 {
			moving = append(moving, have[len(have)-surplus:]...)
			kept[c.session] = have[:len(have)-surplus]
		}
	}
	slices.Sort(moving)
	for _, part := range moving {
		to := receiver(parts[part], kept, share, candidates)
		kept[to] = append(kept[to], part)
	}
	return unions(parts, kept)
}

// holders returns which parts each candidate owns, and the parts that none does. A part that
// several own, since the parts were others, is of the one that owns most of it.
func holders(parts []shard.Ranges, owners map[string]shard.Ranges, candidates []candidate) (kept map[string][]int, moving []int) {
	owned := make([]shard.Ranges, len(candidates))
	for i, c := range candidates {
		owned[i] = owners[c.session]
	}
	size := make([]float64, len(parts)*len(candidates))
	of, by := flatten(parts), flatten(owned)
	for len(of) > 0 && len(by) > 0 {
		if first, last := max(of[0].First, by[0].First), min(of[0].Last, by[0].Last); first <= last {
			size[of[0].set*len(candidates)+by[0].set] += float64(last-first) + 1
		}
		if of[0].Last < by[0].Last {
			of = of[1:]
		} else {
			by = by[1:]
		}
	}
	kept = map[string][]int{}
	for i := range parts {
		sizes := size[i*len(candidates) : (i+1)*len(candidates)]
		if most := slices.Max(sizes); most > 0 {
			holder := candidates[slices.Index(sizes, most)].session
			kept[holder] = append(kept[holder], i)
		} else {
			moving = append(moving, i)
		}
	}
	return kept, moving
}

// span is a range of one of several sets.
type span struct {
	shard.Range
	set int
}

// flatten returns the ranges of sets that do not overlap, in order.
func flatten(sets []shard.Ranges) []span {
	var spans []span
	for i, set := range sets {
		for _, r := range set {
			spans = append(spans, span{r, i})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.First, b.First) })
	return spans
}

// shares returns how many parts each candidate should have. Those that have one more than
// others may keep it.
func shares(parts int, kept map[string][]int, candidates []candidate) map[string]int {
	base, more := parts/len(candidates), parts%len(candidates)
	ordered := slices.SortedStableFunc(slices.Values(candidates), func(a, b candidate) int {
		return cmp.Compare(min(len(kept[b.session]), base+1), min(len(kept[a.session]), base+1))
	})
	share := make(map[string]int, len(candidates))
	for i, c := range ordered {
		share[c.session] = base
		if i < more {
			share[c.session]++
		}
	}
	return share
}

// receiver returns which candidate of those with less than their share gets a part.
func receiver(part shard.Ranges, kept map[string][]int, share map[string]int, candidates []candidate) string {
	best, highest := "", uint64(0)
	for _, c := range candidates {
		if s := score(c.identity, part); len(kept[c.session]) < share[c.session] && (best == "" || s > highest) {
			best, highest = c.session, s
		}
	}
	return best
}

// score says how well a part and a member fit: a hash of both.
func score(identity string, part shard.Ranges) uint64 {
	return mix(shard.Hash(identity) ^ mix(part[0].First+1))
}

// mix is the finalizer of splitmix64: each bit of the result depends on each one of the input.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unions returns the ranges of the parts of each.
func unions(parts []shard.Ranges, kept map[string][]int) map[string]shard.Ranges {
	targets := make(map[string]shard.Ranges, len(kept))
	for session, indexes := range kept {
		var ranges []shard.Range
		for _, i := range slices.Sorted(slices.Values(indexes)) {
			ranges = append(ranges, parts[i]...)
		}
		targets[session], _ = shard.RangesOf(ranges...) // of valid ranges
	}
	maps.DeleteFunc(targets, func(_ string, ranges shard.Ranges) bool { return len(ranges) == 0 })
	return targets
}
