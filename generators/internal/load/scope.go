package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// Scope has the names that files of a package declare, methods as "Type.Method", and what they import.
type Scope struct{ Declared, Imported map[string]token.Position }

// NewScope returns one without names.
func NewScope() Scope {
	return Scope{Declared: map[string]token.Position{}, Imported: map[string]token.Position{}}
}

// Add adds the names of a source, as far as it has no syntax error.
func (s Scope) Add(name string, source []byte) {
	fset := token.NewFileSet()
	if syntax, _ := parser.ParseFile(fset, name, source, parser.SkipObjectResolution); syntax != nil {
		s.addFile(fset, syntax)
	}
}

func (s Scope) addFile(fset *token.FileSet, syntax *ast.File) {
	at := func(pos token.Pos) token.Position { return fset.PositionFor(pos, false) }
	for _, spec := range syntax.Imports {
		s.Imported[importName(spec)] = at(spec.Pos())
	}
	for _, decl := range syntax.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok {
			key := function.Name.Name
			if function.Recv.NumFields() == 1 {
				key = BaseName(function.Recv.List[0].Type) + "." + key
			}
			s.Declared[key] = at(function.Name.Pos())
		}
	}
	for _, spec := range specsOf(syntax) {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.Declared[spec.Name.Name] = at(spec.Name.Pos())
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				s.Declared[name.Name] = at(name.Pos())
			}
		}
	}
	delete(s.Declared, "init") // of which there may be several
	for _, name := range []string{"_", "."} {
		delete(s.Declared, name)
		delete(s.Imported, name)
	}
}

// HandWritten reads the files of a directory that are built and neither this tool's nor among
// some. There are none if there is no directory.
func (l *Loader) HandWritten(dir string, ours map[string]bool) Scope {
	found := NewScope()
	for file, source := range l.handWritten(dir, ours) {
		found.Add(paths.Relative(l.Dir, file), source)
	}
	return found
}

// PackageIn returns one of these files, and its package.
func (l *Loader) PackageIn(dir string, ours map[string]bool) (file, name string) {
	for file, source := range l.handWritten(dir, ours) {
		if syntax, err := parser.ParseFile(token.NewFileSet(), file, source, parser.PackageClauseOnly); err == nil {
			return file, syntax.Name.Name
		}
	}
	return "", ""
}

func (l *Loader) handWritten(dir string, ours map[string]bool) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		names, _ := GoFiles(dir) // which need not exist
		for _, name := range names {
			file := filepath.Join(dir, name)
			if ours[file] {
				continue
			}
			source, err := os.ReadFile(file)
			if err == nil && !l.rules.Ours(source) && l.Included(dir, name, source) && !yield(file, source) {
				return
			}
		}
	}
}

// ImportsOf are the import paths of a file by the names they have in it.
func ImportsOf(syntax *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range syntax.Imports {
		imports[importName(spec)], _ = strconv.Unquote(spec.Path.Value)
	}
	return imports
}

// importName is the name that an import has in its file.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	path, _ := strconv.Unquote(spec.Path.Value)
	return LastElement(path)
}

// TypesOf are the names of the types that a file declares.
func TypesOf(syntax *ast.File) []string {
	var names []string
	for _, decl := range DeclarationsOf(nil, []*File{{Syntax: syntax}}) {
		names = append(names, decl.Name())
	}
	return names
}

// Names are those that a package declares, and that no import may have therefore.
func (p *Package) Names() map[string]bool {
	p.index()
	p.parseDeferred()
	scope, names := NewScope(), map[string]bool{}
	for _, file := range p.Files {
		scope.addFile(p.Loader.fset, file.Syntax)
	}
	for name := range scope.Declared {
		names[name] = true
	}
	return names
}

// LocalType returns a type that the package declares in a file that was parsed at first, or
// nil.
func (p *Package) LocalType(name string) *Declaration {
	p.index()
	return p.types[name]
}

// ExportedTypes are the names of the package's exported types, sorted.
func (p *Package) ExportedTypes() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.types)), func(name string) bool { return !token.IsExported(name) })
}

// IsModule reports whether a package is the root of its module, so that the end
// of its path may be the version of the module.
func (p *Package) IsModule() bool {
	mod, err := p.Loader.Mods.Of(p.Dir)
	return err == nil && mod.Path == p.Path
}

// Aside parses the packages of the same module that some packages import, that no pattern names, and
// whose sources have a text.
func (l *Loader) Aside(packages []*Package, text string) []*Package {
	var found []*Package
	seen := map[string]bool{}
	for _, pkg := range packages {
		mod, err := l.Mods.Of(pkg.Dir)
		for _, file := range pkg.Files {
			for _, path := range importsOf(file.Syntax) {
				if err != nil || seen[path] || l.Looked[path] {
					continue
				}
				seen[path] = true
				if dir := mod.packageDir(path); dir != "" && says(dir, text) {
					found = append(found, l.LoadImport(path, pkg.Dir))
				}
			}
		}
	}
	return slices.DeleteFunc(found, func(pkg *Package) bool { return pkg == nil })
}

// says reports whether a source in a directory has a text.
func says(dir, text string) bool {
	names, _ := GoFiles(dir) // what can't be read says nothing
	return slices.ContainsFunc(names, func(name string) bool {
		source, err := os.ReadFile(filepath.Join(dir, name))
		return err == nil && bytes.Contains(source, []byte(text))
	})
}

// HasSigns reports whether a file below a directory has a sign of API types, as far as it
// was looked into when the context ended.
func (l *Loader) HasSigns(root string) bool {
	found := false
	_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error { // what can't be read has none
		switch {
		case found, l.Ctx.Err() != nil:
			return filepath.SkipAll
		case err == nil && entry.IsDir() && path != root && Ignored(entry.Name()):
			return filepath.SkipDir
		case err == nil && !entry.IsDir() && isGoFile(filepath.Dir(path), entry):
			source, err := os.ReadFile(path)
			found = err == nil && l.rules.Sign(source) && !l.rules.Ours(source)
		}
		return nil
	})
	return found
}
