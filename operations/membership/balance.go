package membership

import (
	"cmp"
	"math"
	"slices"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Balance divides all hashes into n consecutive sets by the weights of values. Use it for a By whose values
// have known weights, such as namespaces with the number of objects in each. A set exceeds the mean weight
// by no more than the heaviest value. If all values weigh the same, the sets are even. A weight less than 1
// counts as 1. If there are fewer than n values, there are as many sets as values. Without values, the sets
// have the same size.
//
// The result depends only on the weights, not on earlier results. If a value comes, goes or changes its
// weight, each bound between two sets moves past values that together weigh no more than that difference
// and one value.
func Balance(weights map[string]int, n int) []shard.Ranges {
	values := sortedByHash(weights)
	if len(values) == 0 || n < 1 {
		return shard.All().Split(n)
	}
	n = min(n, len(values))
	total := 0.0
	for _, v := range values {
		total += v.weight
	}
	sets := make([]shard.Ranges, 0, n)
	first, before, at := uint64(0), 0.0, 0
	for i := 1; i < n; i++ {
		goal := total * float64(i) / float64(n)
		// The set has a value at least, and leaves one for each that follows.
		before += values[at].weight
		at++
		for at < len(values)-(n-i) && math.Abs(before+values[at].weight-goal) < math.Abs(before-goal) {
			before += values[at].weight
			at++
		}
		sets = append(sets, shard.Ranges{{First: first, Last: values[at].hash - 1}})
		first = values[at].hash
	}
	return append(sets, shard.Ranges{{First: first, Last: math.MaxUint64}})
}

// Rebalance returns the given sets if the heaviest weighs at most limit times as much as the heaviest set
// of Balance with as many sets. Otherwise it returns the sets of Balance. With a limit such as 1.1, the
// sets stay the same while values come and go.
func Rebalance(sets []shard.Ranges, weights map[string]int, limit float64) []shard.Ranges {
	others := Balance(weights, len(sets))
	if heaviest(sets, weights) <= limit*heaviest(others, weights) {
		return sets
	}
	return others
}

// weighed is a hash with the weight of its values.
type weighed struct {
	hash   uint64
	weight float64
}

// sortedByHash returns the values in the order of their hashes.
func sortedByHash(weights map[string]int) []weighed {
	values := make([]weighed, 0, len(weights))
	for value, weight := range weights {
		values = append(values, weighed{shard.Hash(value), float64(max(weight, 1))})
	}
	slices.SortFunc(values, func(a, b weighed) int { return cmp.Compare(a.hash, b.hash) })
	distinct := values[:0]
	for _, v := range values {
		if last := len(distinct) - 1; last >= 0 && distinct[last].hash == v.hash {
			distinct[last].weight += v.weight
			continue
		}
		distinct = append(distinct, v)
	}
	return distinct
}

// heaviest returns the weight of the heaviest set.
func heaviest(sets []shard.Ranges, weights map[string]int) float64 {
	values := sortedByHash(weights)
	most := 0.0
	for _, set := range sets {
		weight := 0.0
		for _, r := range set {
			at, _ := slices.BinarySearchFunc(values, r.First, func(v weighed, first uint64) int { return cmp.Compare(v.hash, first) })
			for ; at < len(values) && values[at].hash <= r.Last; at++ {
				weight += values[at].weight
			}
		}
		most = max(most, weight)
	}
	return most
}
