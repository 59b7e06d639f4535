package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// Table returns, in Markdown, the result of each implementation for each case: "✓", that it is
// skipped, or that it is known to fail.
func Table(implementations ...Implementation) string {
	var b strings.Builder
	for _, f := range families {
		fmt.Fprintf(&b, "\n## %s\n", f.title)
		for _, s := range f.statements {
			fmt.Fprintf(&b, "\n**%s** %s\n\n| case |%s\n|---|%s\n", s.id, s.title,
				columns(implementations, func(i Implementation) string { return i.Name }),
				strings.Repeat("---|", len(implementations)))
			for _, c := range slices.DeleteFunc(slices.Clone(cases), func(c testCase) bool { return c.statement != s.id }) {
				fmt.Fprintf(&b, "| %s |%s\n", c.title, columns(implementations, c.mark))
			}
		}
	}
	return b.String()
}

func columns(implementations []Implementation, text func(Implementation) string) string {
	var b strings.Builder
	for _, i := range implementations {
		fmt.Fprintf(&b, " %s |", text(i))
	}
	return b.String()
}

// mark is the result of an implementation for the case.
func (c testCase) mark(i Implementation) string {
	if reason := c.of(i.Skip); reason != "" {
		return "skipped: " + reason
	}
	if defect := c.of(i.Defects); defect != "" {
		return "fails: " + defect
	}
	return "✓"
}
