package shard

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// largest is the last of all hashes.
const largest = math.MaxUint64

func TestOf(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 8, 255, 256, 1000} {
		var union Ranges
		var most, least float64 = 0, math.Inf(1)
		for i := range n {
			part, err := Of(i, n)
			if err != nil {
				t.Fatal(err)
			}
			if got := union.Intersect(part); got != nil {
				t.Fatalf("part %d of %d overlaps with those before: %v", i, n, got)
			}
			union = union.Union(part)
			most, least = max(most, part.size()), min(least, part.size())
		}
		if !union.Equal(All()) {
			t.Errorf("%d parts make up %v", n, union)
		}
		if most/least > 1.000001 {
			t.Errorf("largest of %d parts has %v hashes, smallest %v", n, most, least)
		}
	}
	for _, wrong := range [][2]int{{0, 0}, {-1, 2}, {2, 2}, {3, 2}, {0, -1}} {
		if _, err := Of(wrong[0], wrong[1]); !errors.Is(err, ErrInvalid) {
			t.Errorf("Of(%d, %d): %v", wrong[0], wrong[1], err)
		}
	}
}

func TestRangesOf(t *testing.T) {
	for want, ranges := range map[string][]Range{
		"none":                              nil,
		"0000000000000001-0000000000000001": {{1, 1}},
		"0000000000000001-0000000000000009": {{5, 9}, {1, 4}},
		"0000000000000001-0000000000000008": {{1, 8}, {2, 3}},
		"0000000000000001-0000000000000003,0000000000000005-0000000000000006": {{5, 6}, {1, 3}},
		"0000000000000000-ffffffffffffffff":                                   {{0, largest}, {7, largest}},
		"ffffffffffffffff-ffffffffffffffff":                                   {{largest, largest}},
	} {
		got, err := RangesOf(ranges...)
		if err != nil || got.String() != want {
			t.Errorf("%v: got %v, %v, want %s", ranges, got, err, want)
		}
	}
	if _, err := RangesOf(Range{2, 1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("range that begins after its end: %v", err)
	}
}

// Operations on sets agree with a model: the hashes of a few small numbers and of those
// before the end, one by one.
func TestOperations(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	hashes := make([]uint64, 0, 64)
	for i := range uint64(32) {
		hashes = append(hashes, i, largest-i)
	}
	set := func() Ranges {
		var ranges []Range
		for range random.IntN(6) {
			a, b := hashes[random.IntN(len(hashes))], hashes[random.IntN(len(hashes))]
			ranges = append(ranges, Range{min(a, b), max(a, b)})
		}
		return canonical(ranges)
	}
	for range 20_000 {
		a, b := set(), set()
		n := 1 + random.IntN(4)
		union, both, minus, parts := a.Union(b), a.Intersect(b), a.Minus(b), a.Split(n)
		for _, hash := range hashes {
			inA, inB := a.Contains(hash), b.Contains(hash)
			in := 0
			for _, part := range parts {
				if part.Contains(hash) {
					in++
				}
			}
			if union.Contains(hash) != (inA || inB) || both.Contains(hash) != (inA && inB) ||
				minus.Contains(hash) != (inA && !inB) || (in == 1) != inA || in > 1 {
				t.Fatalf("hash %x of %v and %v: union %v, both %v, first without second %v, parts %v", hash, a, b, union, both, minus, parts)
			}
		}
		for _, got := range append(parts, union, both, minus) {
			if again, err := RangesOf(got...); err != nil || !again.Equal(got) {
				t.Fatalf("not canonical: %v of %v and %v, %v", got, a, b, err)
			}
		}
	}
}

func TestCover(t *testing.T) {
	r := Ranges{{1, 2}, {5, 6}, {8, 9}, {100, 200}, {202, largest}}
	for n, want := range map[int]Ranges{
		1: {{1, largest}},
		2: {{1, 9}, {100, largest}},
		3: {{1, 2}, {5, 9}, {100, largest}},
		4: {{1, 2}, {5, 6}, {8, 9}, {100, largest}},
		5: r,
		9: r,
	} {
		if got := r.Cover(n); !got.Equal(want) {
			t.Errorf("%d ranges: got %v, want %v", n, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for n := 1; n <= 16; n++ {
		parts := All().Split(n)
		if len(parts) != n {
			t.Fatalf("%d parts of %d", len(parts), n)
		}
		for _, part := range parts {
			if f := part.Fraction() * float64(n); f < 0.999 || f > 1.001 {
				t.Errorf("part %v of %d has %v of the hashes", part, n, part.Fraction())
			}
		}
	}
	if parts := (Ranges)(nil).Split(3); len(parts) != 0 {
		t.Errorf("parts of nothing: %v", parts)
	}
}
