// Package diag collects what is wrong with the input, with its place: all problems of a run are
// reported together.
package diag

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
)

// List collects problems, which stop the run, and warnings.
type List struct {
	Errors   scanner.ErrorList
	Warnings scanner.ErrorList
}

// Errorf adds a problem: what is wrong: what was found; what to do.
func (d *List) Errorf(pos token.Position, format string, args ...any) {
	d.Errors.Add(pos, fmt.Sprintf(format, args...))
}

// Warnf adds a warning, in the same form.
func (d *List) Warnf(pos token.Position, format string, args ...any) {
	d.Warnings.Add(pos, fmt.Sprintf(format, args...))
}

// Err returns all problems, sorted and each once, or nil.
func (d *List) Err() error {
	d.Errors = Sorted(d.Errors)
	return d.Errors.Err()
}

// NoPosition is the position of a problem that is in no file.
var NoPosition token.Position

// Strict makes problems of the warnings.
func (d *List) Strict() {
	d.Errors, d.Warnings = append(d.Errors, d.Warnings...), nil
}

// Sorted returns a list by position, each entry once.
func Sorted(list scanner.ErrorList) scanner.ErrorList {
	list.Sort()
	return slices.CompactFunc(list, func(a, b *scanner.Error) bool { return *a == *b })
}

// Short is a text that quotes a source, without the end of one that is very long.
func Short(text string) string {
	if letters := []rune(text); len(letters) > maxQuoted {
		return string(letters[:maxQuoted]) + "…"
	}
	return text
}

const maxQuoted = 200

// Count is a number with a noun, which takes an s in the plural.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
