package generators

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// unified returns the changes as a unified diff.
func unified(changes []Change) string {
	var b strings.Builder
	for _, change := range changes {
		old, now := change.Path, change.Path
		switch change.Kind {
		case Created:
			fmt.Fprintf(&b, "missing: %s\n", change.Path)
			old = "/dev/null"
		case Removed:
			fmt.Fprintf(&b, "stale: %s\n", change.Path)
			now = "/dev/null"
		case Updated:
			fmt.Fprintf(&b, "differs: %s\n", change.Path)
		}
		text := string(diff.Diff(old, change.old, now, change.new))
		_, text, _ = strings.Cut(text, "\n") // the line "diff old new", which says nothing more
		b.WriteString(text)
	}
	return b.String()
}
