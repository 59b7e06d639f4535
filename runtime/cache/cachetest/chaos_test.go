package cachetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
)

// met returns the faults that n requests meet.
func met(c Chaos, n int) []string {
	api := NewAPI[*testv1.Carp]()
	api.FailRandomly(c)
	var faults []string
	for i := range n {
		r, _ := api.arrive(Request{Verb: []Verb{List, Watch, WatchList}[i%3]})
		faults = append(faults, r.Fault)
	}
	return faults
}

// TestChaosRepeats: the seed and the place of a request say what it meets,
// whatever happens to others.
func TestChaosRepeats(t *testing.T) {
	const n = 500
	first := met(Chaos{Seed: 1}, n)
	if diff := cmp.Diff(first, met(Chaos{Seed: 1}, n)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(first, met(Chaos{Seed: 2}, n)) {
		t.Error("another seed has the same faults")
	}
	of := func(r Request, f Fault) bool { return r.Verb == List && !f.Hang }
	for i, fault := range met(Chaos{Seed: 1, If: of}, n) {
		want := first[i]
		if i%3 != 0 || strings.Contains(want, "hang") {
			want = ""
		}
		if fault != want {
			t.Errorf("request %d meets %q, want %q", i, fault, want)
		}
	}
}

// TestChaosKinds: every kind of fault happens, and each about as often as it
// should.
func TestChaosKinds(t *testing.T) {
	const n = 10000
	faults := met(Chaos{Restart: true, MaxDelay: time.Minute}, n)
	none := 0
	for _, fault := range faults {
		if fault == "" {
			none++
		}
	}
	if none < n/3 || none > n*2/3 {
		t.Errorf("%d of %d requests meet no fault", none, n)
	}
	for _, kind := range []string{
		"delay", "do", "shuffle", "after 4", "stall", "repeat 1", "repeat 3", "lose bookmarks", "hang", "EOF",
		ErrConnectionRefused.Error(), ErrConnectionReset.Error(), ErrTruncated.Error(), ErrGarbled.Error(),
		"could not find", "expired", "too many requests", "unable to handle", "an error on the server", "in the time allotted",
	} {
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, kind) }) {
			t.Errorf("no fault of %d has %q", n, kind)
		}
	}
	if got := met(Chaos{Rate: 1}, 100); slices.Contains(got, "") {
		t.Errorf("of all requests, some meet no fault: %q", got)
	}
}
