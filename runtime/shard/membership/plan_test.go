package membership

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

func candidates(n int) []candidate {
	list := make([]candidate, n)
	for i := range list {
		list[i] = candidate{session: fmt.Sprintf("orders-%02d", i), identity: fmt.Sprintf("orders-0-%c%d", 'a'+i%26, i)}
	}
	return list
}

// moved is the fraction of all hashes that has another owner.
func moved(before, after map[string]shard.Ranges) float64 {
	stays := 0.0
	for session, ranges := range after {
		stays += ranges.Intersect(before[session]).Fraction()
	}
	return 1 - stays
}

// checkPlan checks that each candidate has its share of the parts, and that together they have all.
func checkPlan(t *testing.T, parts []shard.Ranges, targets map[string]shard.Ranges, candidates []candidate) {
	t.Helper()
	var all shard.Ranges
	for _, c := range candidates {
		has := 0
		for _, part := range parts {
			if both := targets[c.session].Intersect(part); both.Equal(part) {
				has++
			} else if len(both) > 0 {
				t.Fatalf("%s has a piece of %v", c.session, part)
			}
		}
		if least := len(parts) / len(candidates); has < least || has > least+1 {
			t.Fatalf("%s has %d of %d parts, of %d members", c.session, has, len(parts), len(candidates))
		}
		if both := all.Intersect(targets[c.session]); len(both) > 0 {
			t.Fatalf("%s and another one have %v", c.session, both)
		}
		all = all.Union(targets[c.session])
	}
	if !all.Equal(shard.All()) || len(targets) > len(candidates) {
		t.Fatalf("nobody has %v", shard.All().Minus(all))
	}
}

// One member more moves at most 1.1/(n+1) of the hashes, and only to it; one less moves what
// it had.
func TestPlanMoves(t *testing.T) {
	members := candidates(65)
	for n := 1; n <= 64; n++ {
		before := plan(equalParts, nil, members[:n])
		checkPlan(t, equalParts, before, members[:n])
		joined := plan(equalParts, before, members[:n+1])
		checkPlan(t, equalParts, joined, members[:n+1])
		if got := moved(before, joined); got > 1.1/float64(n+1) || got < 0.7/float64(n+1) {
			t.Errorf("member %d: %.4f of the hashes move, want at most 1.1/%d", n+1, got, n+1)
		}
		if got, want := moved(before, joined), joined[members[n].session].Fraction(); got > want {
			t.Errorf("member %d gets %.4f of the hashes, and %.4f move", n+1, want, got)
		}
		left := plan(equalParts, joined, members[1:n+1])
		checkPlan(t, equalParts, left, members[1:n+1])
		if got, want := moved(joined, left), joined[members[0].session].Fraction(); got > want {
			t.Errorf("member 1 of %d had %.4f of the hashes, and %.4f move when it leaves", n+1, want, got)
		}
	}
}

// However members come and go, and whichever part of a plan has been done when the next one is
// made: it is balanced, and what is done is not undone.
func TestPlanConverges(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		parts := shard.All().Split(1 + random.IntN(40))
		owners := map[string]shard.Ranges{}
		for range 6 {
			all := candidates(8)
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			members := all[:1+random.IntN(7)]
			total := moved(owners, plan(parts, owners, members))
			done := 0.0
			for step := 0; ; step++ {
				targets := plan(parts, owners, members)
				checkPlan(t, parts, targets, members)
				shuffled := slices.Clone(members)
				slices.Reverse(shuffled)
				if again := plan(parts, owners, shuffled); !maps.EqualFunc(targets, again, shard.Ranges.Equal) {
					t.Fatal("plan depends on the order of its arguments")
				}
				part := parts[random.IntN(len(parts))]
				if maps.EqualFunc(targets, owners, shard.Ranges.Equal) {
					break
				}
				if step > 1000 {
					t.Fatal("no end")
				}
				done += give(owners, targets, part)
			}
			if limit := total + 2/float64(len(parts)); done > limit {
				t.Fatalf("%.3f were to move, and %.3f have", total, done)
			}
			if random.IntN(3) == 0 {
				parts = shard.All().Split(1 + random.IntN(40)) // other parts from now on
			}
		}
	}
}

// give makes the owner of a part the one that a plan says, and returns how much has moved.
func give(owners, targets map[string]shard.Ranges, part shard.Ranges) (moved float64) {
	for session, target := range targets {
		gain := target.Intersect(part).Minus(owners[session])
		for other := range owners {
			if owners[other] = owners[other].Minus(gain); len(owners[other]) == 0 {
				delete(owners, other)
			}
		}
		if len(gain) > 0 {
			owners[session] = owners[session].Union(gain)
		}
		moved += gain.Fraction()
	}
	for session := range owners { // nobody that is gone keeps anything
		if targets[session] == nil {
			if owners[session] = owners[session].Minus(part); len(owners[session]) == 0 {
				delete(owners, session)
			}
		}
	}
	return moved
}

// A replica that comes back under its name has what it had.
func TestPlanRestart(t *testing.T) {
	members := candidates(5)
	before := plan(equalParts, nil, members)
	again := candidate{session: "orders-zz", identity: members[2].identity}
	after := plan(equalParts, before, []candidate{members[0], members[1], again, members[3], members[4]})
	if !after[again.session].Equal(before[members[2].session]) {
		t.Errorf("had %v, has %v", before[members[2].session], after[again.session])
	}
}

func TestPlanNobody(t *testing.T) {
	if got := plan(equalParts, nil, nil); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	few := shard.All().Split(2)
	checkPlan(t, few, plan(few, nil, candidates(5)), candidates(5))
}
