package generators

import (
	"go/ast"
	"slices"
	"strings"
)

// declaration is a type with the file that declares it.
type declaration struct {
	pkg  *Package
	file *File
	spec *ast.TypeSpec
}

// declarations are the types of the files that were parsed at first, in order.
func (p *Package) declarations() []*declaration { return declarationsOf(p, p.Files) }

func declarationsOf(p *Package, files []*File) []*declaration {
	var found []*declaration
	for _, file := range files {
		for _, decl := range file.Syntax.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range general.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					found = append(found, &declaration{pkg: p, file: file, spec: spec})
				}
			}
		}
	}
	return found
}

// goType is the import path and name of a type, after aliases, with the
// arguments of a generic one.
func (d *declaration) goType() string {
	target := d.unalias()
	name := target.pkg.Path + "." + target.spec.Name.Name
	if target.spec.TypeParams != nil {
		return name + " of " + d.pkg.Path + "." + d.spec.Name.Name
	}
	return name
}

const lacksObjectMeta = "embeds no ObjectMeta"

// lacks says what a type lacks to be one of API objects, and what to do.
func (d *declaration) lacks() (lack, remedy string) {
	fields, _ := d.structure()
	objectMeta, typeMeta := d.embeds("ObjectMeta").found, d.embeds("TypeMeta").found || d.unalias().hasMethod("GetObjectKind")
	switch {
	case objectMeta && typeMeta:
		return "", ""
	case fields == nil:
		return "is not a struct", "tag the struct, or a type that is defined by one"
	case !objectMeta:
		return lacksObjectMeta, "embed metav1.ObjectMeta, or a struct that does"
	}
	return "embeds no TypeMeta", "embed metav1.TypeMeta, or a struct that does"
}

// isInternal reports whether a type is of an internal version: its ObjectMeta has
// no json tag.
func (d *declaration) isInternal() bool {
	objectMeta := d.embeds("ObjectMeta")
	return objectMeta.found && !strings.Contains(objectMeta.tag, "json")
}

// looksLikeAPI reports whether a struct embeds TypeMeta and ObjectMeta itself.
func (d *declaration) looksLikeAPI() bool {
	fields, ok := d.spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	found := 0
	for _, field := range fields.Fields.List {
		if name := baseName(field.Type); len(field.Names) == 0 && (name == "TypeMeta" || name == "ObjectMeta") {
			found++
		}
	}
	return found == 2
}

// isList reports whether a type is a list of others.
func (d *declaration) isList() bool {
	return strings.HasSuffix(d.spec.Name.Name, "List") && d.has("Items", visited{}) && d.embeds("ListMeta").found
}

// list reports whether the package has a list of the type. If that can't be told,
// because a package that the list refers to can't be had, lost says what is missing.
func (d *declaration) list() (has bool, lost string) {
	list := d.pkg.typ(d.spec.Name.Name + "List")
	if list == nil {
		return false, ""
	}
	if list.has("Items", visited{}) {
		return true, ""
	}
	if lost := list.lost(visited{}); lost != "" {
		return false, lost
	}
	fields, _ := list.structure()
	return fields == nil, "" // of the meta package, for example, which is not parsed
}

// has reports whether a struct, or what it embeds, has a field.
func (d *declaration) has(name string, seen visited) bool {
	fields, holder := d.structure()
	if fields == nil || !seen.first(fields) {
		return false
	}
	return hasField(fields, name) || slices.ContainsFunc(fields.Fields.List, func(field *ast.Field) bool {
		if len(field.Names) > 0 || isMeta(field.Type) {
			return false
		}
		base, _ := holder.refer(field.Type)
		return base != nil && base.has(name, seen)
	})
}

// isMeta reports whether an embedded field is one of those that every API type has, by
// its name: to look into them would be to parse their package.
func isMeta(field ast.Expr) bool {
	switch baseName(field) {
	case "TypeMeta", "ObjectMeta", "ListMeta":
		return true
	}
	return false
}

func hasField(fields *ast.StructType, name string) bool {
	return slices.ContainsFunc(fields.Fields.List, func(field *ast.Field) bool {
		return slices.ContainsFunc(field.Names, func(ident *ast.Ident) bool { return ident.Name == name })
	})
}
