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
	if f.options.Mode != generators.List {
		fmt.Fprintln(w, "informer-gen:", summary(f.options.Mode, result, took))
	}
}

// summary says in a line what a run did, or what --verify found.
func summary(mode generators.Mode, result generators.Result, took time.Duration) string {
	count := map[generators.ChangeKind]int{}
	for _, change := range result.Changes {
		count[change.Kind]++
	}
	created, updated, removed := count[generators.Created], count[generators.Updated], count[generators.Removed]
	took = took.Round(time.Millisecond)
	switch {
	case len(result.Changes) == 0:
		return fmt.Sprintf("%s up to date (%v)", files(result.Files), took)
	case mode == generators.Verify:
		return fmt.Sprintf("generated files are not up to date: %d differ, %d missing, %d stale; to write them, run the same command without --verify",
			updated, created, removed)
	default:
		return fmt.Sprintf("wrote %s, removed %d, %d unchanged, below %s (%v)",
			files(created+updated), removed, result.Files-created-updated, common(result.Changes), took)
	}
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
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
