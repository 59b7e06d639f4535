package main

import (
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/generators"
)

func TestMedian(t *testing.T) {
	got := median([]cost{{3 * time.Second, 5, 10}, {time.Second, 4, 30}, {2 * time.Second, 6, 20}})
	if want := (cost{2 * time.Second, 5, 20}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A row says whether each of its goals is kept.
func TestRow(t *testing.T) {
	seconds := func(n time.Duration, peak int64) []cost { return []cost{{n * time.Second, n * time.Second / 2, peak}} }
	for _, c := range []struct {
		name string
		m    measurement
		want string
	}{
		{"no goal", measurement{theirs: seconds(8, 0), ours: seconds(2, 1e6)}, "8 s, CPU 4 s, 0 MB\t2 s, CPU 1 s, 1 MB\t4×, CPU 4×\t\t"},
		{"fast enough", measurement{theirs: seconds(8, 0), ours: seconds(2, 0), goal: goal{ratio: 4}}, "≥ 4×\tmet"},
		{"too slow", measurement{theirs: seconds(8, 0), ours: seconds(2, 0), goal: goal{ratio: 5}}, "≥ 5×\tnot met"},
		{"too large", measurement{theirs: seconds(8, 0), ours: seconds(2, 3e6), goal: goal{ratio: 4, peak: 2e6}}, "≥ 4×, ≤ 2 MB\tnot met"},
		{"nothing to compare with", measurement{ours: seconds(2, 0), again: true}, "\t2 s, CPU 1 s, 0 MB\t\twrites nothing\tmet"},
		{"writes again", measurement{ours: seconds(2, 0), again: true, written: 1}, "writes nothing\tnot met"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.m.row(); !strings.HasSuffix(got, c.want) {
				t.Errorf("got %q, want it to end with %q", got, c.want)
			}
		})
	}
}

// What writeAPI makes up is taken for API types, all of it.
func TestWriteAPI(t *testing.T) {
	dir := t.TempDir()
	if err := (&project{setup: func(dir, _ string) error { return writeAPI(dir, 45) }}).module(dir, "../../.."); err != nil {
		t.Fatal(err)
	}
	result, err := generators.Run(t.Context(), generators.Options{Dir: dir, Patterns: []string{"./apis/..."}, List: true})
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]bool{}
	for _, row := range result.Types {
		groups[row.Group] = true
	}
	if len(groups) != 3 || len(result.Types) != 45 {
		t.Errorf("got %d groups and %d types, want 3 and 45", len(groups), len(result.Types))
	}
}
