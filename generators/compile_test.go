package generators

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// compile type-checks every package below a directory that holds modules, what
// was generated among them, and returns the problems. Packages of other modules
// come from a vendor folder or from the export data of this module's build.
func compile(dir string) scanner.ErrorList {
	compiling.Lock()
	defer compiling.Unlock()
	c := &compiler{dir: dir, fset: token.NewFileSet(), mods: &load.Modules{}, dirs: map[string]string{}, packages: map[string]*types.Package{}}
	c.find()
	for path := range c.dirs {
		if _, err := c.Import(path); err != nil {
			c.fail(token.NoPos, err)
		}
	}
	return diag.Sorted(c.problems)
}

// compiler is the types.Importer of one test case.
type compiler struct {
	dir      string
	fset     *token.FileSet
	mods     *load.Modules
	dirs     map[string]string         // directories of the packages to check, by import path
	packages map[string]*types.Package // nil while it is checked
	problems scanner.ErrorList
}

func (c *compiler) fail(pos token.Pos, err error) {
	c.problems.Add(c.fset.Position(pos), err.Error())
}

// find finds the packages below the directory.
func (c *compiler) find() {
	err := filepath.WalkDir(c.dir, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		names, _ := load.GoFiles(dir) // no directory, no files
		path, err := c.mods.ImportPath(dir)
		if err == nil && len(names) > 0 {
			c.dirs[path] = dir
		}
		return nil // what is in no module can't be imported
	})
	if err != nil {
		c.fail(token.NoPos, err)
	}
}

// Import returns a package, checked when it is first asked for.
func (c *compiler) Import(path string) (*types.Package, error) {
	dir := c.dirs[path]
	if dir == "" { // which is so for a linked one
		dir = c.mods.Dir(path, c.dir)
	}
	if dir == "" {
		return built.Import(path)
	}
	pkg, ok := c.packages[path]
	if ok && pkg == nil {
		return nil, errors.New("import cycle")
	}
	if !ok {
		c.packages[path] = nil
		c.packages[path] = c.check(path, dir)
	}
	return c.packages[path], nil
}

func (c *compiler) check(path, dir string) *types.Package {
	files := c.parse(path, dir)
	for _, file := range files {
		for _, spec := range file.Imports {
			c.checkImport(path, spec)
		}
	}
	config := types.Config{Importer: c, Error: func(err error) {
		if problem := (types.Error{}); errors.As(err, &problem) && !strings.HasPrefix(problem.Msg, "\t") { // not the rest of another one
			c.fail(problem.Pos, errors.New(problem.Msg))
		}
	}}
	pkg, _ := config.Check(path, c.fset, files, nil) // the errors are collected
	return pkg
}

// checkImport reports what the go command would not allow.
func (c *compiler) checkImport(from string, spec *ast.ImportSpec) {
	path := strings.Trim(spec.Path.Value, `"`)
	if parent, ok := load.InternalParent(path); ok && c.dirs[path] != "" && !strings.HasPrefix(from+"/", parent) {
		c.fail(spec.Pos(), errors.New("use of internal package "+path))
	}
	if pkg, err := c.Import(path); err == nil && pkg.Name() == "main" {
		c.fail(spec.Pos(), errors.New("import of a program: "+path))
	}
}

// parse parses a package, without its tests.
func (c *compiler) parse(path, dir string) []*ast.File {
	var files []*ast.File
	add := func(name string, source []byte) {
		file, err := parser.ParseFile(c.fset, paths.Relative(c.dir, filepath.Join(dir, name)), source, parser.SkipObjectResolution)
		switch {
		case err != nil:
			c.fail(token.NoPos, err)
		case file.Name.Name != "documentation": // which the go command leaves out
			files = append(files, file)
		}
	}
	names, err := load.GoFiles(dir)
	if err != nil {
		c.fail(token.NoPos, err)
	}
	loader := load.New(context.Background(), "", collect.Rules, nil, nil)
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			c.fail(token.NoPos, err)
		} else if loader.Included(dir, name, source) {
			add(name, source)
		}
	}
	return files
}

// writeDeepCopies adds to every package below a directory the methods that
// deepcopy-gen would write for its marked types.
func writeDeepCopies(t testing.TB, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		names, err := load.GoFiles(dir)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			return nil
		}
		loader := load.New(t.Context(), root, collect.Rules, nil, t.Logf)
		packages, err := loader.Load([]string{dir}, nil, func(_, _ string) bool { return false }, new(diag.List))
		if err != nil || len(packages) == 0 {
			return nil //nolint:nilerr // what is in no module has no methods to write
		}
		pkg := packages[0]
		methods := deepCopies(pkg)
		if methods == "" {
			return nil
		}
		source := "// Code generated by deepcopy-gen. DO NOT EDIT.\n\npackage " + pkg.Name + "\n\nimport \"k8s.io/apimachinery/pkg/runtime\"\n" + methods
		return os.WriteFile(filepath.Join(dir, "zz_generated.deepcopy.go"), []byte(source), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

var apiMarker = regexp.MustCompile(`(?m)^\W*\+(genclient|kubebuilder:object:root=true|kubebuilder:(resource|subresource|printcolumn|storageversion|unservedversion|skipversion))\b`)

// isMarked reports whether the comments of a type have a marker of API types.
func isMarked(decl *load.Declaration) bool {
	comments := decl.Comments()
	for _, group := range []*ast.CommentGroup{comments.Closest, comments.Second} {
		for i := 0; group != nil && i < len(group.List); i++ {
			if apiMarker.MatchString(group.List[i].Text) {
				return true
			}
		}
	}
	return false
}

func deepCopies(pkg *load.Package) string {
	wanted := map[string]bool{}
	for _, decl := range pkg.Declarations() {
		if target := decl.Unalias(); isMarked(decl) && target.Pkg == pkg && target.Spec.TypeParams == nil && decl.Embeds("ObjectMeta") != nil &&
			(decl.Embeds("TypeMeta") != nil || target.HasMethod("GetObjectKind")) {
			wanted[target.Name()], wanted[decl.Name()+"List"] = true, true
		}
	}
	var methods strings.Builder
	for _, decl := range pkg.Declarations() {
		name := decl.Name()
		if wanted[name] && !pkg.DeclaresMethod(name, "DeepCopyObject") && !decl.Spec.Assign.IsValid() && decl.Spec.TypeParams == nil {
			fmt.Fprintf(&methods, "\nfunc (in *%s) DeepCopyObject() runtime.Object { return in }\n", name)
		}
	}
	return methods.String()
}

// exports are the files of export data by import path, of all that generated
// code may need.
var exports = sync.OnceValues(func() (map[string]string, error) {
	command := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "../runtime/generated", "../runtime/source", "../runtime/clientgo/listers", "../runtime/clients")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return files, nil
})

var (
	compiling sync.Mutex // guards built, which all test cases share and which reads export data when it is needed
	built     = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		files, _ := exports()
		if files[path] == "" {
			return nil, fmt.Errorf("package %s is not found", path)
		}
		return os.Open(files[path])
	})
)
