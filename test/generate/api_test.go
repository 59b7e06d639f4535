package generate

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// tree is the output of one tool: its packages by their path below the output.
type tree map[string]*types.Package

// below picks the packages of a tree.
func below(packages map[string]*types.Package, root string) tree {
	found := tree{}
	for importPath, pkg := range packages {
		if rel, ok := strings.CutPrefix(importPath, root+"/"); ok {
			found[rel] = pkg
		}
	}
	return found
}

// comparison finds the API of one tree that callers would miss in another: a function, variable, constant,
// type, field or method that is not there, or that has another type. Aliases are resolved. A type of the
// one tree is equal to the type of the same path and name in the other.
type comparison struct {
	theirs, ours tree
	// missing and changed are the differences that callers would notice. added are the additional methods
	// of an interface, which only its implementers would notice.
	missing, changed, added []string
	// same is the number of things that both have.
	same int
}

func compare(theirs, ours tree) *comparison {
	c := &comparison{theirs: theirs, ours: ours}
	for rel, pkg := range theirs {
		if ours[rel] == nil {
			c.missing = append(c.missing, "package "+rel)
			continue
		}
		for _, name := range pkg.Scope().Names() {
			if object := pkg.Scope().Lookup(name); object.Exported() {
				c.object(rel+"."+name, object, ours[rel].Scope().Lookup(name))
			}
		}
	}
	for _, list := range [][]string{c.missing, c.changed, c.added} {
		slices.Sort(list)
	}
	return c
}

// note records whether a thing of theirs is the same in ours.
func (c *comparison) note(same bool, what string, theirs, ours types.Object) {
	switch {
	case ours == nil:
		c.missing = append(c.missing, what)
	case !same:
		c.changed = append(c.changed, fmt.Sprintf("%s: %s instead of %s", what, ours.Type(), theirs.Type()))
	default:
		c.same++
	}
}

// object compares what a name at the top level of a package stands for.
func (c *comparison) object(what string, theirs, ours types.Object) {
	switch theirs := theirs.(type) {
	case *types.TypeName:
		other, ok := ours.(*types.TypeName)
		if !ok {
			c.note(false, "type "+what, theirs, ours)
			return
		}
		c.typeName(what, theirs, other)
	case *types.Const:
		other, ok := ours.(*types.Const)
		c.note(ok && theirs.Val().String() == other.Val().String() && c.sameType(theirs.Type(), other.Type()), "const "+what, theirs, ours)
	case *types.Func:
		other, ok := ours.(*types.Func)
		c.note(ok && c.sameType(theirs.Type(), other.Type()), "func "+what, theirs, ours)
	default:
		other, ok := ours.(*types.Var)
		c.note(ok && c.sameType(theirs.Type(), other.Type()), "var "+what, theirs, ours)
	}
}

// typeName compares the form, the fields and the methods of a type.
func (c *comparison) typeName(what string, theirs, ours *types.TypeName) {
	if theirs.IsAlias() {
		c.note(c.sameType(theirs.Type(), ours.Type()), "type "+what, theirs, ours)
		return
	}
	under, other := theirs.Type().Underlying(), ours.Type().Underlying()
	switch under := under.(type) {
	case *types.Interface:
		_, ok := other.(*types.Interface)
		c.note(ok, "type "+what, theirs, ours)
		c.additions(what, under, ours.Type())
	case *types.Struct:
		fields, ok := other.(*types.Struct)
		c.note(ok, "type "+what, theirs, ours)
		if ok {
			c.fields(what, under, fields)
		}
	case *types.Signature:
		// Callers can't make a function that takes an unexported type. They can only pass on the functions
		// that they get.
		function, ok := other.(*types.Signature)
		c.note(ok && (opaque(under) || c.sameType(under, function)), "type "+what, theirs, ours)
	default:
		c.note(c.sameType(under, other), "type "+what, theirs, ours)
	}
	for method := range methodSet(theirs.Type()).Methods() {
		if !method.Obj().Exported() {
			continue
		}
		found, _, _ := types.LookupFieldOrMethod(ours.Type(), true, nil, method.Obj().Name())
		other, ok := found.(*types.Func)
		c.note(ok && c.sameType(method.Type(), other.Type()), "method "+what+"."+method.Obj().Name(), method.Obj(), found)
	}
}

func (c *comparison) fields(what string, theirs, ours *types.Struct) {
	for field := range theirs.Fields() {
		if !field.Exported() {
			continue
		}
		var found types.Object
		for other := range ours.Fields() {
			if other.Name() == field.Name() && other.Embedded() == field.Embedded() {
				found = other
			}
		}
		c.note(found != nil && c.sameType(field.Type(), found.Type()), "field "+what+"."+field.Name(), field, found)
	}
}

// additions notes the methods that an interface has more than theirs.
func (c *comparison) additions(what string, theirs *types.Interface, ours types.Type) {
	for method := range methodSet(ours).Methods() {
		if found, _, _ := types.LookupFieldOrMethod(theirs, false, method.Obj().Pkg(), method.Obj().Name()); found == nil {
			c.added = append(c.added, "method "+what+"."+method.Obj().Name())
		}
	}
}

// methodSet returns the methods of an interface, or of a pointer to any other type.
func methodSet(typ types.Type) *types.MethodSet {
	if types.IsInterface(typ) {
		return types.NewMethodSet(typ)
	}
	return types.NewMethodSet(types.NewPointer(typ))
}

// opaque reports whether a function takes or gives what callers have no name for.
func opaque(function *types.Signature) bool {
	for _, tuple := range []*types.Tuple{function.Params(), function.Results()} {
		for value := range tuple.Variables() {
			typ := types.Unalias(value.Type())
			if pointer, ok := typ.(*types.Pointer); ok {
				typ = types.Unalias(pointer.Elem())
			}
			if named, ok := typ.(*types.Named); ok && named.Obj().Pkg() != nil && !named.Obj().Exported() {
				return true
			}
		}
	}
	return false
}

// sameType reports whether a type of theirs is a type of ours, after aliases.
func (c *comparison) sameType(theirs, ours types.Type) bool {
	theirs, ours = types.Unalias(theirs), types.Unalias(ours)
	switch theirs := theirs.(type) {
	case *types.Named:
		if counterpart := c.counterpart(theirs.Obj()); counterpart != nil {
			return types.Identical(counterpart, ours)
		}
		other, ok := ours.(*types.Named)
		return ok && theirs.Obj() == other.Obj() && c.sameList(theirs.TypeArgs(), other.TypeArgs())
	case *types.Pointer:
		other, ok := ours.(*types.Pointer)
		return ok && c.sameType(theirs.Elem(), other.Elem())
	case *types.Slice:
		other, ok := ours.(*types.Slice)
		return ok && c.sameType(theirs.Elem(), other.Elem())
	case *types.Map:
		other, ok := ours.(*types.Map)
		return ok && c.sameType(theirs.Key(), other.Key()) && c.sameType(theirs.Elem(), other.Elem())
	case *types.Chan:
		other, ok := ours.(*types.Chan)
		return ok && theirs.Dir() == other.Dir() && c.sameType(theirs.Elem(), other.Elem())
	case *types.Signature:
		other, ok := ours.(*types.Signature)
		return ok && theirs.Variadic() == other.Variadic() && c.sameTuple(theirs.Params(), other.Params()) && c.sameTuple(theirs.Results(), other.Results())
	}
	return types.Identical(theirs, ours)
}

// counterpart is the type of ours for one of theirs, or nil if it is none of the
// generated ones.
func (c *comparison) counterpart(name *types.TypeName) types.Type {
	for rel, pkg := range c.theirs {
		if pkg != name.Pkg() || c.ours[rel] == nil {
			continue
		}
		if found := c.ours[rel].Scope().Lookup(name.Name()); found != nil {
			return found.Type()
		}
	}
	return nil
}

func (c *comparison) sameList(theirs, ours *types.TypeList) bool {
	if theirs.Len() != ours.Len() {
		return false
	}
	for i := range theirs.Len() {
		if !c.sameType(theirs.At(i), ours.At(i)) {
			return false
		}
	}
	return true
}

func (c *comparison) sameTuple(theirs, ours *types.Tuple) bool {
	if theirs.Len() != ours.Len() {
		return false
	}
	for i := range theirs.Len() {
		if !c.sameType(theirs.At(i).Type(), ours.At(i).Type()) {
			return false
		}
	}
	return true
}

// A comparison that finds nothing must be able to: it sees each kind of
// difference, and does not take an alias for one.
func TestCompare(t *testing.T) {
	t.Parallel()
	const theirs = `package p
import "time"
type Func func(time.Duration)
type Option func(*hidden)
type hidden struct{}
type Client interface { Get(Func) error; List() }
type Options struct { Period time.Duration; Name string }
type Gone struct{}
type Named = time.Duration
const Size = 1
func New(o Options, options ...Option) Client
`
	const ours = `package p
import "time"
type Func = func(time.Duration)
type Option = func(*other)
type other struct{}
type Client interface { Get(func(time.Duration)) error; List() int; Watch() }
type Options struct { Period int64; Named string }
type Named time.Duration // another type
const Size = 2
func New(o Options, options ...func(*other)) Client
`
	fset := token.NewFileSet()
	library := importer.ForCompiler(fset, "source", nil)
	got := compare(tree{"p": parse(t, fset, library, theirs)}, tree{"p": parse(t, fset, library, ours)})
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"missing", got.missing, []string{"field p.Options.Name", "type p.Gone"}},
		{"changed", names(got.changed), []string{"const p.Size", "field p.Options.Period", "method p.Client.List", "type p.Named"}},
		{"added", got.added, []string{"method p.Client.Watch"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// names leaves out how things have changed.
func names(changed []string) []string {
	var names []string
	for _, line := range changed {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
	}
	return names
}

func parse(t *testing.T, fset *token.FileSet, library types.Importer, source string) *types.Package {
	t.Helper()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: library, IgnoreFuncBodies: true}
	pkg, err := config.Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}
