package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/informer-gen/informer-gen/internal/pages"
	"github.com/informer-gen/informer-gen/test/bench/chart"
)

const head = `# Generation

What it takes to generate informers and listers, written by ` + "`make bench-generate`" + `: code-generator's
lister-gen and informer-gen v0.37.2, one after the other, and informer-gen of this module, each as a process.
The two take turns, and a value is the median of the rounds, on %s.

- **time**: from the start of a process to its end, those of both tools added
- **cpu**: of all cores, with what the tools run themselves
- **peak-RSS-B**: the resident memory of the largest process

| workload | code-generator | here | ratio | unit | goal | |
|---|--:|--:|--:|---|---|---|
`

// writePage writes generate.md into a folder. In a repository's folder of results, it then writes the figures
// of README and guide.
func writePage(dir string, measured []measurement) error {
	var text strings.Builder
	fmt.Fprintf(&text, head, machine())
	for _, m := range measured {
		text.WriteString(m.results())
	}
	if err := os.WriteFile(filepath.Join(dir, "generate.md"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	if root, ok := strings.CutSuffix(filepath.ToSlash(filepath.Clean(dir)), pages.ResultsDir); ok {
		return pages.WriteFigures(root)
	}
	return nil
}

// results are the rows of the page. The first one has the goals.
func (m *measurement) results() string {
	theirs, ours := median(m.theirs), median(m.ours)
	name := "generate/" + m.project
	if m.name != m.project {
		name += ", " + strings.TrimSpace(m.name)
	}
	goals, verdict := m.judge()
	var rows strings.Builder
	for _, value := range []struct {
		unit         string
		shown        string
		theirs, ours float64
	}{
		{chart.Nanoseconds, "time", float64(theirs.wall), float64(ours.wall)},
		{chart.Nanoseconds, "cpu", float64(theirs.cpu), float64(ours.cpu)},
		{"", "peak-RSS-B", float64(theirs.peak), float64(ours.peak)},
	} {
		upstream, ratio := "", ""
		if len(m.theirs) > 0 {
			upstream, ratio = chart.Quantity(value.theirs, value.unit), chart.Quantity(value.theirs/value.ours, "")+"x"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s | %s | %s |\n", name, upstream, chart.Quantity(value.ours, value.unit), ratio, value.shown, goals, verdict)
		goals, verdict = "", ""
	}
	return rows.String()
}
