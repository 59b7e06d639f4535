package generators

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Change is a change of one file.
type Change struct {
	// Path is relative to the working directory.
	Path string
	// Kind is "create" for a file that does not exist yet, "update" for one with other content
	// than before, and "remove" for one of an earlier run whose API type no longer exists.
	Kind string
	// Diff is the change as a unified diff. Only Options.Verify sets it and Line.
	Diff string
	// Line is the number of the first line of the old file that differs, or that of its last
	// one, if the new file only has more lines. It is 1 for files that are new or removed.
	Line int
}

// Diff returns the changes as a unified diff, with a line about each file. It is empty without
// Options.Verify.
func (r *Result) Diff() string {
	what := map[string]string{created: "missing: ", updated: "differs: ", removed: "stale: "}
	var b strings.Builder
	for _, change := range r.Changes {
		if change.Diff != "" {
			b.WriteString(what[change.Kind] + change.Path + "\n" + change.Diff)
		}
	}
	return b.String()
}

// public returns the change as callers see it, with its difference if they verify.
func (c change) public(verify bool) Change {
	found := Change{Path: c.shown, Kind: c.kind}
	if verify {
		found.Diff, found.Line = c.diff(), c.line()
	}
	return found
}

func (c change) diff() string {
	old, now := c.shown, c.shown
	switch c.kind {
	case created:
		old = "/dev/null"
	case removed:
		now = "/dev/null"
	}
	text := string(diff.Diff(old, c.old, now, c.new))
	_, text, _ = strings.Cut(text, "\n") // the line "diff old new", which says nothing more
	return text
}

func (c change) line() int {
	old, now := bytes.Split(c.old, []byte("\n")), bytes.Split(c.new, []byte("\n"))
	line := 0
	for line < len(old)-1 && line < len(now) && bytes.Equal(old[line], now[line]) {
		line++
	}
	return line + 1
}
