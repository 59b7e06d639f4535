// Package fields reads structs by their fields: the names in JSON, the paths to values, and the steps of a deep
// copy. It compares slim types with their full types. It knows neither markers nor groups.
package fields

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/load"
)

// jsonField is a field of a struct as JSON has it.
type jsonField struct {
	// name is its name in JSON, goName that in Go.
	name, goName string
	typ          load.Expression
	// quoted is true if a string in JSON holds the value.
	quoted bool
	// owner is the struct that declares it.
	owner string
	pos   token.Position
}

// jsonFields are the fields of a struct, and of those that it embeds, by the rules of
// encoding/json; owner is the struct's name. TypeMeta, which every API type has, is left
// out. What can't be found is passed to lost.
func jsonFields(t load.Expression, owner string, seen load.Visited, lost func(string)) []jsonField {
	under, missing := t.Underlying()
	if missing != "" {
		lost(missing)
	}
	structure, ok := under.Expr.(*ast.StructType)
	if !ok || !seen.First(structure) {
		return nil
	}
	var fields, embedded []jsonField
	for _, field := range structure.Fields.List {
		name, quoted := jsonTag(field)
		typ := under.In(field.Type)
		switch {
		case name == "-", len(field.Names) == 0 && load.BaseName(field.Type) == "TypeMeta":
		case len(field.Names) == 0 && name == "" && isStruct(typ, lost):
			embedded = append(embedded, jsonFields(typ.Pointee(), typ.Pointee().String(), seen, lost)...)
		default:
			for _, ident := range Names(field) {
				if ident.IsExported() {
					fields = append(fields, jsonField{
						name: cmp.Or(name, ident.Name), goName: ident.Name, typ: typ, quoted: quoted, owner: owner, pos: t.Pkg.Loader.Position(ident.Pos()),
					})
				}
			}
		}
	}
	for _, field := range embedded { // which those of the struct itself hide
		if !slices.ContainsFunc(fields, func(f jsonField) bool { return f.name == field.name }) {
			fields = append(fields, field)
		}
	}
	return fields
}

// isStruct reports whether a type is a struct, or a pointer to one.
func isStruct(t load.Expression, lost func(string)) bool {
	under, missing := t.Pointee().Underlying()
	if missing != "" {
		lost(missing)
	}
	_, ok := under.Expr.(*ast.StructType)
	return ok
}

// jsonTag returns the name in a field's tag, "-" for a field that is not in JSON, and
// whether its value is in a string.
func jsonTag(field *ast.Field) (name string, quoted bool) {
	tag, _ := strconv.Unquote(load.TagOf(field)) // no tag, no name
	text := reflect.StructTag(tag).Get("json")
	name, options, _ := strings.Cut(text, ",")
	return name, slices.Contains(strings.Split(options, ","), "string")
}

// Names are the names of a field; an embedded one is called as its type is.
func Names(field *ast.Field) []*ast.Ident {
	if len(field.Names) > 0 {
		return field.Names
	}
	return []*ast.Ident{{Name: load.BaseName(field.Type), NamePos: field.Type.Pos()}}
}

// A jsonKind is the kind of a value in JSON, as far as decoding tells kinds apart.
type jsonKind string

// The kinds. Nothing is known about an opaque value.
const (
	jsonString jsonKind = "a string"
	jsonBool   jsonKind = "a bool"
	jsonInt    jsonKind = "an integer"
	jsonFloat  jsonKind = "a number"
	jsonBytes  jsonKind = "bytes"
	jsonObject jsonKind = "a struct"
	jsonList   jsonKind = "a slice"
	jsonMap    jsonKind = "a map"
	jsonOpaque jsonKind = ""
)

// kindOf returns the kind of an underlying type.
func kindOf(t load.Expression) jsonKind {
	switch expr := t.Expr.(type) {
	case *ast.StructType:
		return jsonObject
	case *ast.MapType:
		return jsonMap
	case *ast.ArrayType:
		if expr.Len != nil {
			return jsonOpaque
		}
		if element, _ := t.In(expr.Elt).Underlying(); basicOf(element) == types.Typ[types.Uint8] {
			return jsonBytes
		}
		return jsonList
	}
	switch basic := basicOf(t); {
	case basic == nil:
		return jsonOpaque
	case basic.Info()&types.IsString != 0:
		return jsonString
	case basic.Info()&types.IsBoolean != 0:
		return jsonBool
	case basic.Info()&types.IsInteger != 0:
		return jsonInt
	case basic.Info()&types.IsFloat != 0:
		return jsonFloat
	}
	return jsonOpaque
}

// basicOf returns a predeclared type, or nil.
func basicOf(t load.Expression) *types.Basic {
	ident, ok := t.Expr.(*ast.Ident)
	if !ok {
		return nil
	}
	if object := types.Universe.Lookup(ident.Name); object != nil {
		basic, _ := types.Unalias(object.Type()).(*types.Basic)
		if basic != nil && basic.Kind() == types.Uint8 {
			return types.Typ[types.Uint8] // byte is another value
		}
		return basic
	}
	return nil
}
