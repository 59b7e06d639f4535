package generators

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/informer-gen/informer-gen/internal/suggest"
)

// diagnostics collects problems, which stop the run, and warnings.
type diagnostics struct {
	errors   scanner.ErrorList
	warnings scanner.ErrorList
}

// errorf adds a problem: what is wrong: what was found; what to do.
func (d *diagnostics) errorf(pos token.Position, format string, args ...any) {
	d.errors.Add(pos, fmt.Sprintf(format, args...))
}

func (d *diagnostics) warnf(pos token.Position, format string, args ...any) {
	d.warnings.Add(pos, fmt.Sprintf(format, args...))
}

// err returns all problems, sorted and each once, or nil.
func (d *diagnostics) err() error {
	d.errors = sorted(d.errors)
	return d.errors.Err()
}

// noPosition is that of a problem which is in no file.
var noPosition token.Position

// strict makes problems of the warnings.
func (d *diagnostics) strict() {
	d.errors, d.warnings = append(d.errors, d.warnings...), nil
}

// refuseSkipped adds a problem for each type that is skipped although no marker and no
// option says so.
func (d *diagnostics) refuseSkipped(model *Model) {
	for _, skip := range model.Skipped {
		if !skip.Explicit {
			d.errorf(skip.Pos, "kind: %s is skipped: %s; leave it out with --exclude if that is meant", skip.Name, skip.Reason)
		}
	}
}

func sorted(list scanner.ErrorList) scanner.ErrorList {
	list.Sort()
	return slices.CompactFunc(list, func(a, b *scanner.Error) bool { return *a == *b })
}

// noDirectory says that the directory of a pattern does not exist, seen from dir.
func noDirectory(dir, base string) error {
	parent, name := path.Split(base)
	var names []string
	entries, _ := os.ReadDir(absolute(dir, parent)) // no names, no suggestion
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	from := ""
	if !filepath.IsAbs(base) {
		from = ", seen from " + dir
	}
	return fmt.Errorf("no such directory%s%s", from, suggest.DidYouMean(name, parent, names))
}

// relative returns a path relative to dir, if that is not longer than the
// absolute one.
func relative(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	return rel
}
