package generators

import (
	"bytes"
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
	"strings"
	"sync"
)

// compile type-checks every package below a directory that holds modules, what
// was generated among them, and returns the problems. Packages of other modules
// come from a vendor folder or from the export data of this module's build. The
// methods that deepcopy-gen would write for the kinds of the model are added.
func compile(dir string, model *Model) scanner.ErrorList {
	compiling.Lock()
	defer compiling.Unlock()
	c := &compiler{dir: dir, fset: token.NewFileSet(), mods: &modules{}, dirs: map[string]string{}, packages: map[string]*types.Package{}, kinds: map[string]bool{}}
	model.kinds(func(_ *Group, _ *Version, kind *Kind) { c.kinds[kind.goType] = true })
	c.find()
	for path := range c.dirs {
		if _, err := c.Import(path); err != nil {
			c.fail(token.NoPos, err)
		}
	}
	return sorted(c.problems)
}

// compiler is the types.Importer of one test case.
type compiler struct {
	dir      string
	fset     *token.FileSet
	mods     *modules
	dirs     map[string]string         // directories of the packages to check, by import path
	packages map[string]*types.Package // nil while it is checked
	kinds    map[string]bool           // import path and name of the types to copy deeply
	problems scanner.ErrorList
}

func (c *compiler) fail(pos token.Pos, err error) {
	c.problems.Add(c.fset.Position(pos), err.Error())
}

// find finds the packages below the directory.
func (c *compiler) find() {
	err := filepath.WalkDir(c.dir, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || !hasGoFiles(dir) {
			return err
		}
		path, err := c.mods.importPath(dir)
		if err == nil {
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
		dir = c.mods.dir(path, c.dir)
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
	if parent, ok := internalParent(path); ok && c.dirs[path] != "" && !strings.HasPrefix(from+"/", parent) {
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
		file, err := parser.ParseFile(c.fset, relative(c.dir, filepath.Join(dir, name)), source, parser.SkipObjectResolution)
		switch {
		case err != nil:
			c.fail(token.NoPos, err)
		case file.Name.Name != "documentation": // which the go command leaves out
			files = append(files, file)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		c.fail(token.NoPos, err)
	}
	for _, entry := range entries {
		name := entry.Name()
		source, err := os.ReadFile(filepath.Join(dir, name))
		if filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && err == nil && included(dir, name, source) {
			add(name, source)
		}
	}
	if methods := c.deepCopies(path, files); methods != "" {
		add("zz_generated.deepcopy.go", []byte("package "+files[0].Name.Name+"\n\nimport \"k8s.io/apimachinery/pkg/runtime\"\n\n"+methods))
	}
	return files
}

// deepCopies are the methods that deepcopy-gen would write for a package's kinds
// and their lists.
func (c *compiler) deepCopies(path string, files []*ast.File) string {
	var methods strings.Builder
	declared := map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			if method, ok := decl.(*ast.FuncDecl); ok && method.Recv != nil && method.Name.Name == "DeepCopyObject" {
				declared[baseName(method.Recv.List[0].Type)] = true
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok {
				return true
			}
			name := spec.Name.Name
			wanted := c.kinds[path+"."+name] || c.kinds[path+"."+strings.TrimSuffix(name, "List")]
			if wanted && !declared[name] && !spec.Assign.IsValid() {
				fmt.Fprintf(&methods, "func (in *%s) DeepCopyObject() runtime.Object { return in }\n", name)
			}
			return false
		})
	}
	return methods.String()
}

// exports are the files of export data by import path, of all that generated
// code may need.
var exports = sync.OnceValues(func() (map[string]string, error) {
	command := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "../runtime/factory", "../runtime/source", "../runtime/clientgo/listers")
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
