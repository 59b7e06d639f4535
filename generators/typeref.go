package generators

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/types"
	"slices"
)

// typeRef is a type expression with the file that it stands in.
type typeRef struct {
	pkg  *Package
	file *File
	ast.Expr
}

// ref returns what a declaration declares its type as.
func (d *declaration) ref() typeRef { return typeRef{d.pkg, d.file, d.spec.Type} }

// in returns another expression of the same file.
func (t typeRef) in(expr ast.Expr) typeRef { return typeRef{t.pkg, t.file, expr} }

// named returns the import path and the name of a named type, as it is written; the path is
// empty for predeclared ones, and both are for others.
func (t typeRef) named() (path, name string) {
	switch expr := t.Expr.(type) {
	case *ast.ParenExpr:
		return t.in(expr.X).named()
	case *ast.InterfaceType:
		if expr.Methods.NumFields() == 0 {
			return "", "any"
		}
	case *ast.Ident:
		t.pkg.index()
		if t.pkg.types[expr.Name] == nil && doc.IsPredeclared(expr.Name) { // without a look into generated files
			return "", expr.Name
		}
		if t.pkg.typ(expr.Name) != nil {
			return t.pkg.Path, expr.Name
		}
		for _, path := range t.file.dotImports() {
			if pkg := t.pkg.loader.loadImport(path, t.pkg.Dir); pkg != nil && pkg.typ(expr.Name) != nil {
				return path, expr.Name
			}
		}
		return t.pkg.Path, expr.Name
	case *ast.SelectorExpr:
		if qualifier, ok := expr.X.(*ast.Ident); ok {
			return t.file.imported(t.pkg, qualifier.Name), expr.Sel.Name
		}
	}
	return "", ""
}

// declaration returns that of a named type, or nil. If it can't be found, lost says so.
func (t typeRef) declaration() (decl *declaration, lost string) {
	path, name := t.named()
	if path == "" && (name == "" || doc.IsPredeclared(name)) || path == "unsafe" { // whose source is no more than its documentation
		return nil, ""
	}
	pkg := t.pkg
	if path != pkg.Path {
		pkg = t.pkg.loader.loadImport(path, t.pkg.Dir)
	}
	if pkg != nil {
		decl = pkg.typ(name)
	}
	if decl == nil {
		holder := declaration{pkg: t.pkg, file: t.file}
		return nil, fmt.Sprintf("%s at %s, which is not found%s", types.ExprString(t.Expr), t.pkg.loader.position(t.Pos()), holder.whyLost(t.Expr))
	}
	return decl, ""
}

// unalias follows aliases, and drops parentheses.
func (t typeRef) unalias() typeRef {
	for range maxDepth {
		if paren, ok := t.Expr.(*ast.ParenExpr); ok {
			t = t.in(paren.X)
			continue
		}
		decl, _ := t.declaration()
		if decl == nil || !decl.spec.Assign.IsValid() {
			break
		}
		t = decl.ref()
	}
	return t
}

// underlying follows named types to what they are made of.
func (t typeRef) underlying() (under typeRef, lost string) {
	for range maxDepth {
		t = t.unalias()
		decl, lost := t.declaration()
		if lost != "" {
			return t, lost
		}
		if decl == nil {
			break
		}
		t = decl.ref()
	}
	return t, ""
}

// withoutPointers drops the pointers of an expression.
func (t typeRef) withoutPointers() typeRef {
	for {
		star, ok := t.Expr.(*ast.StarExpr)
		if !ok {
			return t
		}
		t = t.in(star.X)
	}
}

// value follows pointers to what they point to, also those that aliases stand for.
func (t typeRef) value() typeRef {
	t = t.withoutPointers()
	for range maxDepth {
		target := t.unalias()
		if target.withoutPointers() == target {
			break
		}
		t = target.withoutPointers()
	}
	return t
}

// same reports whether two expressions are one type. Pointers to a type are like the type.
func (t typeRef) same(other typeRef) bool { return t.sameWithin(other, maxDepth) }

func (t typeRef) sameWithin(other typeRef, depth int) bool {
	t, other = t.withoutPointers(), other.withoutPointers()
	path, name := t.named()
	otherPath, otherName := other.named()
	if name != "" && name == otherName && path == otherPath {
		return true // without a look at what it is
	}
	t, other = t.value().unalias(), other.value().unalias()
	path, name = t.named()
	otherPath, otherName = other.named()
	if name != "" || otherName != "" {
		return name == otherName && path == otherPath
	}
	parts, otherParts := t.parts(), other.parts()
	return depth > 0 && len(parts) > 0 && len(parts) == len(otherParts) && fmt.Sprintf("%T", t.Expr) == fmt.Sprintf("%T", other.Expr) &&
		slices.EqualFunc(parts, otherParts, func(t, other typeRef) bool { return t.sameWithin(other, depth-1) })
}

// parts are the types that a slice, a map or an instance of a generic type is made of.
func (t typeRef) parts() []typeRef {
	switch expr := t.Expr.(type) {
	case *ast.ArrayType:
		if expr.Len == nil {
			return []typeRef{t.in(expr.Elt)}
		}
	case *ast.MapType:
		return []typeRef{t.in(expr.Key), t.in(expr.Value)}
	case *ast.IndexExpr:
		return []typeRef{t.in(expr.X), t.in(expr.Index)}
	case *ast.IndexListExpr:
		parts := []typeRef{t.in(expr.X)}
		for _, index := range expr.Indices {
			parts = append(parts, t.in(index))
		}
		return parts
	}
	return nil
}

// decodesItself reports whether a type has a method by which it decodes itself, of its own
// or of what it embeds.
func (t typeRef) decodesItself(seen visited) bool {
	t = t.unalias()
	if decl, _ := t.declaration(); decl != nil && slices.ContainsFunc(decodeMethods, func(method string) bool {
		return decl.pkg.declaresMethod(decl.spec.Name.Name, method)
	}) {
		return true
	}
	under, _ := t.underlying()
	fields, ok := under.Expr.(*ast.StructType)
	return ok && seen.first(fields) && slices.ContainsFunc(fields.Fields.List, func(field *ast.Field) bool {
		return len(field.Names) == 0 && !isMeta(field.Type) && under.in(field.Type).value().decodesItself(seen)
	})
}

// String is the type as it is written, with the import path of a named one of the package.
func (t typeRef) String() string {
	path, name := t.value().named()
	if path == "" {
		return types.ExprString(t.Expr)
	}
	return path + "." + name
}
