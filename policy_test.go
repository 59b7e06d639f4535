// Package policy holds the rules of this repository that a compiler does not check: which package may
// import which, the modules that go.mod may not have, that the guide to the code is right, and that every
// public package has an example.
package policy

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const module = "github.com/informer-gen/informer-gen/"

// everyClient compiles every client and every type of Kubernetes into a program.
const everyClient = "k8s.io/client-go/informers"

// prometheus has what users need who want metrics, and nobody else.
const prometheus = "github.com/prometheus"

type rule struct {
	own    []string
	barred []string
	// tests are the packages that test files may import besides.
	tests []string
}

// clientFactory is for the factories whose signatures are of everyClient.
var clientFactory = rule{
	own:    []string{"runtime/cache", "runtime/source", "runtime/factory"},
	barred: []string{"k8s.io/gengo"},
	tests:  []string{"runtime/cache/cachetest", "runtime/clientgo/cache", "runtime/internal"},
}

// rules says what the packages below a folder may import of this module and,
// if barred is set, what they may not import of others. The most specific
// folder counts. It is the picture in ARCHITECTURE.md.
var rules = map[string]rule{
	"cmd/informer-gen": {own: []string{"generators", "internal/suggest"}, barred: []string{"k8s.io/client-go"}, tests: []string{"internal/pages"}},
	"generators":       {own: []string{"generators", "templates", "internal/suggest"}, barred: []string{"k8s.io/client-go"}},
	"templates":        {own: []string{"templates"}, barred: []string{"k8s.io/client-go"}},

	// It knows syntax only.
	"generators/internal/load":    {own: []string{"generators/internal/diag", "generators/internal/paths", "internal/suggest"}, barred: []string{"k8s.io", "sigs.k8s.io"}},
	"generators/internal/output":  {own: []string{"generators/internal/diag", "generators/internal/header", "generators/internal/paths", "templates"}, barred: []string{"k8s.io", "sigs.k8s.io"}},
	"generators/internal/fields":  {own: []string{"generators/internal/load", "generators/internal/diag", "internal/suggest", "templates"}, barred: []string{"k8s.io", "sigs.k8s.io"}},
	"generators/internal/collect": {own: []string{"generators/internal/load", "generators/internal/fields", "generators/internal/diag", "generators/internal/header", "generators/internal/paths", "internal/suggest", "templates"}, barred: []string{"k8s.io/client-go"}},
	"generators/internal/diag":    {barred: []string{"k8s.io", "sigs.k8s.io"}},
	"generators/internal/header":  {barred: []string{"k8s.io", "sigs.k8s.io"}},
	"generators/internal/paths":   {barred: []string{"k8s.io", "sigs.k8s.io"}},

	"runtime/shard":         {own: []string{"runtime/cache", "runtime/internal/decoding"}, barred: []string{"k8s.io/client-go", "k8s.io/gengo"}, tests: []string{"runtime/shard", "runtime/cache/cachetest"}},
	"runtime/cache":         {own: []string{"runtime/cache", "runtime/internal/reader", "runtime/internal/decoding", "runtime/internal/nothing"}, barred: []string{"k8s.io/client-go", "k8s.io/gengo"}},
	"runtime/source":        {own: []string{"runtime/cache", "runtime/internal/decode", "runtime/internal/decoding", "runtime/internal/nothing"}, barred: []string{"k8s.io/gengo", everyClient}, tests: []string{"runtime/shard", "runtime/cache/cachetest"}},
	"runtime/clientgo":      {own: []string{"runtime/cache", "runtime/source", "runtime/clientgo", "runtime/internal/reader", "runtime/internal/decoding", "runtime/internal/nothing"}, barred: []string{"k8s.io/gengo", everyClient}, tests: []string{"runtime/internal", "runtime/shard"}},
	"runtime/clients":       {own: []string{"runtime/source", "runtime/clients", "runtime/internal/nothing", "runtime/internal/written"}, barred: []string{"k8s.io/gengo", everyClient}, tests: []string{"runtime/cache/cachetest"}},
	"runtime/controller":    {own: []string{"runtime/cache", "runtime/internal/nothing", "runtime/internal/written", "k8s.io/client-go/util/workqueue"}, barred: []string{"k8s.io/client-go", "k8s.io/gengo"}, tests: []string{"runtime", "testdata", "k8s.io/client-go"}},
	"operations/metrics":    {own: []string{"runtime/cache", "runtime/controller", "operations/membership"}, barred: []string{"k8s.io"}, tests: []string{"operations", "runtime", "testdata", "k8s.io"}},
	"operations/statuspage": {own: []string{"runtime/cache", "runtime/controller", "operations/membership"}, barred: []string{"k8s.io/client-go", "k8s.io/gengo", "html/template", "text/template"}, tests: []string{"operations", "runtime", "testdata", "k8s.io/client-go"}},
	"runtime/references":    {own: []string{"runtime/cache", "runtime/source"}, barred: []string{"k8s.io/gengo", everyClient}, tests: []string{"runtime", "testdata", "k8s.io/client-go/rest"}},
	"runtime/factory":       {own: []string{"runtime/cache", "runtime/source", "runtime/references", "runtime/clientgo", "runtime/factory"}, barred: []string{"k8s.io/gengo", everyClient}, tests: []string{"runtime/controller", "runtime/generated", "runtime/shard", "testdata", everyClient}},
	"runtime/generated":     {own: []string{"runtime/cache", "runtime/source", "runtime/clientgo", "runtime/factory"}, barred: []string{"k8s.io/gengo", everyClient}, tests: []string{everyClient}},
	"runtime/internal":      {own: []string{"runtime/internal"}, barred: []string{"k8s.io"}},
	"internal":              {own: []string{"runtime"}, barred: []string{"k8s.io/gengo", everyClient}},
	"testdata":              {own: []string{"runtime/clients", "runtime/source", "runtime/clientgo", "runtime/factory", "runtime/generated", "testdata"}, barred: []string{"k8s.io/gengo"}, tests: []string{"runtime"}},
	".":                     {tests: []string{"internal/pages"}},

	"runtime/clientgo/dynamicinformer":  clientFactory,
	"runtime/clientgo/metadatainformer": clientFactory,

	// It knows times.
	"runtime/internal/decode": {own: []string{"runtime/internal"}, barred: []string{"k8s.io/client-go", "k8s.io/gengo"}},
	"operations/footprint":    {own: []string{"operations/footprint"}, barred: []string{"k8s.io"}, tests: []string{"operations", "runtime", "testdata", "k8s.io"}},

	// It is between runtime/clients and runtime/controller, and knows objects.
	"runtime/internal/written": {barred: []string{"k8s.io/client-go", "k8s.io/gengo"}},

	// It is between runtime/cache and listers, and knows keys.
	"runtime/internal/reader": {barred: []string{"k8s.io/client-go", "k8s.io/gengo"}},

	// Its client of Leases is an interface.
	"operations/membership": {own: []string{"runtime/shard", "operations/membership"}, barred: []string{"k8s.io/client-go", "k8s.io/gengo"}, tests: []string{"operations", "runtime", "k8s.io/client-go/rest", "k8s.io/client-go/util/flowcontrol"}},

	// Its tests put informers to it, over HTTP, and client-go's informers too.
	"runtime/cache/cachetest": {own: []string{"runtime/cache", "runtime/shard"}, barred: []string{"k8s.io/client-go", "k8s.io/gengo"}, tests: []string{"runtime/source", "k8s.io/client-go"}},

	// Their cases are in terms of client-go's interfaces.
	"runtime/cache/cachetest/conformance":  {own: []string{"runtime/cache"}, barred: []string{"k8s.io/gengo"}, tests: []string{"runtime"}},
	"runtime/cache/cachetest/differential": {own: []string{"runtime/cache"}, barred: []string{"k8s.io/gengo"}, tests: []string{"runtime"}},
	"runtime/cache/cachetest/faults":       {own: []string{"runtime/cache"}, barred: []string{"k8s.io/gengo"}, tests: []string{"runtime", "internal/podinformers"}},
}

// ruleOf returns the folder whose rule counts for a directory.
func ruleOf(dir string) string {
	for ; dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if _, ok := rules[dir]; ok {
			return dir
		}
	}
	return "."
}

func TestImportDirections(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		if entry.IsDir() && (isUnshipped(path) || path != "." && strings.HasPrefix(entry.Name(), ".")) {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".go" {
			checkImports(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return // input of a test that is about syntax errors
	}
	dir := filepath.ToSlash(filepath.Dir(path))
	folder := ruleOf(dir)
	rule := rules[folder]
	allowed := rule.own
	if strings.HasSuffix(path, "_test.go") {
		allowed = append(slices.Clone(allowed), rule.tests...)
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if own, ok := strings.CutPrefix(name, module); ok && own != dir && !within(own, allowed) {
			t.Errorf("%s imports %s; packages in %s may import %v", path, own, folder, allowed)
		}
		if within(name, []string{prometheus}) && folder != "operations/metrics" {
			t.Errorf("%s imports %s, which would be a dependency of every user; only operations/metrics may", path, name)
		}
		if within(name, rule.barred) && !within(name, allowed) {
			t.Errorf("%s imports %s, which packages in %s may not", path, name, folder)
		}
	}
}

// isUnshipped reports whether a folder is a module that has no releases, such as test.
func isUnshipped(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return dir != "." && dir != "operations" && err == nil
}

func within(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return name == folder || strings.HasPrefix(name, folder+"/")
	})
}

// A replace directive breaks "go install ...@latest" for users, and the API
// server that the tests run must not reach them.
func TestGoMod(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace) > 0 {
		t.Errorf("go.mod has a replace directive: %v", mod.Replace[0].Old)
	}
	for _, require := range mod.Require {
		if within(require.Mod.Path, []string{"k8s.io/apiextensions-apiserver", "k8s.io/apiserver", "k8s.io/code-generator", "go.etcd.io"}) {
			t.Errorf("go.mod requires %s, which belongs into test/go.mod", require.Mod.Path)
		}
	}
}

// Every package that users import shows in an example that is run how it is used.
func TestPublicPackagesHaveExamples(t *testing.T) {
	packages := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); isUnshipped(path) || name == "internal" || name == "testdata" || path != "." && strings.HasPrefix(name, ".") {
			return fs.SkipDir
		}
		dir, _ := build.ImportDir(path, 0)
		if len(dir.GoFiles) == 0 || dir.Name == "main" {
			return nil // not a package, or one that nobody imports
		}
		if !slices.ContainsFunc(parse(t, path, dir.GoFiles), ast.FileExports) {
			return nil
		}
		packages++
		examples := doc.Examples(parse(t, path, slices.Concat(dir.TestGoFiles, dir.XTestGoFiles))...)
		if !slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" }) {
			t.Errorf("%s: no example with an output; write an example_test.go that shows its main use", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if packages < 10 {
		t.Errorf("%d public packages were found, want all of them", packages)
	}
}

// What CONTRIBUTING names in "Where is …" is where it says.
func TestWhereIs(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Where is …\n")
	section, _, _ = strings.Cut(section, "\n## ")
	const head = 2
	rows := regexp.MustCompile("(?m)^\\| (.+) \\| `(.+\\.go)` \\| `(.+)` \\|$").FindAllStringSubmatch(section, -1)
	if lines := strings.Count(section, "\n|"); len(rows) < 10 || len(rows) != lines-head {
		t.Errorf("CONTRIBUTING.md: %d rows with a file and a function, of %d", len(rows), lines-head)
	}
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			path, want := row[2], row[3]
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(file.Decls, func(decl ast.Decl) bool { return functionName(decl) == want }) {
				t.Errorf("%s has no function %s", path, want)
			}
		})
	}
}

// parse returns the syntax of some files of a directory.
func parse(t *testing.T, dir string, names []string) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// functionName returns the name of a function, or of a method after its type's.
func functionName(decl ast.Decl) string {
	function, ok := decl.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	if named, ok := receiver.(*ast.Ident); ok {
		return named.Name + "." + function.Name.Name
	}
	return ""
}
