package generate

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checker type-checks the generated packages of a project, function bodies and
// all, from source and in this process. What they import is compiled already:
// it is read from the export data in the build cache. That takes seconds where
// compiling takes minutes.
type checker struct {
	fset     *token.FileSet
	sources  map[string][]*ast.File // by import path
	checked  map[string]*types.Package
	compiled types.Importer
	problems []error
}

// check type-checks the packages below folders of a project, and returns them by
// import path. An error in them fails the test.
func check(t *testing.T, dir, module string, folders ...string) map[string]*types.Package {
	t.Helper()
	c := &checker{fset: token.NewFileSet(), sources: map[string][]*ast.File{}, checked: map[string]*types.Package{}}
	for _, folder := range folders {
		for _, name := range files(t, filepath.Join(dir, folder)) {
			file, err := parser.ParseFile(c.fset, filepath.Join(dir, folder, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			importPath := path.Join(module, folder, path.Dir(name))
			c.sources[importPath] = append(c.sources[importPath], file)
		}
	}
	if len(c.sources) == 0 {
		t.Fatalf("nothing was generated in %v", folders)
	}
	c.compiled = importer.ForCompiler(c.fset, "gc", exports(t, dir, c.imports()))
	for importPath := range c.sources {
		if _, err := c.Import(importPath); err != nil {
			c.problems = append(c.problems, err)
		}
	}
	if len(c.problems) > 0 {
		t.Fatalf("%d problems, the first: %v", len(c.problems), errors.Join(c.problems[:min(len(c.problems), 10)]...))
	}
	return c.checked
}

// Import returns a package, of the project or one that is compiled already.
func (c *checker) Import(importPath string) (*types.Package, error) {
	if pkg, ok := c.checked[importPath]; ok {
		return pkg, nil
	}
	sources, ok := c.sources[importPath]
	if !ok {
		return c.compiled.Import(importPath)
	}
	config := types.Config{Importer: c, Error: func(err error) { c.problems = append(c.problems, err) }}
	pkg, _ := config.Check(importPath, c.fset, sources, nil) // its error is the first of the problems
	c.checked[importPath] = pkg
	return pkg, nil
}

// imports returns the packages that the sources import and that are not among them.
func (c *checker) imports() []string {
	found := map[string]bool{}
	for _, sources := range c.sources {
		for _, file := range sources {
			for _, spec := range file.Imports {
				importPath, err := strconv.Unquote(spec.Path.Value)
				if _, own := c.sources[importPath]; err == nil && !own {
					found[importPath] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// exports compiles packages, unless they are in the build cache, and returns a
// function that reads their export data.
func exports(t *testing.T, dir string, importPaths []string) importer.Lookup {
	t.Helper()
	list := append([]string{"list", "-export", "-f", "{{.ImportPath}}\t{{.Export}}", "--"}, importPaths...)
	output := mustRun(t, dir, "go", list...)
	found := map[string]string{}
	for line := range strings.Lines(output) {
		if importPath, file, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[importPath] = file
		}
	}
	return func(importPath string) (io.ReadCloser, error) {
		content, err := os.ReadFile(found[importPath])
		if err != nil {
			return nil, fmt.Errorf("export data of %s: %w", importPath, err)
		}
		return io.NopCloser(bytes.NewReader(content)), nil
	}
}
