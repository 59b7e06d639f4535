package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writePage writes the results as a page of docs.
func writePage(w io.Writer, results []result) {
	fmt.Fprint(w, `# Public projects

`+"`informer-gen --list`"+` over public projects, beside what each says itself: the CRDs in
its modules, or the informers that it publishes. Written by `+"`cd test && go run ./corpus -docs ../docs/results/corpus.md`"+`,
which downloads the modules from the Go module proxy. Right are types whose group,
version, kind, plural and scope are those of the project; missed are served versions
of CRDs without an informer; extra are types that the project says nothing of,
such as those of aggregated APIs and of tests. Time and memory are those of one run,
with what the go command takes for it.

| project | version | types | right | wrong | missed | extra | s | MB |
|---|---|---|---|---|---|---|---|---|
`)
	var total result
	for _, r := range results {
		if r.refused != "" {
			fmt.Fprintf(w, "| %s | %s | left out: %s | | | | | | |\n", r.module, r.version, r.refused)
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %d | %.2f | %.0f |\n",
			r.module, r.version, r.types, r.right, len(r.wrong), len(r.missed)+len(r.known), len(r.extra), r.seconds, r.megabyt)
		total.types, total.right = total.types+r.types, total.right+r.right
		total.wrong, total.missed, total.extra = append(total.wrong, r.wrong...), append(total.missed, r.missed...), append(total.extra, r.extra...)
	}
	fmt.Fprintf(w, "| all | | %d | %d | %d | %d | %d | | |\n", total.types, total.right, len(total.wrong), len(total.missed), len(total.extra))
	fmt.Fprint(w, "\n## Why\n\n")
	for _, r := range results {
		var lines []string
		for name, why := range r.known {
			lines = append(lines, "missed: "+name+": "+why)
		}
		for _, text := range r.wrong {
			lines = append(lines, "wrong: "+text)
		}
		for _, text := range r.missed {
			lines = append(lines, "missed: "+text)
		}
		slices.Sort(lines)
		if r.note != "" {
			lines = append([]string{r.note}, lines...)
		}
		if len(lines) > 0 {
			fmt.Fprintf(w, "- %s:\n  - %s\n", r.module, strings.Join(lines, "\n  - "))
		}
	}
}
