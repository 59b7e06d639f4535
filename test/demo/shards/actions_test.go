package main

import (
	"path/filepath"
	"testing"
)

func TestOverlaps(t *testing.T) {
	for name, test := range map[string]struct {
		actions []action
		want    int
	}{
		"one after the other":     {[]action{{1, "a", 1, "begin", "x"}, {5, "a", 1, "end", "x"}, {6, "b", 1, "begin", "x"}, {9, "b", 1, "end", "x"}}, 0},
		"at the same time":        {[]action{{1, "a", 1, "begin", "x"}, {4, "b", 1, "begin", "x"}, {5, "a", 1, "end", "x"}, {9, "b", 1, "end", "x"}}, 1},
		"one within the other":    {[]action{{1, "a", 1, "begin", "x"}, {2, "b", 1, "begin", "x"}, {3, "b", 1, "end", "x"}, {9, "a", 1, "end", "x"}}, 1},
		"another order":           {[]action{{1, "a", 1, "begin", "x"}, {4, "b", 1, "begin", "y"}, {5, "a", 1, "end", "x"}}, 0},
		"killed meanwhile":        {[]action{{1, "a", 1, "begin", "x"}, {2, "a", 1, "step", "x"}, {4, "b", 1, "begin", "x"}, {5, "b", 1, "end", "x"}}, 0},
		"stopped, and it knew":    {[]action{{1, "a", 1, "begin", "x"}, {4, "b", 1, "begin", "x"}, {5, "b", 1, "end", "x"}, {7, "a", 1, "lost", "x"}}, 0},
		"stopped, and it did not": {[]action{{1, "a", 1, "begin", "x"}, {4, "b", 1, "begin", "x"}, {5, "b", 1, "end", "x"}, {7, "a", 1, "step", "x"}}, 1},
		"twice by one":            {[]action{{1, "a", 1, "begin", "x"}, {2, "a", 2, "begin", "x"}, {5, "a", 1, "end", "x"}}, 0},
	} {
		if got := overlaps(test.actions); len(got) != test.want {
			t.Errorf("%s: got %v, want %d", name, got, test.want)
		}
	}
}

// What is written is read, but for a line that was cut when the process was killed.
func TestRecorder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	r, err := newRecorder(path)
	if err != nil {
		t.Fatal(err)
	}
	first := now()
	if err := r.record(first, 7, "begin", "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.file.WriteString("123 7 en"); err != nil {
		t.Fatal(err)
	}
	got, err := readActions(path, "a")
	if err != nil || len(got) != 1 || got[0] != (action{first, "a", 7, "begin", "x"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// Two own a slot if a sample of one is between two of the other, which may have been stopped.
func TestShared(t *testing.T) {
	of := func(replica string, at int64, owned string) action { return action{at, replica, 0, sampled, owned} }
	for name, test := range map[string]struct {
		actions []action
		want    int
	}{
		"at the same time":        {[]action{of("a", 1, "3"), of("b", 2, "2"), of("a", 3, "3")}, 1},
		"others":                  {[]action{of("a", 1, "1"), of("b", 2, "2"), of("a", 3, "1")}, 0},
		"one after the other":     {[]action{of("a", 1, "1"), of("a", 3, "1"), of("b", 4, "1"), of("b", 5, "1")}, 0},
		"stopped, and it knew":    {[]action{of("a", 1, "1"), of("b", 2, "1"), of("a", 9, "0")}, 0},
		"stopped, and it did not": {[]action{of("a", 1, "1"), of("b", 2, "1"), of("a", 9, "1")}, 1},
	} {
		byReplica, others := owners(test.actions)
		if got := shared(byReplica); got != test.want || len(others) > 0 {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}
