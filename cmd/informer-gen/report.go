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

// many is the number of problems from which on they are printed by directory.
const many = 50

// printError prints an error, one line for each problem with a position.
func printError(w io.Writer, err error) {
	list, several := (scanner.ErrorList)(nil), (interface{ Unwrap() []error })(nil)
	switch {
	case errors.As(err, &list):
	case errors.As(err, &several):
		for _, err := range several.Unwrap() {
			fmt.Fprintln(w, "informer-gen:", err)
		}
		return
	default:
		fmt.Fprintln(w, "informer-gen:", err)
		return
	}
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
