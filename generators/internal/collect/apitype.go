package collect

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

const lacksObjectMeta = "embeds no ObjectMeta"

// lacks says what a type lacks to be one of API objects, and what to do.
func lacks(d *load.Declaration) (lack, remedy string) {
	fields, _ := d.Structure()
	objectMeta, typeMeta := d.Embeds("ObjectMeta") != nil, d.Embeds("TypeMeta") != nil || d.Unalias().HasMethod("GetObjectKind")
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
func isInternal(d *load.Declaration) bool {
	objectMeta := d.Embeds("ObjectMeta")
	return objectMeta != nil && !strings.Contains(load.TagOf(objectMeta), "json")
}

// looksLikeAPI reports whether a struct embeds TypeMeta and ObjectMeta itself.
func looksLikeAPI(d *load.Declaration) bool {
	structure, _ := d.Spec.Type.(*ast.StructType)
	metas := slices.DeleteFunc(load.EmbeddedFields(structure), func(field *ast.Field) bool {
		name := load.BaseName(field.Type)
		return name != "TypeMeta" && name != "ObjectMeta"
	})
	return len(metas) == 2
}

// isList reports whether a type is a list of others.
func isList(d *load.Declaration) bool {
	return strings.HasSuffix(d.Name(), "List") && d.Has("Items") && d.Embeds("ListMeta") != nil
}

// hasList reports whether the package has a list of the type. If that can't be told,
// because a package that the list refers to can't be had, lost says what is missing.
func hasList(d *load.Declaration) (has bool, lost string) {
	list := d.Pkg.Type(d.Name() + "List")
	if list == nil {
		return false, ""
	}
	if list.Has("Items") {
		return true, ""
	}
	if lost := list.Lost(); lost != "" {
		return false, lost
	}
	fields, _ := list.Structure()
	return fields == nil, "" // of the meta package, for example, which is not parsed
}

// clientVerbs are the methods that a client of a type has. The type's tags may leave some out, and methods of
// the status need a status.
func clientVerbs(d *load.Declaration, tags typeTags) []string {
	if tags.NoVerbs {
		return nil
	}
	hasStatus := !tags.NoStatus && d.Has("Status")
	return slices.DeleteFunc(slices.Clone(tags.Verbs), func(verb string) bool {
		return !hasStatus && (verb == "updateStatus" || verb == "applyStatus")
	})
}

// listType is the name of the type's list, if the package declares one that can be
// decoded.
func listType(d *load.Declaration) string {
	if list := decodableList(d); list != nil {
		return list.Name()
	}
	return ""
}

func decodableList(d *load.Declaration) *load.Declaration {
	list := d.Pkg.Type(d.Name() + "List")
	if has, _ := hasList(d); !has || list.Embeds("TypeMeta") == nil && !list.Unalias().HasMethod("GetObjectKind") {
		return nil
	}
	return list
}

// hasDeepCopyObject reports whether a type has the method DeepCopyObject, of its own or of
// what it embeds.
func hasDeepCopyObject(d *load.Declaration) bool {
	found, _ := membersOf(d)
	return len(found["DeepCopyObject"]) > 0
}

// uncopied is a kind without DeepCopyObject.
type uncopied struct {
	name string
	root bool
	pos  token.Position
}

// reportUncopied reports the kinds of a package that lack DeepCopyObject, without which
// the output does not compile. For root types that is an error; client-gen's
// scripts may well make it after this run.
func reportUncopied(kinds []uncopied, pkg *load.Package, own packageMarkers, diags *diag.List) {
	for _, root := range []bool{true, false} {
		var names []string
		var first token.Position
		for _, kind := range slices.Backward(kinds) {
			if kind.root == root {
				names, first = append(names, kind.name), kind.pos
			}
		}
		slices.Reverse(names)
		text := strings.Join(names, ", ") + ": no method DeepCopyObject"
		dir := filepath.ToSlash(paths.Relative(pkg.Loader.Dir, pkg.Dir))
		if filepath.IsLocal(dir) {
			dir = "./" + strings.TrimPrefix(dir, "./")
		}
		command := "controller-gen object paths=" + dir
		if !root || own.deepCopyGen {
			command = "deepcopy-gen"
		}
		switch {
		case len(names) == 0:
		case root:
			diags.Errorf(first, "kind: %s; run %s first, which writes it, or leave out types with --exclude", text, command)
		default:
			diags.Warnf(first, "kind: %s; the output compiles when %s has written it", text, command)
		}
	}
}
