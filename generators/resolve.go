package generators

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
)

// maxDepth bounds how far types and constants are followed, so that those which
// refer to themselves end.
const maxDepth = 16

// visited are the structs and interfaces that a walk along embedded fields has entered.
// There may be any number of ways through those that embed each other.
type visited map[ast.Node]bool

// first reports whether a walk enters a type for the first time, and notes it.
func (v visited) first(body ast.Node) bool {
	again := v[body]
	v[body] = true
	return !again
}

// index fills the tables of a package. What its generated files declare is
// added only by parseDeferred.
func (p *Package) index() {
	p.lookup.Do(func() {
		p.types, p.consts = map[string]*declaration{}, map[string]constant{}
		for _, file := range p.Files {
			p.indexFile(file)
		}
	})
}

func (p *Package) indexFile(file *File) {
	for _, decl := range file.Syntax.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.types[spec.Name.Name] = &declaration{pkg: p, file: file, spec: spec}
			case *ast.ValueSpec:
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						p.consts[name.Name] = constant{file: file, value: spec.Values[i]}
					} else if spec.Type != nil && !doc.IsPredeclared(baseName(spec.Type)) { // which init may set
						p.consts[name.Name] = constant{file: file, value: &ast.CompositeLit{Type: spec.Type}}
					}
				}
			}
		}
	}
}

// parseDeferred parses the files that were left out at first. A file with a
// syntax error is left out for good: it holds no marker.
func (p *Package) parseDeferred() {
	for _, path := range p.deferred {
		source, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var ignored diagnostics
		before := len(p.Files)
		p.parseFile(filepath.Base(path), source, &ignored)
		for _, file := range p.Files[before:] {
			file.forgetBodies()
			p.indexFile(file)
		}
	}
	p.deferred = nil
}

// forgetBodies drops the bodies of functions, most of the memory of a generated file.
func (f *File) forgetBodies() {
	for _, decl := range f.Syntax.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok {
			function.Body = nil
		}
	}
}

// typ returns the declaration of a type of the package, or nil.
func (p *Package) typ(name string) *declaration {
	p.index()
	if found := p.types[name]; found != nil || len(p.deferred) == 0 {
		return found
	}
	p.parseDeferred()
	return p.types[name]
}

// imported returns the import path that a name stands for in a file, or "".
// Without an alias it is the path that ends with the name, if there is one, or
// else the one whose package has that name.
func (f *File) imported(p *Package, name string) string {
	for _, spec := range f.Syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && lastElement(path) == name {
			return path
		}
	}
	for _, spec := range f.Syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || spec.Name != nil {
			continue
		}
		if pkg := p.loader.loadImport(path, p.Dir); pkg != nil && pkg.Name == name {
			return path
		}
	}
	return ""
}

// dotImports are the import paths whose names a file uses without a package.
func (f *File) dotImports() []string {
	var paths []string
	for _, spec := range f.Syntax.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil && spec.Name.Name == "." {
			paths = append(paths, path)
		}
	}
	return paths
}

// refer returns the declaration that a type expression names: here or in
// another package, which is parsed for it. The second result is the name if it
// is one of the opaque package, which is not parsed.
func (d *declaration) refer(expr ast.Expr) (*declaration, string) {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return d.refer(expr.X)
	case *ast.StarExpr:
		return d.refer(expr.X)
	case *ast.IndexExpr:
		return d.refer(expr.X)
	case *ast.IndexListExpr:
		return d.refer(expr.X)
	case *ast.Ident:
		if found := d.pkg.typ(expr.Name); found != nil {
			return found, ""
		}
		for _, path := range d.file.dotImports() {
			if path == d.pkg.loader.rules.opaque {
				return nil, expr.Name
			}
			if pkg := d.pkg.loader.loadImport(path, d.pkg.Dir); pkg != nil && pkg.typ(expr.Name) != nil {
				return pkg.typ(expr.Name), ""
			}
		}
	case *ast.SelectorExpr:
		name, ok := expr.X.(*ast.Ident)
		if !ok {
			return nil, ""
		}
		path := d.file.imported(d.pkg, name.Name)
		switch path {
		case "":
			return nil, ""
		case d.pkg.loader.rules.opaque:
			return nil, expr.Sel.Name
		}
		if pkg := d.pkg.loader.loadImport(path, d.pkg.Dir); pkg != nil {
			return pkg.typ(expr.Sel.Name), ""
		}
	}
	return nil, ""
}

// structure follows aliases and defined types to a struct, or returns nil. The
// declaration is that which holds the struct, or the last one.
func (d *declaration) structure() (*ast.StructType, *declaration) {
	for range maxDepth {
		switch expr := ast.Unparen(d.spec.Type).(type) {
		case *ast.StructType:
			return expr, d
		case *ast.StarExpr:
			return nil, d // a pointer to a struct is none
		}
		next, _ := d.refer(d.spec.Type)
		if next == nil {
			break
		}
		d = next
	}
	return nil, d
}

// unalias follows aliases to the declaration of a type.
func (d *declaration) unalias() *declaration {
	for range maxDepth {
		next, _ := d.refer(d.spec.Type)
		if !d.spec.Assign.IsValid() || next == nil {
			break
		}
		d = next
	}
	return d
}

// hasMethod reports whether the package declares a method of the type.
func (d *declaration) hasMethod(name string) bool {
	_, ok := d.pkg.methodsOf(d.spec.Name.Name)[name]
	return ok
}

// lost returns the name of a type that can't be found, and by which a type is defined or
// which it embeds, also through other types, with its place and the reason; or "".
func (d *declaration) lost(seen visited) string {
	fields, holder := d.structure()
	if !seen.first(holder.spec.Type) {
		return ""
	}
	exprs := []ast.Expr{holder.spec.Type}
	if fields != nil {
		exprs = nil
		for _, field := range fields.Fields.List {
			if len(field.Names) == 0 {
				exprs = append(exprs, field.Type)
			}
		}
	}
	for _, expr := range exprs {
		name := baseName(expr)
		next, meta := holder.refer(expr)
		switch {
		case meta != "", name == "", doc.IsPredeclared(name):
		case next == nil:
			return fmt.Sprintf("%s at %s, which is not found%s", types.ExprString(expr), holder.pkg.loader.position(expr.Pos()), holder.whyLost(expr))
		default:
			if found := next.lost(seen); found != "" {
				return found
			}
		}
	}
	return ""
}

// whyLost returns ": " and what the go command said of the packages that a type
// expression may be of, or "".
func (d *declaration) whyLost(expr ast.Expr) string {
	expr = withoutArguments(expr)
	for _, spec := range d.file.Syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		why := d.pkg.loader.failed[path]
		if err != nil || why == nil {
			continue
		}
		qualifier := "."
		if selector, ok := expr.(*ast.SelectorExpr); ok {
			qualifier = baseName(selector.X)
		}
		if spec.Name == nil && qualifier == "." || spec.Name != nil && spec.Name.Name != qualifier {
			continue
		}
		return fmt.Sprintf(": %v", why)
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

// meta is a struct of the meta package, or of a package that has its own, that
// is embedded in a type.
type meta struct {
	found bool
	// tag is the tag of the field, as it stands in the source.
	tag string
}

// embeds looks for an embedded field of the given name, in the type and in what
// it embeds.
func (d *declaration) embeds(name string) meta { return d.embedsWithin(name, visited{}) }

func (d *declaration) embedsWithin(name string, seen visited) meta {
	fields, holder := d.structure()
	if fields == nil || !seen.first(fields) {
		return meta{}
	}
	var bases []*ast.Field
	for _, field := range fields.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		if baseName(field.Type) == name {
			return meta{found: true, tag: tagOf(field)}
		}
		bases = append(bases, field)
	}
	for _, field := range bases {
		base, ofMeta := holder.embedded(field.Type)
		if ofMeta == name {
			return meta{found: true, tag: tagOf(field)}
		}
		if base == nil {
			continue
		}
		if found := base.embedsWithin(name, seen); found.found {
			return found
		}
	}
	return meta{}
}

func tagOf(field *ast.Field) string {
	if field.Tag == nil {
		return ""
	}
	return field.Tag.Value
}

// baseName returns the name of a type without its package, pointer or arguments.
func baseName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.StarExpr:
		return baseName(expr.X)
	case *ast.ParenExpr:
		return baseName(expr.X)
	case *ast.IndexExpr:
		return baseName(expr.X)
	case *ast.IndexListExpr:
		return baseName(expr.X)
	}
	return ""
}

// expression is an expression in a file of a package.
type expression struct {
	pkg  *Package
	file *File
	ast.Expr
}

// value follows the names of constants and variables, of this and other packages, and of
// fields of theirs, to what they are made of. A pointer stands for its element.
func (e expression) value() expression { return e.follow(maxDepth) }

func (e expression) follow(depth int) expression {
	for ; depth > 0; depth-- {
		var found constant
		var ok bool
		switch expr := e.Expr.(type) {
		case *ast.ParenExpr:
			found, ok = constant{file: e.file, value: expr.X}, true
		case *ast.StarExpr:
			found, ok = constant{file: e.file, value: expr.X}, true
		case *ast.UnaryExpr:
			found, ok = constant{file: e.file, value: expr.X}, expr.Op == token.AND
		case *ast.Ident:
			e.pkg.index()
			found, ok = e.pkg.consts[expr.Name]
		case *ast.SelectorExpr:
			path := ""
			if name, _ := expr.X.(*ast.Ident); name != nil {
				path = e.file.imported(e.pkg, name.Name)
			}
			if path == "" {
				field := expression{e.pkg, e.file, expr.X}.follow(depth-1).element(expr.Sel.Name, -1)
				if field.Expr == nil {
					return e
				}
				e = field
				continue
			}
			pkg := e.pkg.loader.loadImport(path, e.pkg.Dir)
			if pkg == nil {
				return e
			}
			pkg.index()
			e.pkg = pkg
			found, ok = pkg.consts[expr.Sel.Name]
		}
		if !ok {
			return e
		}
		e.file, e.Expr = found.file, found.value
	}
	return e
}

// element returns the value of a field in a literal: by its name, or by its place in one without
// names. There is no Expr if it is left out.
func (e expression) element(name string, place int) expression {
	composite, ok := e.Expr.(*ast.CompositeLit)
	if !ok {
		return expression{}
	}
	for i, element := range composite.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		switch {
		case ok && baseName(pair.Key) == name:
			return expression{e.pkg, e.file, pair.Value}
		case !ok && i == place:
			return expression{e.pkg, e.file, element}
		}
	}
	return expression{}
}

// lost returns the first name that an expression is made of and that is of a package
// which can't be had, and why.
func (e expression) lost(depth int) (name expression, why string) {
	e = e.value()
	switch expr := e.Expr.(type) {
	case *ast.SelectorExpr, *ast.Ident:
		holder := declaration{pkg: e.pkg, file: e.file}
		return e, holder.whyLost(expr)
	case *ast.BinaryExpr:
		if depth == 0 {
			return e, ""
		}
		if name, why := (expression{e.pkg, e.file, expr.X}).lost(depth - 1); why != "" {
			return name, why
		}
		return expression{e.pkg, e.file, expr.Y}.lost(depth - 1)
	}
	return e, ""
}

// text returns the string that an expression is: a literal, a constant, or
// several of them joined.
func (e expression) text(depth int) (string, bool) {
	e = e.value()
	switch expr := e.Expr.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(expr.Value)
		return text, err == nil && expr.Kind == token.STRING
	case *ast.BinaryExpr:
		if depth == 0 || expr.Op != token.ADD {
			return "", false
		}
		left, okLeft := expression{e.pkg, e.file, expr.X}.text(depth - 1)
		right, okRight := expression{e.pkg, e.file, expr.Y}.text(depth - 1)
		return left + right, okLeft && okRight
	}
	return "", false
}
