package fields

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/templates"
)

// Path leads from an object to a value in it, with the nil checks and loops on the way.
type Path struct {
	// Names are the fields on the way. Hidden is one that is not exported, or empty.
	Names  []string
	Hidden string
	// Blocks are the lines that begin the nil checks and loops, as in templates.Index.
	Blocks []string

	expr    string // of Go
	pointer bool   // expr points to the value
	// embedded is true if expr ends with an embedded field.
	embedded bool
	loops    int
	slice    string // the slice whose element expr is, or ""
}

// From returns the path to an object, by the expression that it is in Go.
func From(object string) Path { return Path{expr: object} }

// value is the expression of the value.
func (p Path) value() string {
	if p.pointer {
		return "*" + p.expr
	}
	return p.expr
}

// Field follows a field of a struct. What is selected from an embedded one stands behind
// brackets: linters would have its name left out, which can mean another field.
func (p Path) Field(name *ast.Ident, embedded bool) Path {
	if p.embedded {
		p.expr = "(" + p.expr + ")"
	}
	p.embedded, p.slice = embedded, ""
	p.expr, p.pointer, p.Names = p.expr+"."+name.Name, false, append(slices.Clip(p.Names), name.Name)
	if !name.IsExported() {
		p.Hidden = name.Name
	}
	return p
}

// Values returns the blocks and the expression of the values, which may be a whole slice.
func (p Path) Values(key Key) (blocks []string, value string) {
	if p.slice != "" && key.GoType == (templates.GoType{Name: "string"}) {
		return p.Blocks[:len(p.Blocks)-1], p.slice + "..."
	}
	return p.Blocks, p.value()
}

// Part follows a type that holds one other: a pointer, a slice, an array or a map, or one in parentheses.
func (p Path) Part(t load.Expression) (part load.Expression, inside Path, ok bool) {
	if paren, ok := t.Expr.(*ast.ParenExpr); ok {
		return t.In(paren.X), p, true
	}
	if p.pointer {
		p.expr, p.pointer, p.embedded = "(*"+p.expr+")", false, false
	}
	switch expr := t.Expr.(type) {
	case *ast.StarExpr:
		inside = p.inside("if "+p.expr+" != nil {", p.expr)
		inside.pointer = true
		return t.In(expr.X), inside, true
	case *ast.ArrayType:
		i := variable("i", p.loops)
		inside = p.inside("for "+i+" := range "+p.expr+" {", p.expr+"["+i+"]")
		if expr.Len == nil {
			inside.slice = p.expr
		}
		return t.In(expr.Elt), inside, true
	case *ast.MapType:
		entry := variable("entry", p.loops)
		return t.In(expr.Value), p.inside("for _, "+entry+" := range "+p.expr+" {", entry), true
	}
	return t, p, false
}

// inside enters a block. In a loop the expression is another one.
func (p Path) inside(block, expr string) Path {
	p.Blocks, p.slice = append(slices.Clip(p.Blocks), block), ""
	if expr != p.expr {
		p.expr, p.embedded, p.loops = expr, false, p.loops+1
	}
	return p
}

// Key is the type of the values of a field.
type Key struct {
	templates.GoType
	Kind templates.KeyKind
}

// KeyOf returns the type of the values that a field has, and the path to them; or what the
// field is that has none, or the type that is not found.
func KeyOf(t load.Expression, at Path) (key Key, to Path, refused, lost string) {
	for range load.MaxDepth {
		under, lost := t.Underlying()
		if lost != "" {
			return key, at, "", lost
		}
		if kind, ok := keyKind(under); ok {
			key := Key{keyType(t), kind}
			if path, _ := t.Named(); path != key.Package.Path { // what can't be imported becomes what it is made of
				at.expr, at.pointer, at.slice = key.Name+"("+at.value()+")", false, ""
			}
			return key, at, "", ""
		}
		part, inside, ok := at.Part(under)
		if kind := kindOf(under); kind == jsonMap || kind == jsonBytes {
			break
		}
		if !ok {
			if part, ok = nameOf(under, load.MaxDepth); ok {
				inside = at.Field(nameField, false)
			}
		}
		if !ok {
			break
		}
		t, at = part, inside
	}
	return key, at, jsonField{typ: t}.shown(), ""
}

// nameField is the field of a reference, such as a LocalObjectReference or SecretKeySelector of
// k8s.io/api/core/v1, by which a marked field with such a value is indexed.
var nameField = ast.NewIdent("Name")

// nameOf returns the type of a struct's field Name, which may be one of an embedded struct.
func nameOf(under load.Expression, depth int) (load.Expression, bool) {
	structure, ok := under.Expr.(*ast.StructType)
	if !ok || depth == 0 {
		return under, false
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) > 0 {
			if slices.ContainsFunc(field.Names, func(name *ast.Ident) bool { return name.Name == nameField.Name }) {
				return under.In(field.Type), true
			}
			continue
		}
		embedded, lost := under.In(field.Type).Underlying()
		if lost != "" {
			continue
		}
		if found, ok := nameOf(embedded, depth-1); ok {
			return found, true
		}
	}
	return under, false
}

// keyKind is the kind of values of an underlying type.
func keyKind(under load.Expression) (templates.KeyKind, bool) {
	switch kind := kindOf(under); {
	case kind == jsonString:
		return templates.StringKey, true
	case kind == jsonBool:
		return templates.BoolKey, true
	case kind == jsonInt && basicOf(under).Info()&types.IsUnsigned != 0:
		return templates.UintKey, true
	case kind == jsonInt:
		return templates.IntKey, true
	}
	return "", false
}

// keyType is the name of a string, a bool or an integer: the name of its type if every package can import
// it, and otherwise of the type below it.
func keyType(t load.Expression) templates.GoType {
	path, name := t.Named()
	if _, internal := load.InternalParent(path); path != "" && !internal && token.IsExported(name) {
		if decl, _ := t.Declaration(); decl != nil {
			return templates.GoType{Package: templates.Import{Path: path, Name: decl.Pkg.Name}, Name: name}
		}
	}
	under, _ := t.Underlying()
	return templates.GoType{Name: basicOf(under).Name()}
}

// variable returns a name that a block within others has for itself.
func variable(name string, others int) string {
	if others == 0 {
		return name
	}
	return fmt.Sprintf("%s%d", name, others+1)
}
