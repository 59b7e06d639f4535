package protocol

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sessionsOf are sessions with identities of one letter.
func sessionsOf(identities string) (members []string) {
	for _, identity := range identities {
		members = append(members, string(identity)+"/1")
	}
	return members
}

// Owners and targets are written as a letter for each slot; "." is nobody.
func TestPlan(t *testing.T) {
	for _, test := range []struct{ members, owners, want string }{
		{"", "aab", "..."},
		{"a", "....", "aaaa"},
		{"abc", ".........", "aaabbbccc"},
		{"ab", "aaaaaaaa", "aaaabbbb"},
		{"abc", "aaaabbbb", "aaacbbbc"},
		{"ab", "aaaccbbb", "aaaabbbb"}, // of one that is gone, next to what others have
		{"ab", "ccaaabbb", "abaaabbb"},
		{"ab", "abababab", "abababab"}, // nothing moves to make fewer ranges
		{"abc", "a..", "abc"},
		{"abcd", "ab", "ab"},
		{"ab", "aaaaa", "aaabb"},
		{"ab", "bbaaa", "bbaaa"}, // those with most keep one more
	} {
		owners := make([]string, len(test.owners))
		for i, owner := range test.owners {
			if owner != '.' {
				owners[i] = string(owner) + "/1"
			}
		}
		got := ""
		for _, target := range plan(owners, sessionsOf(test.members)) {
			got += target[:min(len(target), 1)]
			if target == "" {
				got += "."
			}
		}
		if got != test.want {
			t.Errorf("members %q of %q: got %q, want %q", test.members, test.owners, got, test.want)
		}
	}
}

// A session of an identity gets what an earlier one had.
func TestPlanOfIdentity(t *testing.T) {
	got := plan([]string{"a/1", "b/1", "a/1", "b/1"}, []string{"a/2", "b/1"})
	if want := []string{"a/2", "b/1", "a/2", "b/1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Members come and go: they have equally many slots, as few move as can, and what each has stays
// few ranges.
func TestPlanOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	most, sum, n := 0, 0, 0
	for range 200 {
		slots := 1 + random.IntN(200)
		owners := make([]string, slots)
		var members []string
		for step := range 40 {
			if len(members) == 0 || random.IntN(2) == 0 {
				members = append(members, fmt.Sprintf("%d/1", step))
			} else {
				at := random.IntN(len(members))
				members = slices.Delete(members, at, at+1)
			}
			if len(members) == 0 {
				continue
			}
			slices.Sort(members)
			targets := plan(owners, members)
			had, has, moved := map[string]int{}, map[string]int{}, 0
			for i, target := range targets {
				had[owners[i]]++
				has[target]++
				if target != owners[i] {
					moved++
				}
			}
			least := 0
			for _, member := range members {
				if has[member] < slots/len(members) || has[member] > (slots+len(members)-1)/len(members) {
					t.Fatalf("%d of %d slots of %d members", has[member], slots, len(members))
				}
				least += max(has[member]-had[member], 0)
			}
			if moved != least {
				t.Fatalf("%d slots move, want %d", moved, least)
			}
			if slots == 64 || slots > 32 && slots < 100 {
				for _, member := range members {
					runs := runsOf(targets, member)
					most, sum, n = max(most, runs), sum+runs, n+1
				}
			}
			if again := plan(targets, members); !slices.Equal(again, targets) {
				t.Fatalf("the plan of %q is %q", targets, again)
			}
			owners = targets
		}
	}
	if mean := float64(sum) / float64(n); most > 12 || mean > 4 {
		t.Errorf("a member has %.1f ranges, and up to %d", mean, most)
	} else {
		t.Logf("a member has %.1f ranges, and up to %d", mean, most)
	}
}

func runsOf(targets []string, member string) (runs int) {
	for i, target := range targets {
		if target == member && (i == 0 || targets[i-1] != member) {
			runs++
		}
	}
	return runs
}

// Slots that move one by one go where they should, whatever is planned in between.
func TestPlanConverges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	for range 100 {
		members := sessionsOf("abcdefg"[:1+random.IntN(7)])
		owners := make([]string, 64)
		for i := range owners {
			owners[i] = sessionsOf("abcdefgh")[random.IntN(8)]
		}
		moves := 0
		for !slices.Equal(plan(owners, members), owners) {
			i := random.IntN(len(owners))
			if target := plan(owners, members)[i]; target != owners[i] {
				if owners[i] != "" && random.IntN(2) == 0 {
					owners[i] = "" // given up
				} else {
					owners[i] = target
				}
				if moves++; moves > 200 {
					t.Fatalf("%d moves: %s", moves, strings.Join(owners, " "))
				}
			}
		}
	}
}
