package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// writeDocs writes a page with the table and the plots into a folder.
func writeDocs(dir string, s scale, results []result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, head, machine(), time.Now().Format(time.DateOnly))
	for _, p := range plots(s) {
		var picture bytes.Buffer
		drawn, err := p.draw(&picture, results)
		if err != nil {
			return err
		}
		if !drawn {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, p.name+".svg"), picture.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&page, "![%s](%s.svg)\n", p.title, p.name)
	}
	page.WriteString("\n| workload | client-go | here | ratio | unit | goal | |\n|---|--:|--:|--:|---|---|---|\n")
	for _, r := range results {
		fmt.Fprintf(&page, "| %s |\n", strings.Join(cells(r), " | "))
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), page.Bytes(), 0o644)
}

const head = `# Benchmarks

Written by ` + "`make bench`" + `: this runtime and client-go's v0.37.2, measured side by
side in one process, on %s, %s.

Every round measures theirs and ours, each first in its turn; a value is the median
of the rounds, and a ratio that of the rounds' ratios: how many times better this
runtime is. A floor is one make and one copy of the pointers, measured in the same
rounds. Sizes, goals and what a name means are in the sources of test/bench, a
workload beside the other; what else was tried is in [alternatives.md](alternatives.md).

`

// machine says what the numbers are from.
func machine() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, model, _ := strings.Cut(string(info), "model name")
	model, _, _ = strings.Cut(model, "\n")
	model = cmp.Or(strings.TrimLeft(model, "\t :"), runtime.GOARCH)
	return fmt.Sprintf("%d cores of %s with %s", runtime.NumCPU(), model, runtime.Version())
}
