package main

import (
	"errors"
	"fmt"
	"go/scanner"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/informer-gen/informer-gen/generators"
)

// printFound prints what the user asked to see.
func printFound(w io.Writer, f *flags, result generators.Result) error {
	switch {
	case f.options.Mode == generators.List && f.format == "json":
		return generators.WriteJSON(w, result.Model.Rows())
	case f.options.Mode == generators.List:
		return generators.WriteTable(w, result.Model.Rows())
	default:
		_, err := io.WriteString(w, result.Diff)
		return err
	}
}

// printWarnings prints those of the command line, then those of the input.
func printWarnings(w io.Writer, flags []string, input scanner.ErrorList) {
	for _, warning := range flags {
		fmt.Fprintln(w, "informer-gen: warning:", warning)
	}
	for _, warning := range input {
		at := "informer-gen"
		if warning.Pos.IsValid() {
			at = warning.Pos.String()
		}
		fmt.Fprintf(w, "%s: warning: %s\n", at, warning.Msg)
	}
}

// printDone prints what a run changed. What it removed is always named: it may not
// have been meant.
func printDone(w io.Writer, f *flags, result generators.Result, took time.Duration) {
	for _, change := range result.Changes {
		if f.verbosity > 1 || change.Kind == generators.Removed && f.options.Mode == generators.Write {
			fmt.Fprintf(w, "%-10s  %s\n", change.Kind, change.Path)
		}
	}
	fmt.Fprintln(w, "informer-gen:", summary(f.options.Mode, result, took))
}

// summary says in a line what a run did and what it left out, or what --verify
// found.
func summary(mode generators.Mode, result generators.Result, took time.Duration) string {
	parts := []string{outcome(mode, result, took)}
	if n := len(result.Model.Skipped); n > 0 && mode == generators.List {
		parts = append(parts, count(n, "type")+" skipped")
	} else if n > 0 {
		parts = append(parts, count(n, "type")+" skipped (--list says why)")
	}
	if result.PassedOver > 0 {
		parts = append(parts, count(result.PassedOver, "module")+" not looked into")
	}
	if result.Next != "" {
		parts = append(parts, "run "+result.Next+" next")
	}
	return strings.Join(parts, "; ")
}

// outcome says what a run did or found.
func outcome(mode generators.Mode, result generators.Result, took time.Duration) string {
	changed := map[generators.ChangeKind]int{}
	for _, change := range result.Changes {
		changed[change.Kind]++
	}
	created, updated, removed := changed[generators.Created], changed[generators.Updated], changed[generators.Removed]
	types := 0
	for _, row := range result.Model.Rows() {
		if row.Skipped == "" {
			types++
		}
	}
	took = took.Round(time.Millisecond)
	switch {
	case mode == generators.List:
		return fmt.Sprintf("%s (%v)", count(types, "type"), took)
	case len(result.Changes) == 0:
		return fmt.Sprintf("%s up to date (%v): %s", count(result.Files, "file"), took, count(types, "type"))
	case mode == generators.Verify:
		return fmt.Sprintf("generated files are not up to date: %d differ, %d missing, %d stale; to write them, run the same command without --verify",
			updated, created, removed)
	default:
		return fmt.Sprintf("wrote %s, removed %d, %d unchanged, below %s (%v): %s",
			count(created+updated, "file"), removed, result.Files-created-updated, common(result.Changes), took, count(types, "type"))
	}
}

// count is a number with a noun, which takes an s in the plural.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// common is the deepest directory that holds all changes.
func common(changes []generators.Change) string {
	dir := filepath.Dir(changes[0].Path)
	for _, change := range changes {
		for dir != filepath.Dir(dir) && !strings.HasPrefix(change.Path, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}

// many is up to how many problems are printed without a line for each directory.
const many = 50

// printError prints an error, one line for each problem.
func printError(w io.Writer, err error) {
	list, several := (scanner.ErrorList)(nil), (interface{ Unwrap() []error })(nil)
	switch {
	case errors.As(err, &list):
		printProblems(w, list)
	case errors.As(err, &several):
		for _, err := range several.Unwrap() {
			fmt.Fprintln(w, "informer-gen:", err)
		}
	default:
		fmt.Fprintln(w, "informer-gen:", err)
	}
}

func printProblems(w io.Writer, list scanner.ErrorList) {
	dir := ""
	for i, problem := range list {
		if d := filepath.Dir(problem.Pos.Filename); len(list) > many && (i == 0 || d != dir) {
			dir = d
			fmt.Fprintf(w, "# %s\n", dir)
		}
		if !problem.Pos.IsValid() && problem.Pos.Filename == "" {
			fmt.Fprint(w, "informer-gen: ")
		}
		fmt.Fprintln(w, problem)
	}
	noun := "problems"
	if len(list) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(w, "informer-gen: %d %s; nothing was written\n", len(list), noun)
}

// version is that of the module, and the commit if it was built in a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "informer-gen (unknown version)"
	}
	text := "informer-gen " + info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			text += " " + setting.Value
		}
	}
	return text + " " + info.GoVersion
}
