package load

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// Expression is an expression in a file of a package.
type Expression struct {
	Pkg  *Package
	file *File
	ast.Expr
	// of has the type arguments, if the expression is in the declaration of an instance.
	of *arguments
}

// arguments are the types that the type parameters of a generic type stand for in an instance of it.
type arguments struct{ byName map[string]Expression }

// In returns an expression of one of the package's files.
func (p *Package) In(file *File, expr ast.Expr) Expression { return Expression{p, file, expr, nil} }

// Value follows the names of constants and variables, of this and other packages, and of
// fields of theirs, to what they are made of. A pointer stands for its element.
func (e Expression) Value() Expression { return e.follow(MaxDepth) }

func (e Expression) follow(depth int) Expression {
	for ; depth > 0; depth-- {
		next, ok := e, false
		switch expr := e.Expr.(type) {
		case *ast.ParenExpr:
			next, ok = e.In(expr.X), true
		case *ast.StarExpr:
			next, ok = e.In(expr.X), true
		case *ast.UnaryExpr:
			next, ok = e.In(expr.X), expr.Op == token.AND
		case *ast.Ident:
			next, ok = e.Pkg.Constant(expr.Name)
		case *ast.SelectorExpr:
			path := ""
			if name, _ := expr.X.(*ast.Ident); name != nil {
				path = e.file.ImportPath(e.Pkg, name.Name)
			}
			if path == "" {
				next = e.In(expr.X).follow(depth-1).Element(expr.Sel.Name, -1)
				ok = next.Expr != nil
			} else if pkg := e.Pkg.Loader.LoadImport(path, e.Pkg.Dir); pkg != nil {
				next, ok = pkg.Constant(expr.Sel.Name)
			}
		}
		if !ok {
			return e
		}
		e = next
	}
	return e
}

// In returns another expression of the same file.
func (e Expression) In(expr ast.Expr) Expression { return Expression{e.Pkg, e.file, expr, e.of} }

// Element returns the value of a field in a literal: by its name, or by its place in one without
// names. There is no Expression if it is left out.
func (e Expression) Element(name string, place int) Expression {
	composite, ok := e.Expr.(*ast.CompositeLit)
	if !ok {
		return Expression{}
	}
	for i, element := range composite.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		switch {
		case ok && BaseName(pair.Key) == name:
			return e.In(pair.Value)
		case !ok && i == place:
			return e.In(element)
		}
	}
	return Expression{}
}

// joined are the values that an expression joins with +: its own, if it joins none.
func (e Expression) joined(depth int) []Expression {
	e = e.Value()
	if sum, ok := e.Expr.(*ast.BinaryExpr); ok && sum.Op == token.ADD && depth > 0 {
		return append(e.In(sum.X).joined(depth-1), e.In(sum.Y).joined(depth-1)...)
	}
	return []Expression{e}
}

// Lost returns the first name that an expression joins and that is of a package which can't be
// had, and why.
func (e Expression) Lost() (name Expression, why string) {
	for _, name := range e.joined(MaxDepth) {
		switch name.Expr.(type) {
		case *ast.SelectorExpr, *ast.Ident:
			if why := name.whyLost(); why != "" {
				return name, why
			}
		}
	}
	return e, ""
}

// Text returns the string that an expression is: a literal, a constant, or
// several of them joined.
func (e Expression) Text() (text string, ok bool) {
	ok = true
	for _, part := range e.joined(MaxDepth) {
		literal, _ := part.Expr.(*ast.BasicLit)
		if literal == nil || literal.Kind != token.STRING {
			ok = false
			continue
		}
		unquoted, err := strconv.Unquote(literal.Value)
		text, ok = text+unquoted, ok && err == nil
	}
	return text, ok
}

// Resolved returns the type argument that a type parameter stands for, or the type itself.
func (t Expression) Resolved() Expression {
	for range MaxDepth {
		name, ok := t.Expr.(*ast.Ident)
		if !ok || t.of == nil || t.of.byName[name.Name].Expr == nil {
			break
		}
		t = t.of.byName[name.Name]
	}
	return t
}

// Instance returns what an instance of a generic type of the same package is made of.
func (t Expression) Instance() (decl *Declaration, made Expression, ok bool) {
	var given []ast.Expr
	switch expr := t.Expr.(type) {
	case *ast.IndexExpr:
		given = []ast.Expr{expr.X, expr.Index}
	case *ast.IndexListExpr:
		given = append([]ast.Expr{expr.X}, expr.Indices...)
	default:
		return nil, t, false
	}
	name, _ := given[0].(*ast.Ident)
	if name == nil {
		return nil, t, false
	}
	if decl = t.Pkg.LocalType(name.Name); decl == nil || decl.Spec.TypeParams.NumFields() != len(given)-1 {
		return nil, t, false
	}
	made = decl.Ref()
	made.of = &arguments{map[string]Expression{}}
	for _, params := range decl.Spec.TypeParams.List {
		for _, param := range params.Names {
			given = given[1:]
			made.of.byName[param.Name] = t.In(given[0])
		}
	}
	return decl, made, true
}

// Named returns the import path and the name of a named type, as it is written; the path is
// empty for predeclared ones, and both are for others.
func (t Expression) Named() (path, name string) {
	switch expr := t.Expr.(type) {
	case *ast.ParenExpr:
		return t.In(expr.X).Named()
	case *ast.InterfaceType:
		if expr.Methods.NumFields() == 0 {
			return "", "any"
		}
	case *ast.Ident:
		if argument := t.Resolved(); argument != t {
			return argument.Named()
		}
		if t.Pkg.LocalType(expr.Name) == nil && doc.IsPredeclared(expr.Name) { // without a look into generated files
			return "", expr.Name
		}
		if t.Pkg.Type(expr.Name) != nil {
			return t.Pkg.Path, expr.Name
		}
		for name, path := range importsOf(t.file.Syntax) {
			if name == "." && (path == t.Pkg.Loader.rules.Opaque || t.Pkg.typeOf(path, expr.Name) != nil) {
				return path, expr.Name
			}
		}
		return t.Pkg.Path, expr.Name
	case *ast.SelectorExpr:
		if qualifier, ok := expr.X.(*ast.Ident); ok {
			return t.file.ImportPath(t.Pkg, qualifier.Name), expr.Sel.Name
		}
	}
	return "", ""
}

// Declaration returns the declaration of a named type, or nil. If it can't be found, lost says so.
func (e Expression) Declaration() (decl *Declaration, lost string) {
	path, name := e.Named()
	if path == "" && (name == "" || doc.IsPredeclared(name)) || path == "unsafe" { // whose source is no more than its documentation
		return nil, ""
	}
	if decl = e.Pkg.typeOf(path, name); decl == nil {
		return nil, e.notFound()
	}
	return decl, ""
}

// refer returns the declaration that a type expression names, whatever pointers and type
// arguments it has. The second result is the name if it is one of the opaque package, which
// is not parsed.
func (e Expression) refer() (decl *Declaration, opaque string) {
	path, name := e.In(withoutArguments(e.Expr)).Named()
	switch {
	case path == e.Pkg.Loader.rules.Opaque && path != e.Pkg.Path:
		return nil, name
	case path == "":
		return nil, ""
	}
	return e.Pkg.typeOf(path, name), ""
}

// notFound says that a type is not found, where it is named, and what the go command said of
// the packages that it may be of.
func (e Expression) notFound() string {
	return fmt.Sprintf("%s at %s, which is not found%s", types.ExprString(e.Expr), e.Pkg.Loader.Position(e.Pos()), e.whyLost())
}

// Unalias follows aliases, and drops parentheses.
func (t Expression) Unalias() Expression {
	for range MaxDepth {
		t = t.Resolved()
		if paren, ok := t.Expr.(*ast.ParenExpr); ok {
			t = t.In(paren.X)
			continue
		}
		decl, _ := t.Declaration()
		if decl == nil || !decl.Spec.Assign.IsValid() {
			break
		}
		t = decl.Ref()
	}
	return t
}

// Underlying follows named types to what they are made of.
func (t Expression) Underlying() (under Expression, lost string) {
	for range MaxDepth {
		t = t.Unalias()
		decl, lost := t.Declaration()
		if lost != "" {
			return t, lost
		}
		if decl == nil {
			break
		}
		t = decl.Ref()
	}
	return t, ""
}

// withoutPointers drops the pointers of an expression.
func (t Expression) withoutPointers() Expression {
	for {
		star, ok := t.Expr.(*ast.StarExpr)
		if !ok {
			return t
		}
		t = t.In(star.X)
	}
}

// Pointee follows pointers to what they point to, also those that aliases stand for.
func (t Expression) Pointee() Expression {
	t = t.withoutPointers()
	for range MaxDepth {
		target := t.Unalias()
		if target.withoutPointers() == target {
			break
		}
		t = target.withoutPointers()
	}
	return t
}

// Same reports whether two expressions are one type. Pointers to a type are like the type.
func (t Expression) Same(other Expression) bool { return t.sameWithin(other, MaxDepth) }

func (t Expression) sameWithin(other Expression, depth int) bool {
	t, other = t.withoutPointers(), other.withoutPointers()
	path, name := t.Named()
	otherPath, otherName := other.Named()
	if name != "" && name == otherName && path == otherPath {
		return true // without a look at what it is
	}
	t, other = t.Pointee().Unalias(), other.Pointee().Unalias()
	path, name = t.Named()
	otherPath, otherName = other.Named()
	if name != "" || otherName != "" {
		return name == otherName && path == otherPath
	}
	parts, otherParts := t.Parts(), other.Parts()
	return depth > 0 && len(parts) > 0 && len(parts) == len(otherParts) && fmt.Sprintf("%T", t.Expr) == fmt.Sprintf("%T", other.Expr) &&
		slices.EqualFunc(parts, otherParts, func(t, other Expression) bool { return t.sameWithin(other, depth-1) })
}

// Parts are the types that a slice, a map or an instance of a generic type is made of.
func (t Expression) Parts() []Expression {
	switch expr := t.Expr.(type) {
	case *ast.ArrayType:
		if expr.Len == nil {
			return []Expression{t.In(expr.Elt)}
		}
	case *ast.MapType:
		return []Expression{t.In(expr.Key), t.In(expr.Value)}
	case *ast.IndexExpr:
		return []Expression{t.In(expr.X), t.In(expr.Index)}
	case *ast.IndexListExpr:
		parts := []Expression{t.In(expr.X)}
		for _, index := range expr.Indices {
			parts = append(parts, t.In(index))
		}
		return parts
	}
	return nil
}

// DecodesItself reports whether a type has a method by which it decodes itself, of its own
// or of what it embeds.
func (t Expression) DecodesItself() bool { return t.decodesWithin(Visited{}) }

func (t Expression) decodesWithin(seen Visited) bool {
	t = t.Unalias()
	if decl, _ := t.Declaration(); decl != nil && slices.ContainsFunc(decodeMethods, func(method string) bool {
		return decl.Pkg.DeclaresMethod(decl.Name(), method)
	}) {
		return true
	}
	under, _ := t.Underlying()
	fields, ok := under.Expr.(*ast.StructType)
	return ok && seen.First(fields) && slices.ContainsFunc(EmbeddedFields(fields), func(field *ast.Field) bool {
		return !t.Pkg.Loader.isKnown(field.Type) && under.In(field.Type).Pointee().decodesWithin(seen)
	})
}

// String is the type as it is written, with the import path of a named one of the package.
func (t Expression) String() string {
	path, name := t.Pointee().Named()
	if path == "" {
		return types.ExprString(t.Expr)
	}
	return path + "." + name
}
