// Package migration shows what it takes to move code from client-go's informers
// to this module: the import paths, and nothing else.
package migration

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module    = "github.com/informer-gen/informer-gen/"
	generated = module + "test/migration/generated"
)

// replacements are the packages that people import of client-go, or generate
// with its code-generator, and what takes their places. The generated ones are
// made by informer-gen, for k8s.io/api/core/v1.
var replacements = map[string]string{
	"k8s.io/client-go/tools/cache":               module + "runtime/clientgo/cache",
	"k8s.io/client-go/dynamic/dynamicinformer":   module + "runtime/clientgo/dynamicinformer",
	"k8s.io/client-go/metadata/metadatainformer": module + "runtime/clientgo/metadatainformer",
	"k8s.io/client-go/informers":                 generated + "/informers/externalversions",
	"k8s.io/client-go/listers/core/v1":           generated + "/listers/core/v1",
}

// The same sources, controllers and their tests, are compiled and run with
// client-go, and with its import paths replaced: the same tests pass.
func TestSameSourcesTwice(t *testing.T) {
	theirs, informers := runSources(t)
	if want := "k8s.io/client-go/tools/cache"; informers != want {
		t.Errorf("as they are, the sources use informers of %s, want %s", informers, want)
	}
	ours, informers := runSources(t, "-overlay", overlay(t))
	if want := module + "runtime/clientgo/cache"; informers != want {
		t.Errorf("with other imports, the sources use informers of %s, want %s", informers, want)
	}
	if len(theirs) < 10 || !slices.Equal(theirs, ours) {
		t.Errorf("passed with client-go: %v\nwith other imports: %v", theirs, ours)
	}
	t.Logf("%d tests pass with either", len(ours))
}

var (
	passed         = regexp.MustCompile(`(?m)^ *--- PASS: (\S+)`)
	implementation = regexp.MustCompile(`informers of (\S+)`)
)

// runSources runs the tests of the sources. It returns the names of those that
// passed, in order, and the package that the informers are of. The go command
// vets the sources elsewhere; it cannot vet packages that are in an overlay only.
func runSources(t *testing.T, flags ...string) (tests []string, informers string) {
	t.Helper()
	output := goCommand(t, append(append([]string{"test", "-v", "-count=1", "-vet=off"}, flags...), "./sources")...)
	for _, match := range passed.FindAllStringSubmatch(output, -1) {
		tests = append(tests, match[1])
	}
	slices.Sort(tests)
	if match := implementation.FindStringSubmatch(output); match != nil {
		informers = match[1]
	}
	return tests, informers
}

// goCommand runs the go command and returns its output.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// overlay writes what the go command reads in place of the sources, with the
// generated packages besides, and returns the file that tells it so.
func overlay(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}

	sources, err := filepath.Glob(filepath.Join("sources", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]bool{}
	for _, source := range sources {
		file := filepath.Join(dir, filepath.Base(source))
		write(t, file, replaceImports(t, source, replaced))
		replace[filepath.Join(here, source)] = file
	}
	for path := range replacements {
		if !replaced[path] {
			t.Errorf("no source imports %s", path)
		}
	}

	generate(t, filepath.Join(dir, "generated"))
	err = filepath.WalkDir(filepath.Join(dir, "generated"), func(file string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(dir, file)
			replace[filepath.Join(here, rel)] = file
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	write(t, file, text)
	return file
}

// generate writes informers and listers for the core group, and client-go's
// clientset, into a folder that stands for the package generated.
func generate(t *testing.T, dir string) {
	t.Helper()
	goCommand(t, "run", module+"cmd/informer-gen",
		"--output-dir", filepath.Join(dir, "informers"), "--output-pkg", generated+"/informers",
		"--listers-package", generated+"/listers",
		"--versioned-clientset-package", "k8s.io/client-go/kubernetes",
		"k8s.io/api/core/v1")
}

// replaceImports returns a source with other import paths, and notes which were
// replaced.
func replaceImports(t *testing.T, source string, replaced map[string]bool) []byte {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, source, text, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range slices.Backward(file.Imports) {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		other, ok := replacements[path]
		if !ok {
			continue
		}
		replaced[path] = true
		from, to := fset.Position(spec.Path.Pos()).Offset, fset.Position(spec.Path.End()).Offset
		text = slices.Replace(text, from, to, []byte(strconv.Quote(other))...)
	}
	return text
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
