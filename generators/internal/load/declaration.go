package load

import (
	"go/ast"
	"go/doc"
	"go/token"
	"iter"
	"slices"
)

// Declaration is a type with the file that declares it.
type Declaration struct {
	Pkg  *Package
	File *File
	Spec *ast.TypeSpec
}

// Name returns the name of the type.
func (d *Declaration) Name() string { return d.Spec.Name.Name }

// IsExported reports whether other packages can name the type.
func (d *Declaration) IsExported() bool { return d.Spec.Name.IsExported() }

// Position returns where the type is declared.
func (d *Declaration) Position() token.Position { return d.Pkg.Loader.Position(d.Spec.Name.Pos()) }

// Declarations are the types of the files that were parsed at first, in order.
func (p *Package) Declarations() []*Declaration { return DeclarationsOf(p, p.Files) }

// DeclarationsOf are the types of some files of a package, in order.
func DeclarationsOf(p *Package, files []*File) []*Declaration {
	var found []*Declaration
	for _, file := range files {
		for _, spec := range specsOf(file.Syntax) {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				found = append(found, &Declaration{Pkg: p, File: file, Spec: spec})
			}
		}
	}
	return found
}

// GoType is the import path and name of a type, after aliases, with the
// arguments of a generic one.
func (d *Declaration) GoType() string {
	target := d.Unalias()
	name := target.Pkg.Path + "." + target.Name()
	if target.Spec.TypeParams != nil {
		return name + " of " + d.Pkg.Path + "." + d.Name()
	}
	return name
}

// Embedding iterates over a type and what it embeds, also through other types: each once, and the least
// depth first. It yields the struct that a type is made of, or nil, and the declaration that holds it.
func (d *Declaration) Embedding() iter.Seq2[*ast.StructType, *Declaration] {
	return func(yield func(*ast.StructType, *Declaration) bool) {
		seen := map[*ast.TypeSpec]bool{}
		for queue := []*Declaration{d}; len(queue) > 0; queue = queue[1:] {
			fields, holder := queue[0].Structure()
			if seen[holder.Spec] {
				continue
			}
			seen[holder.Spec] = true
			if !yield(fields, holder) {
				return
			}
			for _, field := range EmbeddedFields(fields) {
				if d.Pkg.Loader.isKnown(field.Type) {
					continue
				}
				if base, _ := holder.In(field.Type).refer(); base != nil {
					queue = append(queue, base)
				}
			}
		}
	}
}

// EmbeddedFields lists the embedded fields of a struct, which may be nil.
func EmbeddedFields(fields *ast.StructType) []*ast.Field {
	if fields == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(fields.Fields.List), func(field *ast.Field) bool { return len(field.Names) > 0 })
}

// Has reports whether a struct, or what it embeds, has a field.
func (d *Declaration) Has(name string) bool {
	for fields := range d.Embedding() {
		if fields != nil && slices.ContainsFunc(fields.Fields.List, func(field *ast.Field) bool {
			return slices.ContainsFunc(field.Names, func(ident *ast.Ident) bool { return ident.Name == name })
		}) {
			return true
		}
	}
	return false
}

// Embeds returns the embedded field of a name that the type has, or what it embeds; or nil.
func (d *Declaration) Embeds(name string) *ast.Field {
	for fields, holder := range d.Embedding() {
		embedded := EmbeddedFields(fields)
		at := slices.IndexFunc(embedded, func(field *ast.Field) bool { return BaseName(field.Type) == name })
		if at < 0 { // by an alias
			at = slices.IndexFunc(embedded, func(field *ast.Field) bool {
				_, opaque := holder.Embedded(field.Type)
				return opaque == name
			})
		}
		if at >= 0 {
			return embedded[at]
		}
	}
	return nil
}

// Lost returns the name of a type that can't be found, and by which a type is defined or
// which it embeds, also through other types, with its place and the reason; or "".
func (d *Declaration) Lost() string {
	for fields, holder := range d.Embedding() {
		exprs := []ast.Expr{holder.Spec.Type}
		if fields != nil {
			exprs = nil
			for _, field := range EmbeddedFields(fields) {
				exprs = append(exprs, field.Type)
			}
		}
		for _, expr := range exprs {
			decl, opaque := holder.In(expr).refer()
			if name := BaseName(expr); decl == nil && opaque == "" && name != "" && !doc.IsPredeclared(name) {
				return holder.In(expr).notFound()
			}
		}
	}
	return ""
}

// isKnown reports whether an embedded field is one of those that the rules know by their
// names: to look into them would be to parse their package.
func (l *Loader) isKnown(field ast.Expr) bool { return slices.Contains(l.rules.Known, BaseName(field)) }

// TypeComments are the comments that belong to a type: the one that ends on the
// line above it, and the one before that, with one empty line between.
type TypeComments struct{ Closest, Second *ast.CommentGroup }

// Comments returns the comments that belong to the type.
func (d *Declaration) Comments() TypeComments {
	fset := d.Pkg.Loader.fset
	line := fset.PositionFor(d.Spec.Pos(), false).Line
	closest := d.File.comments[line-1]
	if closest == nil {
		return TypeComments{Second: d.File.comments[line-2]}
	}
	return TypeComments{Closest: closest, Second: d.File.comments[fset.PositionFor(closest.Pos(), false).Line-2]}
}

// OuterComments are those that stand outside of declarations.
func (f *File) OuterComments() []*ast.CommentGroup {
	var outer []*ast.CommentGroup
	decls := f.Syntax.Decls
	for _, group := range f.Syntax.Comments {
		for len(decls) > 0 && decls[0].End() <= group.Pos() {
			decls = decls[1:]
		}
		if len(decls) == 0 || group.Pos() < decls[0].Pos() {
			outer = append(outer, group)
		}
	}
	return outer
}

// Declares reports whether a file has more than imports. Scripts put tags in one
// that has not, for other tools to see the package.
func (f *File) Declares() bool {
	return slices.ContainsFunc(f.Syntax.Decls, func(decl ast.Decl) bool {
		general, ok := decl.(*ast.GenDecl)
		return !ok || general.Tok != token.IMPORT
	})
}

// Embedded follows the type of an embedded field, also through aliases, as refer does.
func (d *Declaration) Embedded(expr ast.Expr) (decl *Declaration, opaque string) {
	for range MaxDepth {
		next, opaque := d.In(expr).refer()
		if next == nil || !next.Spec.Assign.IsValid() {
			return next, opaque
		}
		d, expr = next, next.Spec.Type
	}
	return nil, ""
}
