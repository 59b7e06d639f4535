package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/informer-gen/informer-gen/generators"
)

// reporter prints messages, in the format that the user asked for.
type reporter struct {
	w      io.Writer
	format string
	// dir is the working directory, and workspace GitHub's checkout.
	dir, workspace string
}

func newReporter(w io.Writer, format string) *reporter {
	dir, _ := os.Getwd() // without one, no run
	return &reporter{w: w, format: format, dir: dir, workspace: os.Getenv("GITHUB_WORKSPACE")}
}

// diagnose prints a diagnostic, in one write.
func (r *reporter) diagnose(d diagnostic) {
	switch {
	case r.format == formatJSON:
		_ = writeJSON(r.w, d, "") // like text on a terminal that is gone
	case r.format == formatGitHub && d.Severity != isInfo:
		d.File = inWorkspace(r.workspace, r.dir, d.File)
		fmt.Fprintln(r.w, workflowCommand(d))
	default:
		fmt.Fprintln(r.w, d.text())
	}
}

// text returns the line that people and editors read.
func (d diagnostic) text() string {
	at := cmp.Or(d.File, "informer-gen")
	if d.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, d.Line)
	}
	if d.Column > 0 {
		at = fmt.Sprintf("%s:%d", at, d.Column)
	}
	if d.Severity == isWarning {
		at += ": warning"
	}
	return at + ": " + d.Message
}

// plain prints a line unchanged or, in the format json, as a message about the run.
func (r *reporter) plain(line string) {
	if r.format == formatJSON {
		r.info(line)
		return
	}
	fmt.Fprintln(r.w, line)
}

func (r *reporter) info(message string) {
	r.diagnose(newDiagnostic(isInfo, token.Position{}, message))
}

func (r *reporter) problem(message string) {
	r.diagnose(newDiagnostic(isError, token.Position{}, message))
}

// warnings prints the warnings of the command line, and then the warnings of the input.
func (r *reporter) warnings(flags []string, input scanner.ErrorList) {
	for _, warning := range flags {
		r.diagnose(newDiagnostic(isWarning, token.Position{}, warning))
	}
	for _, warning := range input {
		r.diagnose(newDiagnostic(isWarning, warning.Pos, warning.Msg))
	}
}

// done prints what a run changed. Removed files are always named, since their removal may not have been
// meant. In the format json, changes go to standard output.
func (r *reporter) done(f *flags, result generators.Result, took time.Duration) {
	for _, change := range result.Changes {
		named := f.verbosity > 1 || change.Kind == removed && !f.options.Verify
		if named && r.format != formatJSON {
			fmt.Fprintf(r.w, "%-10s  %s\n", change.Kind, change.Path)
		}
		if r.format == formatGitHub && f.options.Verify {
			r.diagnose(verifyDiagnostic(change))
		}
	}
	r.info(summary(&f.options, result, took))
}

// The kinds of changes, as generators.Change describes them.
const created, updated, removed = "create", "update", "remove"

// verifyDiagnostic says what is wrong with a generated file.
func verifyDiagnostic(change generators.Change) diagnostic {
	const remedy = "; run informer-gen as this check does, but without --verify"
	text := map[string]string{
		created: "generated file: is missing",
		updated: "generated file: differs from what informer-gen writes",
		removed: "generated file: is stale, for its type is not generated any more",
	}[change.Kind]
	pos := token.Position{Filename: change.Path}
	if change.Kind == updated {
		pos.Line = change.Line()
	}
	return newDiagnostic(isError, pos, text+remedy)
}

// summary says in one line what a run did and what it left out, or what --verify found.
func summary(options *generators.Options, result generators.Result, took time.Duration) string {
	skipped := 0
	for _, row := range result.Types {
		if row.Skipped != "" {
			skipped++
		}
	}
	parts := []string{outcome(options, result, len(result.Types)-skipped, took)}
	if skipped > 0 && options.List {
		parts = append(parts, count(skipped, "type")+" skipped")
	} else if skipped > 0 {
		parts = append(parts, count(skipped, "type")+" skipped (--list says why)")
	}
	if result.OtherModules > 0 {
		parts = append(parts, count(result.OtherModules, "module")+" not looked into")
	}
	if result.Next != "" {
		parts = append(parts, "run "+result.Next+" next")
	}
	return strings.Join(parts, "; ")
}

// outcome says what a run did or found.
func outcome(options *generators.Options, result generators.Result, types int, took time.Duration) string {
	changed := map[string]int{}
	for _, change := range result.Changes {
		changed[change.Kind]++
	}
	took, wrote := took.Round(time.Millisecond), changed[created]+changed[updated]
	switch {
	case options.List:
		return fmt.Sprintf("%s (%v)", count(types, "type"), took)
	case len(result.Changes) == 0:
		return fmt.Sprintf("%s up to date (%v): %s", count(result.Files, "file"), took, count(types, "type"))
	case options.Verify:
		return fmt.Sprintf("generated files are not up to date: %d differ, %d missing, %d stale; to write them, run the same command without --verify",
			changed[updated], changed[created], changed[removed])
	default:
		return fmt.Sprintf("wrote %s, removed %d, %d unchanged, below %s (%v): %s",
			count(wrote, "file"), changed[removed], result.Files-wrote, common(result.Changes), took, count(types, "type"))
	}
}

// count returns a number with a noun, which takes an s in the plural.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// common returns the deepest directory that contains all changes.
func common(changes []generators.Change) string {
	dir := filepath.Dir(changes[0].Path)
	for _, change := range changes {
		for dir != filepath.Dir(dir) && !strings.HasPrefix(change.Path, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}

// many is the largest number of problems that are printed without a line for each directory.
const many = 50

// failed prints an error: a diagnostic for each problem.
func (r *reporter) failed(err error) {
	list, several := (scanner.ErrorList)(nil), (interface{ Unwrap() []error })(nil)
	switch {
	case errors.Is(err, generators.ErrNothing) && r.format == formatText:
		r.problem(err.Error())
	case errors.Is(err, generators.ErrNothing) && errors.As(err, &list):
		r.problem(generators.ErrNothing.Error())
		for _, problem := range list {
			r.diagnose(newDiagnostic(isError, problem.Pos, problem.Msg))
		}
	case errors.As(err, &list):
		r.problems(list)
	case errors.As(err, &several):
		for _, err := range several.Unwrap() {
			r.problem(err.Error())
		}
	default:
		r.problem(err.Error())
	}
}

func (r *reporter) problems(list scanner.ErrorList) {
	dir := ""
	for i, problem := range list {
		if d := filepath.Dir(problem.Pos.Filename); r.format == formatText && len(list) > many && (i == 0 || d != dir) {
			dir = d
			fmt.Fprintf(r.w, "# %s\n", dir)
		}
		r.diagnose(newDiagnostic(isError, problem.Pos, problem.Msg))
	}
	r.info(count(len(list), "problem") + "; nothing was written")
}

// printed returns the exit status of a run that only prints a text. Its arguments are the result of writing
// it.
func (r *reporter) printed(_ int, err error) int {
	if err != nil {
		r.problem(err.Error())
		return 1
	}
	return 0
}

// usage prints an error of the command line, and returns the exit status.
func (r *reporter) usage(err error) int {
	r.problem(err.Error())
	if r.format != formatJSON {
		fmt.Fprintln(r.w, "Run informer-gen --help for the flags.")
	}
	return 2
}
