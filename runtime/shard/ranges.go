package shard

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// ErrInvalid is the error for invalid ranges.
var ErrInvalid = errors.New("invalid shard")

// Range is a range of hashes. First and Last are its lowest and its highest hash.
type Range struct{ First, Last uint64 }

// Ranges is a set of hashes: ranges in ascending order with a gap between each two of them. Nil is the
// empty set. Ranges must not be mutated.
type Ranges []Range

// All returns the set of all hashes.
func All() Ranges { return Ranges{{0, math.MaxUint64}} }

// Of returns the i-th of n parts of all hashes, counted from 0. The sizes of the parts differ by at most
// one hash. Possible errors: ErrInvalid.
func Of(i, n int) (Ranges, error) {
	if n < 1 || i < 0 || i >= n {
		return nil, fmt.Errorf("%w: part %d of %d: parts are numbered from 0, up to one less than their number", ErrInvalid, i, n)
	}
	return Ranges{{bound(i, n), bound(i+1, n) - 1}}, nil
}

// bound returns i/n of 2^64, and 0 for i = n.
func bound(i, n int) uint64 {
	if i == n {
		return 0
	}
	quotient, _ := bits.Div64(uint64(i), 0, uint64(n))
	return quotient
}

// RangesOf returns the union of some ranges, which may overlap. Possible errors: ErrInvalid.
func RangesOf(ranges ...Range) (Ranges, error) {
	for _, r := range ranges {
		if r.First > r.Last {
			return nil, fmt.Errorf("%w: range %v begins after its end", ErrInvalid, r)
		}
	}
	return canonical(slices.Clone(ranges)), nil
}

// canonical sorts ranges, and joins ranges that overlap or touch.
func canonical(ranges []Range) Ranges {
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var joined Ranges
	for _, r := range ranges {
		if last := len(joined) - 1; last >= 0 && (r.First <= joined[last].Last || r.First == joined[last].Last+1) {
			joined[last].Last = max(joined[last].Last, r.Last)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// Contains reports whether a hash is in the set.
func (r Ranges) Contains(hash uint64) bool {
	at := sort.Search(len(r), func(i int) bool { return r[i].Last >= hash })
	return at < len(r) && r[at].First <= hash
}

// Union returns the set of the hashes that are in r or in other.
func (r Ranges) Union(other Ranges) Ranges { return canonical(slices.Concat(r, other)) }

// Minus returns the set of the hashes that are in r and not in other.
func (r Ranges) Minus(other Ranges) Ranges { return r.Intersect(other.complement()) }

// Intersect returns the set of the hashes that are in r and in other.
func (r Ranges) Intersect(other Ranges) Ranges {
	var both Ranges
	for i, j := 0, 0; i < len(r) && j < len(other); {
		if first, last := max(r[i].First, other[j].First), min(r[i].Last, other[j].Last); first <= last {
			both = append(both, Range{first, last})
		}
		if r[i].Last < other[j].Last {
			i++
		} else {
			j++
		}
	}
	return both
}

// complement returns the set of the hashes that are not in r.
func (r Ranges) complement() Ranges {
	var gaps Ranges
	next := uint64(0)
	for _, rr := range r {
		if rr.First > next {
			gaps = append(gaps, Range{next, rr.First - 1})
		}
		if rr.Last == math.MaxUint64 {
			return gaps
		}
		next = rr.Last + 1
	}
	return append(gaps, Range{next, math.MaxUint64})
}

// Split returns n sets of about equal size whose union is r. It returns fewer if r has fewer hashes.
func (r Ranges) Split(n int) []Ranges {
	var parts []Ranges
	rest := r
	for ; n > 1; n-- {
		first, others := rest.cut(rest.size() / float64(n))
		if len(first) == 0 || len(others) == 0 {
			break
		}
		parts, rest = append(parts, first), others
	}
	if len(rest) == 0 {
		return parts
	}
	return append(parts, rest)
}

// cut divides r into its first hashes, about size of them, and the rest.
func (r Ranges) cut(size float64) (before, after Ranges) {
	for i, rr := range r {
		if width := (Ranges{rr}).size(); width <= size {
			size -= width
			continue
		}
		if size < 1 {
			return r[:i:i], r[i:]
		}
		middle := rr.First + uint64(size) - 1
		before = append(slices.Clone(r[:i]), Range{rr.First, middle})
		return before, append(Ranges{{middle + 1, rr.Last}}, r[i+1:]...)
	}
	return r, nil
}

// size returns the number of hashes in r, about.
func (r Ranges) size() float64 {
	var size float64
	for _, rr := range r {
		size += float64(rr.Last-rr.First) + 1
	}
	return size
}

// Cover returns r if it has at most n ranges. Otherwise it returns the smallest set of n ranges that
// contains r. N must not be less than 1.
func (r Ranges) Cover(n int) Ranges {
	if len(r) <= n {
		return r
	}
	gaps := make([]int, len(r)-1) // before r[i+1], the widest first
	for i := range gaps {
		gaps[i] = i
	}
	width := func(i int) uint64 { return r[i+1].First - r[i].Last }
	slices.SortStableFunc(gaps, func(a, b int) int { return cmp.Compare(width(b), width(a)) })
	kept := gaps[:n-1]
	slices.Sort(kept)
	cover := Ranges{{First: r[0].First}}
	for _, i := range kept {
		cover[len(cover)-1].Last = r[i].Last
		cover = append(cover, Range{First: r[i+1].First})
	}
	cover[len(cover)-1].Last = r[len(r)-1].Last
	return cover
}

// Fraction returns the fraction of all hashes that is in r, from 0 to 1.
func (r Ranges) Fraction() float64 { return r.size() / math.Pow(2, 64) }

// Equal reports whether two sets have the same hashes.
func (r Ranges) Equal(other Ranges) bool { return slices.Equal(r, other) }

// String returns the ranges in hexadecimal digits, such as
// "0000000000000000-7fffffffffffffff", with a comma between two, or "none".
func (r Ranges) String() string {
	if len(r) == 0 {
		return "none"
	}
	parts := make([]string, len(r))
	for i := range r {
		parts[i] = r[i].String()
	}
	return strings.Join(parts, ",")
}

// String returns the range in hexadecimal digits, such as "0000000000000000-7fffffffffffffff".
func (r Range) String() string { return fmt.Sprintf("%016x-%016x", r.First, r.Last) }
