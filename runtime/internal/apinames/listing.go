package apinames

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// Listing returns the exported names of a package, sorted, with one line for each constant, variable,
// function, type, method and field, in the form of Go source. Packages are named by their paths, and
// packages of the same module by their folders.
//
// The members of an alias are listed if its type is in an internal package of the module: no other listing
// has them.
func Listing(pkg *types.Package) []string {
	l := &listing{pkg: pkg, qualifier: func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return strings.TrimPrefix(p.Path(), module)
	}}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			l.object(obj)
		}
	}
	return l.sorted()
}

// module begins the paths of this module.
const module = "github.com/informer-gen/informer-gen/"

type listing struct {
	pkg *types.Package
	// qualifier names packages in types.
	qualifier types.Qualifier
	// resolve makes an alias appear as the type that it stands for, and leaves out the names of parameters.
	resolve bool
	lines   []string
}

func (l *listing) sorted() []string {
	slices.Sort(l.lines)
	return slices.Compact(l.lines)
}

func (l *listing) add(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *listing) typeName(t types.Type) string {
	if l.resolve {
		t = types.Unalias(t)
	}
	return strings.ReplaceAll(types.TypeString(t, l.qualifier), "interface{}", "any")
}

// signature returns the parameters and results of a function.
func (l *listing) signature(sig *types.Signature) string {
	params := ""
	if l.resolve {
		params = l.typeParams(sig.TypeParams())
		sig = types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic())
	}
	return params + strings.TrimPrefix(l.typeName(sig), "func")
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var all []*types.Var
	for v := range tuple.Variables() {
		all = append(all, types.NewParam(v.Pos(), v.Pkg(), "", types.Unalias(v.Type())))
	}
	return types.NewTuple(all...)
}

func (l *listing) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		l.add("const %s %s = %s", obj.Name(), l.typeName(obj.Type()), obj.Val().ExactString())
	case *types.Var:
		if sig, ok := obj.Type().(*types.Signature); ok && l.resolve {
			l.add("func %s%s", obj.Name(), l.signature(sig)) // called as one
			return
		}
		l.add("var %s %s", obj.Name(), l.typeName(obj.Type()))
	case *types.Func:
		l.add("func %s%s", obj.Name(), l.signature(obj.Signature()))
	case *types.TypeName:
		l.declaredType(obj)
	}
}

func (l *listing) declaredType(obj *types.TypeName) {
	named, ok := types.Unalias(obj.Type()).(*types.Named)
	switch {
	case ok && (l.resolve || !obj.IsAlias()):
		l.named(obj.Name(), named.Origin())
	case l.resolve:
		l.add("type %s %s", obj.Name(), l.typeName(obj.Type()))
	default:
		l.add("%s", strings.ReplaceAll(types.ObjectString(obj, l.qualifier), "interface{}", "any"))
		if ok && l.isInternal(named.Obj().Pkg()) {
			l.members(obj.Name(), named.Origin())
		}
	}
}

func (l *listing) isInternal(pkg *types.Package) bool {
	return pkg != nil && strings.HasPrefix(pkg.Path(), module) && strings.Contains(pkg.Path()+"/", "/internal/")
}

func (l *listing) named(name string, named *types.Named) {
	form := "struct"
	switch under := named.Underlying().(type) {
	case *types.Struct:
	case *types.Interface:
		form = "interface"
	default:
		form = l.typeName(under)
	}
	l.add("type %s%s %s", name, l.typeParams(named.TypeParams()), form)
	l.members(name, named)
}

// typeParams lists type parameters with their constraints.
func (l *listing) typeParams(params *types.TypeParamList) string {
	var all []string
	for p := range params.TypeParams() {
		all = append(all, p.Obj().Name()+" "+l.typeName(p.Constraint()))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (l *listing) members(name string, named *types.Named) {
	switch under := named.Underlying().(type) {
	case *types.Struct:
		l.fields(name+l.typeParams(named.TypeParams()), under)
	case *types.Interface:
		l.elements(name+l.typeParams(named.TypeParams()), under)
		return
	}
	byValue := types.NewMethodSet(named)
	for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if !method.Obj().Exported() || fromExportedField(named, method) {
			continue
		}
		receiver := name
		if byValue.Lookup(method.Obj().Pkg(), method.Obj().Name()) == nil {
			receiver = "*" + name
		}
		l.add("method (%s) %s%s", receiver, method.Obj().Name(), l.signature(method.Type().(*types.Signature)))
	}
}

// fromExportedField reports whether a method comes from an embedded field that the listing has.
func fromExportedField(named *types.Named, method *types.Selection) bool {
	if len(method.Index()) == 1 {
		return false
	}
	return named.Underlying().(*types.Struct).Field(method.Index()[0]).Exported()
}

// fields lists the fields of a struct, and the fields that it gets from unexported embedded structs.
func (l *listing) fields(name string, of *types.Struct) {
	for field := range of.Fields() {
		switch embedded := embeddedStruct(field); {
		case field.Exported() && field.Embedded():
			l.add("type %s struct, embeds %s", name, l.typeName(field.Type()))
		case field.Exported():
			l.add("type %s struct, %s %s", name, field.Name(), l.typeName(field.Type()))
		case embedded != nil:
			l.fields(name, embedded)
		}
	}
}

func embeddedStruct(field *types.Var) *types.Struct {
	t := field.Type()
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	under, ok := t.Underlying().(*types.Struct)
	if !ok || !field.Embedded() {
		return nil
	}
	return under
}

// elements lists the methods of an interface, the types that it embeds, and whether only its own package
// can implement it.
func (l *listing) elements(name string, of *types.Interface) {
	for method := range of.ExplicitMethods() {
		if method.Exported() {
			l.add("type %s interface, %s%s", name, method.Name(), l.signature(method.Signature()))
		} else {
			l.add("type %s interface, unexported methods", name)
		}
	}
	for embedded := range of.EmbeddedTypes() {
		named, ok := types.Unalias(embedded).(*types.Named)
		under, isInterface := embedded.Underlying().(*types.Interface)
		if ok && isInterface && named.Obj().Pkg() == l.pkg && !named.Obj().Exported() {
			l.elements(name, under)
			continue
		}
		l.add("type %s interface, embeds %s", name, l.typeName(embedded))
	}
}
