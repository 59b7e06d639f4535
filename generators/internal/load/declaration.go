package load

import (
	"go/ast"
	"go/token"
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

// Has reports whether a struct, or what it embeds, has a field.
func (d *Declaration) Has(name string) bool { return d.hasWithin(name, Visited{}) }

func (d *Declaration) hasWithin(name string, seen Visited) bool {
	fields, holder := d.Structure()
	if fields == nil || !seen.First(fields) {
		return false
	}
	return hasField(fields, name) || slices.ContainsFunc(fields.Fields.List, func(field *ast.Field) bool {
		if len(field.Names) > 0 || d.Pkg.Loader.isKnown(field.Type) {
			return false
		}
		base, _ := holder.refer(field.Type)
		return base != nil && base.hasWithin(name, seen)
	})
}

// isKnown reports whether an embedded field is one of those that the rules know by their
// names: to look into them would be to parse their package.
func (l *Loader) isKnown(field ast.Expr) bool { return slices.Contains(l.rules.Known, BaseName(field)) }

func hasField(fields *ast.StructType, name string) bool {
	return slices.ContainsFunc(fields.Fields.List, func(field *ast.Field) bool {
		return slices.ContainsFunc(field.Names, func(ident *ast.Ident) bool { return ident.Name == name })
	})
}

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
		next, opaque := d.refer(expr)
		if next == nil || !next.Spec.Assign.IsValid() {
			return next, opaque
		}
		d, expr = next, next.Spec.Type
	}
	return nil, ""
}

// EmbeddedField is an embedded field that was looked for by its name.
type EmbeddedField struct {
	Found bool
	// Tag is the tag of the field, as it stands in the source.
	Tag string
}

// Embeds looks for an embedded field of the given name, in the type and in what
// it embeds.
func (d *Declaration) Embeds(name string) EmbeddedField { return d.embedsWithin(name, Visited{}) }

func (d *Declaration) embedsWithin(name string, seen Visited) EmbeddedField {
	fields, holder := d.Structure()
	if fields == nil || !seen.First(fields) {
		return EmbeddedField{}
	}
	var bases []*ast.Field
	for _, field := range fields.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		if BaseName(field.Type) == name {
			return EmbeddedField{Found: true, Tag: TagOf(field)}
		}
		bases = append(bases, field)
	}
	for _, field := range bases {
		base, opaque := holder.Embedded(field.Type)
		if opaque == name {
			return EmbeddedField{Found: true, Tag: TagOf(field)}
		}
		if base == nil {
			continue
		}
		if found := base.embedsWithin(name, seen); found.Found {
			return found
		}
	}
	return EmbeddedField{}
}
