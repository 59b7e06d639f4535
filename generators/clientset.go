package generators

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// clientset is a clientset as far as it was read.
type clientset struct {
	path string
	// accessors are the methods of its Interface by the import path of the typed
	// client that they return, typed/<group>/<version>.
	accessors map[string]string
	methods   map[string]bool // all those of Interface
	// typed are the types that the accessors return, by method.
	typed map[string]typeName
	pkg   *Package
}

// typeName is a type by its import path and name.
type typeName struct{ path, name string }

// clientsets are by import path, and nil if they are not there.
type clientsets struct {
	loader *loader
	found  map[string]*clientset
}

// read reads the clientset of an import path. It returns nil for one that is
// not there: scripts may run client-gen later.
func (c clientsets) read(path string) *clientset {
	if found, ok := c.found[path]; ok {
		return found
	}
	c.found[path] = nil
	l := c.loader
	if l.mods.lacks(path, l.dir) {
		return nil
	}
	pkg := l.loadImport(path, l.dir)
	if pkg == nil {
		delete(l.failed, path) // no API type refers to it
		return nil
	}
	decl := pkg.typ("Interface")
	if decl == nil {
		return nil
	}
	methods, ok := decl.spec.Type.(*ast.InterfaceType)
	if !ok {
		return nil
	}
	found := &clientset{path: path, accessors: map[string]string{}, methods: map[string]bool{}, typed: map[string]typeName{}, pkg: pkg}
	for _, method := range methods.Methods.List {
		signature, ok := method.Type.(*ast.FuncType)
		if !ok || len(method.Names) != 1 || signature.Params.NumFields() > 0 || signature.Results.NumFields() != 1 {
			continue
		}
		found.methods[method.Names[0].Name+"()"] = true
		if result, ok := signature.Results.List[0].Type.(*ast.SelectorExpr); ok {
			if typed := decl.file.imported(pkg, baseName(result.X)); strings.Contains(typed, "/typed/") {
				found.accessors[typed] = method.Names[0].Name
				found.typed[method.Names[0].Name+"()"] = typeName{typed, result.Sel.Name}
			}
		}
	}
	c.found[path] = found
	return found
}

// accessor returns the method that leads to the client of an API package's types,
// or "": of the typed clients whose path ends like the package's, or else of all,
// that which imports the package.
func (c *clientset) accessor(api *Package) string {
	var likely, others []string
	suffix := "/typed/" + strings.ToLower(pathGroup(api.Path)+"/"+path.Base(api.Path))
	for typed := range c.accessors {
		if strings.HasSuffix(strings.ToLower(typed), suffix) {
			likely = append(likely, typed)
		} else {
			others = append(others, typed)
		}
	}
	slices.Sort(likely)
	slices.Sort(others)
	for _, typed := range slices.Concat(likely, others) {
		rel, ok := strings.CutPrefix(typed, c.path+"/")
		if ok && importsPackage(filepath.Join(c.pkg.Dir, filepath.FromSlash(rel)), api.Path) {
			return c.accessors[typed] + "()"
		}
	}
	return ""
}

// importsPackage reports whether a file of a directory imports a package.
func importsPackage(dir, importPath string) bool {
	names, _ := goFiles(dir) // a client that is not there imports nothing
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(source, []byte(importPath)) { // most do not name it, and need not be parsed
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err == nil && slices.ContainsFunc(syntax.Imports, func(spec *ast.ImportSpec) bool {
			found, _ := strconv.Unquote(spec.Path.Value)
			return found == importPath
		}) {
			return true
		}
	}
	return false
}
