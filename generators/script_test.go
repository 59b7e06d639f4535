package generators

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"go/scanner"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/pflag"

	"github.com/informer-gen/informer-gen/templates"
)

var update = flag.Bool("update", false, "write what the tests find as what they want")

// TestCollect runs every testdata/*.txtar. Its comment says in prose what it
// shows; a line in it that begins with "flags:" has flags of the command and
// patterns, ./... being the default. Its files make a module, or several, to which
// the methods are added that deepcopy-gen would write, unless a line of the
// comment is "no deepcopy"; the
// last one, "want", is what --list prints: warnings, errors, then the table.
// What can be listed is generated too, and must compile.
func TestCollect(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test cases: %v", err)
	}
	if _, err := exports(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			options := scriptOptions(t, string(archive.Comment))
			root := t.TempDir()
			options.Dir = filepath.Join(root, options.Dir)
			want := ""
			for _, file := range archive.Files {
				if file.Name == "want" {
					want = string(file.Data)
					continue
				}
				writeFile(t, filepath.Join(root, file.Name), string(file.Data))
			}
			if !strings.Contains(string(archive.Comment), "\nno deepcopy\n") {
				writeDeepCopies(t, root)
			}
			got := outcome(t, root, options)
			if *update {
				archive.Files = append(archive.Files[:len(archive.Files)-1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got; -update writes it):\n%s", name, diff)
			}
		})
	}
}

// scriptOptions reads the flags of a test case, which are those of the command.
func scriptOptions(t *testing.T, comment string) Options {
	t.Helper()
	options := Options{List: true}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.StringVarP(&options.Dir, "directory", "C", "", "")
	set.StringVar(&options.VersionedClientset, "versioned-clientset-package", "", "")
	set.StringVar(&options.InternalClientset, "internal-clientset-package", "", "")
	set.StringVar(&options.OutputDir, "output-dir", "", "")
	set.StringVar(&options.OutputPackage, "output-pkg", "", "")
	set.StringVar(&options.ListersPackage, "listers-package", "", "")
	set.BoolVar(&options.SkipListers, "skip-listers", false, "")
	set.BoolVar(&options.SingleDirectory, "single-directory", false, "")
	set.BoolVar(&options.Clients, "clients", false, "")
	set.BoolVar(&options.Minimal, "minimal", false, "")
	set.StringSliceVar(&options.PluralExceptions, "plural-exceptions", nil, "")
	set.StringSliceVar(&options.LintRules, "lint-rules", nil, "")
	for line := range strings.Lines(comment) {
		if text, ok := strings.CutPrefix(line, "flags:"); ok {
			if err := set.Parse(strings.Fields(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if options.Patterns = set.Args(); len(options.Patterns) == 0 {
		options.Patterns = []string{"./..."}
	}
	return options
}

// outcome is what a run finds, as text. What can be listed is also generated,
// and must compile: problems of generated files fail the test, those of the
// input are part of the outcome.
func outcome(t *testing.T, root string, options Options) string {
	t.Helper()
	var out bytes.Buffer
	result, err := Run(t.Context(), options)
	for _, warning := range result.Warnings {
		fmt.Fprintf(&out, "warning: %v\n", warning)
	}
	if err != nil {
		return out.String() + errorText(root, err)
	}
	if err := result.WriteTable(&out); err != nil {
		return err.Error()
	}
	options.List = false
	result, err = Run(t.Context(), options)
	if err != nil {
		return out.String() + errorText(root, err)
	}
	for _, group := range result.model.Groups {
		for _, version := range group.Versions {
			fmt.Fprintf(&out, "%s/%s: %s().%s(), client %s\n", group.Dir, version.Dir, group.GoName, version.GoName, strings.Join(accessors(version), ", "))
		}
	}
	for _, problem := range compile(root) {
		fmt.Fprintf(&out, "compile: %v\n", problem)
		if isOutput(options, root, result.Changes, problem.Pos.Filename) {
			t.Errorf("generated code does not compile: %v", problem)
		}
	}
	return platform.Replace(out.String())
}

// platform makes the results of all systems one.
var platform = strings.NewReplacer(build.Default.GOOS+"/"+build.Default.GOARCH, "$GOOS/$GOARCH")

// accessors are the methods that lead from a clientset to the kinds of a version.
func accessors(version *templates.Version) []string {
	var found []string
	for _, typ := range version.Types {
		found = append(found, typ.ClientAccessor)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// isOutput reports whether a file was written.
func isOutput(options Options, root string, changes []Change, name string) bool {
	return name == "" || slices.ContainsFunc(changes, func(change Change) bool { return filepath.Join(options.Dir, change.Path) == filepath.Join(root, name) })
}

func errorText(root string, err error) string {
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) && !errors.Is(err, ErrNothing) {
		var b strings.Builder
		for _, e := range list {
			fmt.Fprintf(&b, "error: %v\n", e)
		}
		return b.String()
	}
	return strings.ReplaceAll(fmt.Sprintf("error: %v\n", err), root, "$WORK")
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
