package load

import (
	"fmt"
	"go/ast"
	"go/doc"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
)

// MaxDepth bounds how far types and constants are followed, so that those which
// refer to themselves end.
const MaxDepth = 16

// Visited are the structs and interfaces that a walk along embedded fields has entered.
// There may be any number of ways through those that embed each other.
type Visited map[ast.Node]bool

// First reports whether a walk enters a type for the first time, and notes it.
func (v Visited) First(body ast.Node) bool {
	again := v[body]
	v[body] = true
	return !again
}

// index fills the tables of a package. What its generated files declare is
// added only by parseDeferred.
func (p *Package) index() {
	p.lookup.Do(func() {
		p.types = map[string]*Declaration{}
		for _, file := range p.Files {
			p.indexFile(file)
		}
	})
}

func (p *Package) indexFile(file *File) {
	for _, spec := range specsOf(file.Syntax) {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.types[spec.Name.Name] = &Declaration{Pkg: p, File: file, Spec: spec}
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				if i < len(spec.Values) {
					p.values = append(p.values, Value{name.Name, p.In(file, spec.Values[i])})
				} else if spec.Type != nil && !doc.IsPredeclared(BaseName(spec.Type)) { // which init may set
					p.values = append(p.values, Value{name.Name, p.In(file, &ast.CompositeLit{Type: spec.Type})})
				}
			}
		}
	}
}

// specsOf are the imports, types, constants and variables of a file.
func specsOf(syntax *ast.File) []ast.Spec {
	var specs []ast.Spec
	for _, decl := range syntax.Decls {
		if general, ok := decl.(*ast.GenDecl); ok {
			specs = append(specs, general.Specs...)
		}
	}
	return specs
}

// importsOf are the import paths of a file, each with the name that the import gives the package,
// or "".
func importsOf(syntax *ast.File) iter.Seq2[string, string] {
	return func(yield func(name, path string) bool) {
		for _, spec := range syntax.Imports {
			name := ""
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && !yield(name, path) {
				return
			}
		}
	}
}

// Value is a constant or variable with the value that it is declared with.
type Value struct {
	Name string
	Expression
}

// Values returns the constants and variables of the package, in order.
func (p *Package) Values() []Value {
	p.index()
	return p.values
}

// parseDeferred parses the files that were left out at first. A file with a
// syntax error is left out for good: it holds no marker.
func (p *Package) parseDeferred() {
	for _, path := range p.deferred {
		source, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var ignored diag.List
		before := len(p.Files)
		p.parseFile(filepath.Base(path), source, &ignored)
		for _, file := range p.Files[before:] {
			file.forgetBodies()
			p.indexFile(file)
		}
	}
	p.deferred, p.declared = nil, nil
}

// forgetBodies drops the bodies of functions, most of the memory of a generated file.
func (f *File) forgetBodies() {
	for _, decl := range f.Syntax.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok {
			function.Body = nil
		}
	}
}

// Type returns the declaration of a type of the package, or nil.
func (p *Package) Type(name string) *Declaration {
	p.index()
	if found := p.types[name]; found != nil || len(p.deferred) == 0 {
		return found
	}
	p.parseDeferred()
	return p.types[name]
}

// Constant returns the value of a constant or variable that the package declares, if it has one.
func (p *Package) Constant(name string) (value Expression, ok bool) {
	for _, found := range p.Values() {
		if found.Name == name {
			return found.Expression, true
		}
	}
	return Expression{}, false
}

// typeOf returns the declaration of a type of this package or of one that it imports, which is
// parsed for it, or nil.
func (p *Package) typeOf(path, name string) *Declaration {
	if path != p.Path {
		p = p.Loader.LoadImport(path, p.Dir)
	}
	if p == nil {
		return nil
	}
	return p.Type(name)
}

// ImportPath returns the import path that a name stands for in a file, or "".
// Without an alias it is the path that ends with the name, if there is one, or
// else the one whose package has that name.
func (f *File) ImportPath(p *Package, name string) string {
	for given, path := range importsOf(f.Syntax) {
		if given == name || given == "" && LastElement(path) == name {
			return path
		}
	}
	for given, path := range importsOf(f.Syntax) {
		if given != "" {
			continue
		}
		if pkg := p.Loader.LoadImport(path, p.Dir); pkg != nil && pkg.Name == name {
			return path
		}
	}
	return ""
}

// Imports reports whether a file of the package imports another one.
func (p *Package) Imports(importPath string) bool {
	for _, file := range p.Files {
		for _, path := range importsOf(file.Syntax) {
			if path == importPath {
				return true
			}
		}
	}
	return false
}

// In returns an expression of the declaration's file.
func (d *Declaration) In(expr ast.Expr) Expression { return d.Pkg.In(d.File, expr) }

// Ref returns what a declaration declares its type as.
func (d *Declaration) Ref() Expression { return d.In(d.Spec.Type) }

// Structure follows aliases and defined types to a struct, or returns nil. The
// declaration is that which holds the struct, or the last one.
func (d *Declaration) Structure() (*ast.StructType, *Declaration) {
	for range MaxDepth {
		switch expr := ast.Unparen(d.Spec.Type).(type) {
		case *ast.StructType:
			return expr, d
		case *ast.StarExpr:
			return nil, d // a pointer to a struct is none
		}
		next, _ := d.Ref().refer()
		if next == nil {
			break
		}
		d = next
	}
	return nil, d
}

// Unalias follows aliases to the declaration of a type.
func (d *Declaration) Unalias() *Declaration {
	for range MaxDepth {
		next, _ := d.Ref().refer()
		if !d.Spec.Assign.IsValid() || next == nil {
			break
		}
		d = next
	}
	return d
}

// HasMethod reports whether the package declares a method of the type.
func (d *Declaration) HasMethod(name string) bool {
	_, ok := d.Pkg.MethodsOf(d.Name())[name]
	return ok
}

// whyLost returns ": " and what the go command said of the packages that a type
// expression may be of, or "".
func (e Expression) whyLost() string {
	qualifier := "."
	if selector, ok := withoutArguments(e.Expr).(*ast.SelectorExpr); ok {
		qualifier = BaseName(selector.X)
	}
	for name, path := range importsOf(e.file.Syntax) {
		if why := e.Pkg.Loader.Failed[path]; why != nil && (name == qualifier || name == "" && qualifier != ".") {
			return fmt.Sprintf(": %v", why)
		}
	}
	return ""
}

// withoutArguments returns the name of a type as it is written, without pointers,
// parentheses and type arguments.
func withoutArguments(expr ast.Expr) ast.Expr {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return withoutArguments(expr.X)
	case *ast.ParenExpr:
		return withoutArguments(expr.X)
	case *ast.IndexExpr:
		return withoutArguments(expr.X)
	case *ast.IndexListExpr:
		return withoutArguments(expr.X)
	}
	return expr
}

// TagOf returns the tag of a field, which may be nil, as it stands in the source, or "".
func TagOf(field *ast.Field) string {
	if field == nil || field.Tag == nil {
		return ""
	}
	return field.Tag.Value
}

// BaseName returns the name of a type without its package, pointer or arguments.
func BaseName(expr ast.Expr) string {
	switch expr := withoutArguments(expr).(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return expr.Sel.Name
	}
	return ""
}
