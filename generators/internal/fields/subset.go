package fields

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/internal/suggest"
)

// subset checks that the full type has each field of a slim type, so that what a server sends is decoded
// into them.
type subset struct {
	pkg   *load.Package // of the slim type
	diags *diag.List
	seen  map[[2]string]bool // pairs of types that are compared already
}

// CheckSubset reports the fields of a slim type that its full type has not, or not of this
// kind.
func CheckSubset(slim, full *load.Declaration, diags *diag.List) {
	s := &subset{pkg: slim.Pkg, diags: diags, seen: map[[2]string]bool{}}
	owner := full.Pkg.Path + "." + full.Name()
	s.structs(slim.Ref(), full.Ref(), slim.Name(), owner, slim.Position())
}

// structs compares two structs, of which the full one is called owner.
func (s *subset) structs(slim, full load.Expression, name, owner string, at token.Position) {
	lost := func(missing string) {
		s.diags.Errorf(at, "field: %s can't be checked, since it refers to %s; make sure that it is declared, and its module in go.mod", name, missing)
	}
	fields := jsonFields(full, owner, load.Visited{}, lost)
	for _, field := range jsonFields(slim, name, load.Visited{}, lost) {
		if match, ok := s.match(field, fields, owner); ok {
			s.field(field, match)
		}
	}
}

// match finds the field of the full type that has the name of a slim one, or reports that
// there is none.
func (s *subset) match(field jsonField, fields []jsonField, owner string) (jsonField, bool) {
	var names []string
	var alike *jsonField
	for i, full := range fields {
		if full.name == field.name {
			return full, true
		}
		names = append(names, full.name)
		if strings.EqualFold(full.name, field.name) || alike == nil && full.goName == field.goName {
			alike = &fields[i]
		}
	}
	if alike != nil {
		s.diags.Errorf(field.pos, "field: %s is %q in JSON, but %q in %s; write `json:%q`", field.goName, field.name, alike.name, owner, alike.name)
		return jsonField{}, false
	}
	hint := suggest.DidYouMean(field.name, "", names)
	s.diags.Errorf(field.pos, "field: %s is %q in JSON, and %s has no such field%s", field.goName, field.name, owner,
		cmp.Or(hint, "; leave it out, or tag a field of your own with `json:\"-\"`"))
	return jsonField{}, false
}

// field compares two fields of one name.
func (s *subset) field(slim, full jsonField) {
	if slim.quoted != full.quoted {
		does := map[bool]string{true: "has", false: "lacks"}
		s.diags.Errorf(slim.pos, "field: the json tag of %s %s the option string, but that in %s %s it; write the same", slim.goName, does[slim.quoted], full.owner, does[full.quoted])
	}
	if slim.name == "metadata" && load.BaseName(slim.typ) == "ObjectMeta" && !slim.typ.Same(full.typ) {
		s.diags.Errorf(slim.pos, "field: ObjectMeta is %s, but %s in %s; embed that", slim.typ, full.typ, full.owner)
		return
	}
	s.types(slim, full, slim.typ, full.typ)
}

// types compares the types of two fields, or of their elements.
func (s *subset) types(slimField, fullField jsonField, slim, full load.Expression) {
	if slim.Same(full) {
		return
	}
	slim, full = slim.Pointee(), full.Pointee()
	slimUnder, lostSlim := slim.Underlying()
	fullUnder, lostFull := full.Underlying()
	kind, pair := kindOf(fullUnder), [2]string{typeKey(slim), typeKey(full)}
	if s.seen[pair] && (kind == jsonObject || kind == jsonList || kind == jsonMap) {
		return // or types that hold themselves would have no end
	}
	s.seen[pair] = true
	switch lost := cmp.Or(lostSlim, lostFull); {
	case lost != "":
		s.diags.Errorf(slimField.pos, "field: %s can't be checked, since it refers to %s; make sure that it is declared, and its module in go.mod", slimField.goName, lost)
	case full.DecodesItself():
		s.diags.Errorf(slimField.pos, "field: %s is %s, but %s in %s, which decodes itself; declare it as that", slimField.goName, slimField.shown(), fullField.shown(), fullField.owner)
	case slim.DecodesItself():
		s.diags.Errorf(slimField.pos, "field: %s is %s, which decodes itself, but %s in %s; declare it as that", slimField.goName, slimField.shown(), fullField.shown(), fullField.owner)
	case kind == jsonOpaque || kindOf(slimUnder) != kind:
		s.mismatch(slimField, fullField, slimUnder)
	case kind == jsonObject:
		s.nested(slimField, fullField, slim, full, slimUnder.Pkg)
	case kind == jsonList || kind == jsonMap:
		parts := fullUnder.Parts()
		for i, part := range slimUnder.Parts() {
			s.types(slimField, fullField, part, parts[i])
		}
	case (kind == jsonInt || kind == jsonFloat) && !holds(slimUnder, fullUnder):
		s.diags.Errorf(slimField.pos, "field: %s is %s, which is too small for %s in %s; declare it as %s", slimField.goName, slimField.shown(), fullField.shown(), fullField.owner, types.ExprString(fullUnder.Expr))
	}
}

// nested compares the structs that two fields hold. What is wrong with one of another package
// than the slim type's is wrong with the field.
func (s *subset) nested(slimField, fullField jsonField, slim, full load.Expression, declaredIn *load.Package) {
	owner := full.String()
	if _, literal := full.Expr.(*ast.StructType); literal {
		owner = fullField.owner + "." + fullField.goName
	}
	if declaredIn == s.pkg {
		s.structs(slim, full, slimField.goName, owner, slimField.pos)
		return
	}
	elsewhere := &subset{pkg: declaredIn, diags: new(diag.List), seen: s.seen}
	if elsewhere.structs(slim, full, slimField.goName, owner, slimField.pos); elsewhere.diags.Err() != nil {
		s.mismatch(slimField, fullField, slim)
	}
}

// typeKey tells types apart.
func typeKey(t load.Expression) string {
	if path, name := t.Named(); name != "" {
		return path + "." + name
	}
	return t.Pkg.Loader.Position(t.Pos()).String()
}

// mismatch reports two fields of different kinds. Part is the differing part of the slim field.
func (s *subset) mismatch(slim, full jsonField, part load.Expression) {
	shown := slim.shown()
	switch part.Expr.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		shown += ", which is generic"
	}
	s.diags.Errorf(slim.pos, "field: %s is %s, but %s in %s; declare it as %s", slim.goName, shown, full.shown(), full.owner, full.remedy())
}

// shown is the type of a field, and what it is if that does not show.
func (f jsonField) shown() string {
	under, _ := f.typ.Pointee().Underlying()
	if path, name := f.typ.Pointee().Named(); name == "" || path == "" || kindOf(under) == jsonOpaque {
		return f.typ.String()
	}
	return fmt.Sprintf("%s (%s)", f.typ, kindOf(under))
}

// remedy says what a field of a slim type may be declared as.
func (f jsonField) remedy() string {
	value := f.typ.Pointee()
	under, _ := value.Underlying()
	switch {
	case kindOf(under) == jsonObject:
		return "a struct with some of its fields"
	case basicOf(under) != nil:
		return types.ExprString(under.Expr)
	}
	return types.ExprString(value.Expr)
}

// smallest and largest are the sizes of machines.
var smallest, largest = types.SizesFor("gc", "386"), types.SizesFor("gc", "amd64")

// holds reports whether every value of another number fits. What has another size on
// another machine is taken for the smaller one here, and there for the larger one.
func holds(t, other load.Expression) bool {
	size, otherSize := smallest.Sizeof(basicOf(t)), largest.Sizeof(basicOf(other))
	if kindOf(t) != jsonInt {
		return size >= otherSize
	}
	signed, otherSigned := basicOf(t).Info()&types.IsUnsigned == 0, basicOf(other).Info()&types.IsUnsigned == 0
	switch {
	case signed == otherSigned:
		return size >= otherSize
	case signed:
		return size > otherSize
	}
	return false
}
