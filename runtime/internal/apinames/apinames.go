// Package apinames lists the exported names of a package with their types, for
// the test that holds each public package to its api.txt, and compares those of
// two packages, for the tests that hold a package to the one that it stands in
// for.
//
//	Listing(pkg)             ─► one line for each name
//	Compare(t, ours, theirs) ─► what ours lacks, what it adds, what differs
//
// Compare sees types: a function with other parameters differs, as does a struct
// with another field or a type without a method. A type of ours and the one of
// theirs with the same name count as the same type wherever they are mentioned.
package apinames

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/go/packages"
)

// Exceptions are the names in which a package may and must differ, separated by
// white space.
type Exceptions struct {
	// Missing are names that only theirs has.
	Missing string
	// Added are names that only ours has.
	Added string
	// Changed are names with another type.
	Changed string
}

// Compare reports an error for each exported name in which the package with the
// path ours differs from the one with the path theirs, and that is not an
// exception, and for each exception that is none.
func Compare(t *testing.T, ours, theirs string, except Exceptions) {
	t.Helper()
	missing, added, changed := differences(t, ours, theirs)
	for _, c := range []struct {
		what, want string
		got        []string
	}{{"missing", except.Missing, missing}, {"added", except.Added, added}, {"changed", except.Changed, changed}} {
		want := strings.Fields(c.want)
		slices.Sort(want)
		if diff := cmp.Diff(want, c.got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("names %s (-want +got):\n%s", c.what, diff)
		}
	}
}

// differences returns the names that only theirs has, those that only ours has,
// and those with different types, in order.
func differences(t *testing.T, ours, theirs string) (missing, added, changed []string) {
	t.Helper()
	own, other := exported(t, ours, ours, theirs), exported(t, theirs, ours, theirs)
	for _, name := range slices.Sorted(maps.Keys(other)) {
		switch {
		case own[name] == "":
			missing = append(missing, name)
		case own[name] != other[name]:
			changed = append(changed, name)
			t.Logf("%s is\n%s\nand in %s\n%s", name, own[name], theirs, other[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if other[name] == "" {
			added = append(added, name)
		}
	}
	return missing, added, changed
}

// exported describes the exported names of the package at path, with ours
// called theirs.
func exported(t *testing.T, path, ours, theirs string) map[string]string {
	t.Helper()
	loaded := load(t, path)
	if len(loaded) != 1 {
		t.Fatalf("loading %s: %d packages", path, len(loaded))
	}
	d := describer{strings.NewReplacer("interface{}", "any", ours+".", theirs+".")}
	scope := loaded[0].Types.Scope()
	all := map[string]string{}
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			all[name] = d.object(obj)
		}
	}
	return all
}

// load returns the packages that match a pattern, with what they export.
func load(t *testing.T, pattern string) []*packages.Package {
	t.Helper()
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedModule | packages.NeedImports | packages.NeedTypes | packages.NeedExportFile
	loaded, err := packages.Load(&packages.Config{Mode: mode}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			t.Errorf("loading %s: %v", pkg.PkgPath, err)
		}
	}
	if t.Failed() || len(loaded) == 0 {
		t.Fatalf("loading %s: %d packages", pattern, len(loaded))
	}
	return loaded
}

// describer says the same of two objects if they are of the same type.
type describer struct{ names *strings.Replacer }

func (d describer) object(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.TypeName:
		if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
			return d.named(named.Origin())
		}
		return "type " + d.typeName(obj.Type())
	case *types.Func:
		return "func" + d.signature(obj.Signature())
	default:
		return d.typeName(obj.Type())
	}
}

// named describes a declared type by its name, its methods, and its form as far
// as it is exported.
func (d describer) named(named *types.Named) string {
	lines := []string{"type " + d.typeName(named.Obj().Type())}
	for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if method.Obj().Exported() && !types.IsInterface(named) {
			lines = append(lines, "\tmethod "+method.Obj().Name()+d.signature(method.Obj().Type().(*types.Signature)))
		}
	}
	switch under := named.Underlying().(type) {
	case *types.Struct:
		for field := range under.Fields() {
			if field.Exported() {
				lines = append(lines, "\tfield "+field.Name()+" "+d.typeName(field.Type()))
			}
		}
	case *types.Signature:
		lines = append(lines, "\tfunc"+d.signature(under))
	default:
		lines = append(lines, "\t"+d.typeName(under))
	}
	return strings.Join(lines, "\n")
}

// signature leaves out the names of parameters.
func (d describer) signature(sig *types.Signature) string {
	what := ""
	for p := range sig.TypeParams().TypeParams() {
		what += " " + d.typeName(p.Constraint())
	}
	what += d.tuple(sig.Params())
	if sig.Variadic() {
		what += "..."
	}
	return what + d.tuple(sig.Results())
}

func (d describer) tuple(t *types.Tuple) string {
	var all []string
	for v := range t.Variables() {
		all = append(all, d.typeName(v.Type()))
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// typeName names an alias as what it stands for.
func (d describer) typeName(t types.Type) string {
	return d.names.Replace(types.Unalias(t).String())
}
