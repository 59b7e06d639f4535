package generators

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/informer-gen/informer-gen/internal/suggest"
)

// subset checks that a slim type has no fields but those of its full type, so that what a
// server sends is decoded into them.
type subset struct {
	pkg   *Package // of the slim type
	diags *diagnostics
	seen  map[[2]string]bool // pairs of types that are compared already
}

// checkFields reports the fields of a slim type that its full type has not, or not of this
// kind.
func checkFields(slim, full *declaration, diags *diagnostics) {
	s := &subset{pkg: slim.pkg, diags: diags, seen: map[[2]string]bool{}}
	owner := full.pkg.Path + "." + full.spec.Name.Name
	s.structs(slim.ref(), full.ref(), slim.spec.Name.Name, owner, slim.pkg.loader.position(slim.spec.Name.Pos()))
}

// structs compares two structs, of which the full one is called owner.
func (s *subset) structs(slim, full typeRef, name, owner string, at token.Position) {
	lost := func(missing string) {
		s.diags.errorf(at, "field: %s can't be checked, since it refers to %s; make sure that it is declared, and its module in go.mod", name, missing)
	}
	fields := full.jsonFields(owner, visited{}, lost)
	for _, field := range slim.jsonFields(name, visited{}, lost) {
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
		s.diags.errorf(field.pos, "field: %s is %q in JSON, but %q in %s; write `json:%q`", field.goName, field.name, alike.name, owner, alike.name)
		return jsonField{}, false
	}
	hint := suggest.DidYouMean(field.name, "", names)
	s.diags.errorf(field.pos, "field: %s is %q in JSON, and %s has no such field%s", field.goName, field.name, owner,
		cmp.Or(hint, "; leave it out, or tag a field of your own with `json:\"-\"`"))
	return jsonField{}, false
}

// field compares two fields of one name.
func (s *subset) field(slim, full jsonField) {
	if slim.quoted != full.quoted {
		does := map[bool]string{true: "has", false: "lacks"}
		s.diags.errorf(slim.pos, "field: the json tag of %s %s the option string, but that in %s %s it; write the same", slim.goName, does[slim.quoted], full.owner, does[full.quoted])
	}
	if slim.name == "metadata" && baseName(slim.typ) == "ObjectMeta" && !slim.typ.same(full.typ) {
		s.diags.errorf(slim.pos, "field: ObjectMeta is %s, but %s in %s; embed that", slim.typ, full.typ, full.owner)
		return
	}
	s.types(slim, full, slim.typ, full.typ)
}

// types compares the types of two fields, or of their elements.
func (s *subset) types(slimField, fullField jsonField, slim, full typeRef) {
	if slim.same(full) {
		return
	}
	slim, full = slim.value(), full.value()
	slimUnder, lostSlim := slim.underlying()
	fullUnder, lostFull := full.underlying()
	kind, pair := fullUnder.kind(), [2]string{slim.key(), full.key()}
	if s.seen[pair] && (kind == jsonObject || kind == jsonList || kind == jsonMap) {
		return // or types that hold themselves would have no end
	}
	s.seen[pair] = true
	switch lost := cmp.Or(lostSlim, lostFull); {
	case lost != "":
		s.diags.errorf(slimField.pos, "field: %s can't be checked, since it refers to %s; make sure that it is declared, and its module in go.mod", slimField.goName, lost)
	case full.decodesItself(visited{}):
		s.diags.errorf(slimField.pos, "field: %s is %s, but %s in %s, which decodes itself; declare it as that", slimField.goName, slimField.shown(), fullField.shown(), fullField.owner)
	case slim.decodesItself(visited{}):
		s.diags.errorf(slimField.pos, "field: %s is %s, which decodes itself, but %s in %s; declare it as that", slimField.goName, slimField.shown(), fullField.shown(), fullField.owner)
	case kind == jsonOpaque || slimUnder.kind() != kind:
		s.mismatch(slimField, fullField)
	case kind == jsonObject:
		s.nested(slimField, fullField, slim, full, slimUnder.pkg)
	case kind == jsonList || kind == jsonMap:
		parts := fullUnder.parts()
		for i, part := range slimUnder.parts() {
			s.types(slimField, fullField, part, parts[i])
		}
	case (kind == jsonInt || kind == jsonFloat) && !slimUnder.holds(fullUnder):
		s.diags.errorf(slimField.pos, "field: %s is %s, which is too small for %s in %s; declare it as %s", slimField.goName, slimField.shown(), fullField.shown(), fullField.owner, types.ExprString(fullUnder.Expr))
	}
}

// nested compares the structs that two fields hold. What is wrong with one of another package
// than the slim type's is wrong with the field.
func (s *subset) nested(slimField, fullField jsonField, slim, full typeRef, declaredIn *Package) {
	owner := full.String()
	if _, literal := full.Expr.(*ast.StructType); literal {
		owner = fullField.owner + "." + fullField.goName
	}
	if declaredIn == s.pkg {
		s.structs(slim, full, slimField.goName, owner, slimField.pos)
		return
	}
	elsewhere := &subset{pkg: declaredIn, diags: new(diagnostics), seen: s.seen}
	if elsewhere.structs(slim, full, slimField.goName, owner, slimField.pos); elsewhere.diags.err() != nil {
		s.mismatch(slimField, fullField)
	}
}

// key tells types apart.
func (t typeRef) key() string {
	if path, name := t.named(); name != "" {
		return path + "." + name
	}
	return t.pkg.loader.position(t.Pos()).String()
}

// mismatch reports two fields of different kinds.
func (s *subset) mismatch(slim, full jsonField) {
	s.diags.errorf(slim.pos, "field: %s is %s, but %s in %s; declare it as %s", slim.goName, slim.shown(), full.shown(), full.owner, full.remedy())
}

// shown is the type of a field, and what it is if that does not show.
func (f jsonField) shown() string {
	under, _ := f.typ.value().underlying()
	if path, name := f.typ.value().named(); name == "" || path == "" || under.kind() == jsonOpaque {
		return f.typ.String()
	}
	return fmt.Sprintf("%s (%s)", f.typ, under.kind())
}

// remedy says what a field of a slim type may be declared as.
func (f jsonField) remedy() string {
	value := f.typ.value()
	under, _ := value.underlying()
	switch {
	case under.kind() == jsonObject:
		return "a struct with some of its fields"
	case under.basic() != nil:
		return types.ExprString(under.Expr)
	}
	return types.ExprString(value.Expr)
}

// holds reports whether every value of another number fits. What has another size on
// another machine is taken for the smaller one here, and there for the larger one.
func (t typeRef) holds(other typeRef) bool {
	size, otherSize := bits(t.basic(), 32), bits(other.basic(), 64)
	if t.kind() != jsonInt {
		return size >= otherSize
	}
	signed, otherSigned := t.basic().Info()&types.IsUnsigned == 0, other.basic().Info()&types.IsUnsigned == 0
	switch {
	case signed == otherSigned:
		return size >= otherSize
	case signed:
		return size > otherSize
	}
	return false
}

// bits is the size of a number, or native for one that depends on the machine.
func bits(basic *types.Basic, native int) int {
	switch basic.Kind() {
	case types.Int8, types.Uint8:
		return 8
	case types.Int16, types.Uint16:
		return 16
	case types.Int32, types.Uint32, types.Float32:
		return 32
	case types.Int64, types.Uint64, types.Float64:
		return 64
	}
	return native
}
