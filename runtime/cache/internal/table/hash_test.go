package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Strings that are alike have different hashes, in the half that keyTable uses.
func TestHash(t *testing.T) {
	const seed = 0xfedcba9876543211 // any that looks like one
	seen := map[uint32]string{}
	check := func(s string) {
		t.Helper()
		h := uint32(hash(seed, s))
		if other, ok := seen[h]; ok && other != s {
			t.Errorf("%q and %q have the hash %x", s, other, h)
		}
		seen[h] = s
	}
	for n := range 40 {
		check(strings.Repeat("a", n))
		for i := range n {
			check(strings.Repeat("a", i) + "b" + strings.Repeat("a", n-i-1))
		}
	}
	for i := range 1000 {
		check(fmt.Sprint("thing-", i))
		check(fmt.Sprint("a-name-that-is-longer-than-two-words-", i))
	}
}

// Keys spread: in a table of so many slots, hardly any place is the place of many keys.
func TestHashSpreads(t *testing.T) {
	const slots = 1024
	counts := make([]int, slots)
	for i := range 4 * slots {
		counts[uint64(uint32(hash(hash(7, "ns"), fmt.Sprint("thing-", i))))*slots>>32]++
	}
	for slot, n := range counts {
		if n > 20 { // four are expected; more than 16 in one case of a million
			t.Errorf("slot %d is the place of %d keys", slot, n)
		}
	}
}

// An attacker can't choose strings that have the same hash in every process. With a known secret, they make
// one factor of a product zero.
func TestHashOfChosenStrings(t *testing.T) {
	for _, known := range []string{"\xdb\x28\xb4\xa0\xd1\x7e\x03\xe7", "\x2f\x64\xbd\x78\x64\x1d\x76\xa0"} {
		seen, random := map[uint32]bool{}, rand.New(rand.NewPCG(1, 2))
		const n = 1000
		for i := range n {
			seen[uint32(hash(random.Uint64(), fmt.Sprintf("%08d", i)+known))] = true
		}
		if len(seen) < n-10 {
			t.Errorf("%d strings that end in %q have %d hashes, with the secret %#x and %#x", n, known, len(seen), secret, odd)
		}
	}
}
