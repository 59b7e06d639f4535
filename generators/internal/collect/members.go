package collect

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/token"
	"maps"
	"slices"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/load"
)

// objectMethods are the methods of metav1.Object and runtime.Object with their signatures, which
// leave out the names of packages.
var objectMethods = func() map[string]string {
	methods := map[string]string{"GetObjectKind": "() ObjectKind", "DeepCopyObject": "() Object"}
	for name, typ := range map[string]string{
		"Namespace": "string", "Name": "string", "GenerateName": "string", "UID": "UID", "ResourceVersion": "string", "Generation": "int64",
		"SelfLink": "string", "CreationTimestamp": "Time", "DeletionTimestamp": "*Time", "DeletionGracePeriodSeconds": "*int64",
		"Labels": "map[string]string", "Annotations": "map[string]string", "Finalizers": "[]string",
		"OwnerReferences": "[]OwnerReference", "ManagedFields": "[]ManagedFieldsEntry",
	} {
		methods["Get"+name], methods["Set"+name] = "() "+typ, "("+typ+")"
	}
	return methods
}()

// metaMethods returns the objectMethods that a type of the meta package has. It reports false if the type's
// methods are not known.
func metaMethods(name string) ([]string, bool) {
	switch name {
	case "ObjectMeta", "Object":
		return slices.DeleteFunc(slices.Collect(maps.Keys(objectMethods)), func(method string) bool {
			return method == "GetObjectKind" || method == "DeepCopyObject"
		}), true
	case "ListMeta", "ListInterface":
		return []string{"GetResourceVersion", "SetResourceVersion", "GetSelfLink", "SetSelfLink"}, true
	case "TypeMeta":
		return []string{"GetObjectKind"}, true
	}
	return nil, false
}

// hasObjectMethod reports whether a formatted source declares one of objectMethods, without
// parsing it. DeepCopyObject, which nearly all generated ones declare, is not looked for.
func hasObjectMethod(source []byte) bool {
	for method := range bytes.SplitSeq(source, []byte("\nfunc (")) {
		_, method, _ = bytes.Cut(method, []byte(") "))
		name, _, called := bytes.Cut(method, []byte("("))
		if called && string(name) != "DeepCopyObject" && objectMethods[string(name)] != "" {
			return true
		}
	}
	return false
}

// selected is a field or a method of a type, with the name of one of objectMethods.
type selected struct {
	of        string // the type that declares it
	signature string // as in objectMethods; empty for a field
	pos       token.Position
}

// membersOf returns the fields and methods that have the name of one of objectMethods and that
// Go selects of a type: of each name, the members at the least depth of embedding. They are several if
// the name is ambiguous. It reports false if a type that is embedded could not be read.
func membersOf(d *load.Declaration) (found map[string][]selected, complete bool) {
	found, complete = map[string][]selected{}, true
	seen := map[*ast.TypeSpec]bool{}
	for level := []embedded{{decl: d.Unalias()}}; len(level) > 0 && complete; {
		here := map[string][]selected{}
		var next []embedded
		for _, e := range level {
			bases, known := e.members(here)
			next, complete = append(next, bases...), complete && known
			if e.decl != nil {
				seen[e.decl.Spec] = true
			}
		}
		maps.Copy(here, found) // which hide those that are deeper
		found = here
		level = slices.DeleteFunc(next, func(e embedded) bool { return e.decl != nil && seen[e.decl.Spec] })
	}
	return found, complete
}

// embedded is a type that is embedded: a declaration, or a type of the meta package by its name.
type embedded struct {
	decl *load.Declaration
	meta string
}

// members adds the members of the type itself, and returns what it embeds. It reports false if it
// could not read all of that.
func (e embedded) members(to map[string][]selected) (bases []embedded, known bool) {
	if e.decl == nil {
		methods, known := metaMethods(e.meta)
		for _, name := range methods {
			to[name] = append(to[name], selected{of: "metav1." + e.meta, signature: objectMethods[name]})
		}
		return nil, known
	}
	addMethods(e.decl, to)
	structure, holder := e.decl.Structure()
	if structure == nil {
		return nil, true
	}
	for _, field := range structure.Fields.List {
		for _, name := range fields.Names(field) {
			if objectMethods[name.Name] != "" {
				to[name.Name] = append(to[name.Name], selected{of: e.decl.Name(), pos: holder.Pkg.Loader.Position(name.Pos())})
			}
		}
		if len(field.Names) > 0 || doc.IsPredeclared(load.BaseName(field.Type)) {
			continue
		}
		base, meta := holder.Embedded(field.Type)
		if base == nil && meta == "" {
			return bases, false
		}
		bases = append(bases, embedded{base, meta})
	}
	return bases, true
}

// addMethods adds the methods that a type has of its own.
func addMethods(d *load.Declaration, to map[string][]selected) {
	methods := d.Pkg.MethodsOf(d.Name())
	if _, ok := d.Spec.Type.(*ast.InterfaceType); ok {
		methods = d.MethodSet().Methods
	}
	if d.Pkg.DeclaresMethod(d.Name(), "DeepCopyObject") {
		to["DeepCopyObject"] = append(to["DeepCopyObject"], selected{of: d.Name(), signature: objectMethods["DeepCopyObject"]})
	}
	for name, m := range methods {
		if name != "DeepCopyObject" && objectMethods[name] != "" {
			to[name] = append(to[name], selected{of: d.Name(), signature: m.Text(), pos: m.Position()})
		}
	}
}

// checkMethods reports the methods of API objects that a type has not, though it embeds
// ObjectMeta: they are hidden, or ambiguous, or the ObjectMeta is not metav1's.
func checkMethods(decl *load.Declaration, diags *diag.List) {
	at, kind := decl.Position(), decl.Name()
	found, complete := membersOf(decl)
	missing := false
	for _, name := range slices.Sorted(maps.Keys(objectMethods)) {
		of := found[name]
		switch {
		case len(of) == 0:
			if complete && !missing && name != "DeepCopyObject" { // which reportUncopied reports
				diags.Errorf(at, "kind: %s has no method %s: its ObjectMeta or TypeMeta is not that of %s; embed that, or leave out the type with --exclude", kind, name, fields.MetaPackage)
				missing = true
			}
		case len(of) > 1:
			diags.Errorf(at, "kind: %s of %s is ambiguous: %s and %s have it; declare the method, or embed only one of them", name, kind, of[0].of, of[1].of)
		case of[0].signature == "":
			diags.Errorf(at, "kind: %s of %s is a field, at %s, which hides the method of API objects; rename the field", name, kind, of[0].pos)
		case of[0].signature != objectMethods[name]:
			diags.Errorf(at, "kind: %s of %s is func%s, at %s, but that of API objects is func%s; rename it", name, kind, of[0].signature, of[0].pos, objectMethods[name])
		}
	}
}
