package membership

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// checkSets checks that sets are one behind the other and make up all hashes.
func checkSets(t *testing.T, sets []shard.Ranges) {
	t.Helper()
	next := uint64(0)
	for i, set := range sets {
		if len(set) != 1 || set[0].First != next || set[0].Last < set[0].First {
			t.Fatalf("set %d of %v is not one range from %016x on", i, sets, next)
		}
		next = set[0].Last + 1
	}
	if next != 0 {
		t.Fatalf("the last one of %v does not have the last hash", sets)
	}
}

func mean(weights map[string]int, n int) float64 {
	total := 0
	for _, weight := range weights {
		total += max(weight, 1)
	}
	return float64(total) / float64(n)
}

// A thousand namespaces that the hash puts close together are even.
func TestBalanceNamespaces(t *testing.T) {
	weights := map[string]int{}
	for i := range 1000 {
		weights[fmt.Sprintf("ns-%d", i)] = 1
	}
	if got := heaviest(shard.All().Split(8), weights) / mean(weights, 8); got < 3.2 {
		t.Errorf("fullest of equal ranges has %.2f of the mean, which is no problem to solve", got)
	}
	for _, n := range []int{1, 2, 3, 7, 8, 64, 256} {
		sets := Balance(weights, n)
		checkSets(t, sets)
		got := heaviest(sets, weights) / mean(weights, n)
		if got > 1.15 && n <= 64 || len(sets) != n {
			t.Errorf("fullest of %d has %.2f of the mean", n, got)
		}
		t.Logf("fullest of %d has %.3f of the mean", n, got)
	}
}

// No set is heavier than the mean and the heaviest value, and a change moves little.
func TestBalanceGuarantees(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		weights, most := map[string]int{}, 0
		add := func() (value string, weight int) {
			value, weight = fmt.Sprintf("team-%d", random.IntN(1e6)), 1+random.IntN(1+random.IntN(1000))
			return value, weight
		}
		for range 1 + random.IntN(300) {
			value, weight := add()
			weights[value] = weight
		}
		for _, weight := range weights {
			most = max(most, weight)
		}
		n := 1 + random.IntN(20)
		sets := Balance(weights, n)
		checkSets(t, sets)
		if len(sets) != min(n, len(weights)) {
			t.Fatalf("%d sets of %d values, want %d", len(sets), len(weights), n)
		}
		if got, limit := heaviest(sets, weights), mean(weights, len(sets))+float64(most); got > limit && len(weights) > 2*n {
			t.Fatalf("heaviest has %v, want at most %v", got, limit)
		}
		if len(weights) < 3*n {
			continue // each set has a value at least, whatever it weighs
		}
		value, weight := add()
		if _, ok := weights[value]; ok {
			continue
		}
		after := maps.Clone(weights)
		after[value] = weight
		moved := 0
		for i, set := range Balance(after, n) {
			for value, weight := range weights {
				if set.Contains(shard.Hash(value)) && !sets[i].Contains(shard.Hash(value)) {
					moved += weight
				}
			}
		}
		if limit := (n - 1) * (weight + max(most, weight)); moved > limit {
			t.Fatalf("%d moves of %.0f, want at most %d, for one more of %d over %d sets", moved, mean(weights, 1), limit, weight, n)
		}
	}
}

func TestBalanceEdges(t *testing.T) {
	for _, weights := range []map[string]int{nil, {"a": 0}, {"a": -5, "b": math.MaxInt/2 + 1, "c": math.MaxInt/2 + 1}} {
		for _, n := range []int{1, 2, 5} {
			sets := Balance(weights, n)
			checkSets(t, sets)
			if want := min(n, len(weights)); want > 0 && len(sets) != want {
				t.Errorf("%v: %d sets, want %d", weights, len(sets), want)
			}
		}
	}
	checkSets(t, Balance(map[string]int{"a": 1}, 0))
}

// Sets stay while they are good enough.
func TestRebalance(t *testing.T) {
	weights := map[string]int{}
	for i := range 400 {
		weights[fmt.Sprintf("ns-%d", i)] = 10
	}
	before := Balance(weights, 8)
	for i := range 10 {
		weights[fmt.Sprintf("new-%d", i)] = 10
	}
	equal := func(a, b []shard.Ranges) bool { return slices.EqualFunc(a, b, shard.Ranges.Equal) }
	if got := Rebalance(before, weights, 1.25); !equal(got, before) {
		t.Error("changed, though it was good enough")
	}
	if got := Rebalance(before, weights, 1); !equal(got, Balance(weights, 8)) {
		t.Error("not the best, though nothing else will do")
	}
	weights["giant"] = 1_000_000 // heavier than any set, however they are cut
	if got := Rebalance(before, weights, 1.25); !equal(got, before) {
		t.Error("changed, though it does not help")
	}
}
