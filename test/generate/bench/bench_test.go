package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/generators"
	"github.com/informer-gen/informer-gen/internal/pages"
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

// The page has three rows of each measurement, and what pages show of them is written, too.
func TestWritePage(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, filepath.FromSlash(pages.ResultsDir))
	readme := filepath.Join(root, "README.md")
	const marker = "<!-- figures generate/k8s.io/api time -->"
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(readme, []byte("| all | | "+marker+" |\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	err := writePage(dir, []measurement{
		{name: "k8s.io/api", project: "k8s.io/api", goal: goal{ratio: 20}, theirs: []cost{{8 * time.Second, 9 * time.Second, 651e6}}, ours: []cost{{250 * time.Millisecond, time.Second, 30e6}}},
		{name: "  second run", project: "k8s.io/api", again: true, ours: []cost{{time.Second, time.Second, 30e6}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		readme: "| all | 8 s | 250 ms " + marker + " |",
		filepath.Join(dir, "generate.md"): "| generate/k8s.io/api | 8 s | 250 ms | 32x | time | ≥ 20× | met |\n" +
			"| generate/k8s.io/api | 9 s | 1 s | 9x | cpu |  |  |\n" +
			"| generate/k8s.io/api | 651M | 30M | 21.7x | peak-RSS-B |  |  |\n" +
			"| generate/k8s.io/api, second run |  | 1 s |  | time | writes nothing | met |\n",
	} {
		if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v: want %q in\n%s", file, err, want, got)
		}
	}
}
