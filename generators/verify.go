package generators

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// unified returns the changes as a unified diff, with a line about each file.
func unified(changes []Change) string {
	what := map[ChangeKind]string{Created: "missing: ", Updated: "differs: ", Removed: "stale: "}
	var b strings.Builder
	for _, change := range changes {
		b.WriteString(what[change.Kind] + change.Path + "\n" + change.Diff())
	}
	return b.String()
}

// Diff returns the change as a unified diff.
func (c Change) Diff() string {
	old, now := c.Path, c.Path
	switch c.Kind {
	case Created:
		old = "/dev/null"
	case Removed:
		now = "/dev/null"
	}
	text := string(diff.Diff(old, c.old, now, c.new))
	_, text, _ = strings.Cut(text, "\n") // the line "diff old new", which says nothing more
	return text
}

// Line returns the number of the first line of the old file that differs, or that of its last
// one, if the new file only has more lines. It is 1 for files that are new or removed.
func (c Change) Line() int {
	old, now := bytes.Split(c.old, []byte("\n")), bytes.Split(c.new, []byte("\n"))
	line := 0
	for line < len(old)-1 && line < len(now) && bytes.Equal(old[line], now[line]) {
		line++
	}
	return line + 1
}
