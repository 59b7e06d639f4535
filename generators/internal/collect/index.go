package collect

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/internal/suggest"
	"github.com/informer-gen/informer-gen/templates"
)

// indexer finds the indexes of the kinds of a package.
type indexer struct {
	tagParser
	reached map[token.Pos]bool // the markers of fields of API types of the package
}

// addIndexes adds the indexes of a declaration to its kind, which is nil if it has none. Markers in the fields of
// an API type that is no kind have their place all the same.
func (x indexer) addIndexes(decl *load.Declaration, comments load.TypeComments, kind *Kind) {
	tags := x.quiet().parse(markersAt(comments))
	switch {
	case kind != nil:
		kind.Indexes = x.indexes(decl, tags, x.diags)
		for _, index := range kind.Indexes {
			kind.Type.Indexes = append(kind.Type.Indexes, index.Index)
		}
	case decl.Embeds("ObjectMeta") != nil:
		x.indexes(decl, tags, new(diag.List))
	case len(tags.Indexes) > 0:
		x.diags.Errorf(x.at(tags.Indexes[0].pos), "+%s: %s is no API type; move the marker to the type whose objects are to be found", IndexTag, decl.Name())
	}
}

// indexes returns the indexes that the markers of a type and of its fields ask for, sorted by
// method.
func (x indexer) indexes(decl *load.Declaration, tags typeTags, diags *diag.List) []Index {
	w := &indexWalk{tagParser: tagParser{at: x.at, diags: diags}, owner: decl, open: map[string]bool{decl.Name(): true}, ways: map[token.Pos]int{}, reached: x.reached}
	for _, m := range tags.Indexes {
		w.function(m)
	}
	if w.leads(decl.Ref(), map[string]bool{}) {
		w.descend(decl.Ref(), fields.From("obj"))
	}
	w.distinct()
	return w.found
}

// checkFieldMarkers reports the markers of fields that are in no API type of the package, and
// notes the comments of fields as attached.
func (x indexer) checkFieldMarkers(pkg *load.Package, attached map[*ast.CommentGroup]bool) {
	if !pkg.Mentions[ownTags] {
		return
	}
	check := func(field *ast.Field) {
		attached[field.Doc], attached[field.Comment] = true, true
		for _, m := range ownMarkers(field) {
			if !x.reached[m.pos] {
				x.diags.Errorf(x.at(m.pos), "+%s: the field is in no API type of package %s; index the type whose objects are to be found by a function of its package: +%s=By…,func=…", m.name, pkg.Path, IndexTag)
			}
		}
	}
	for _, file := range pkg.Files {
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if structure, ok := node.(*ast.StructType); ok {
				for _, field := range structure.Fields.List {
					check(field)
				}
			}
			return true
		})
	}
}

// checkAside checks the markers of fields in packages that API types may be made of, and that the run
// does not read otherwise.
func (x indexer) checkAside(packages []*load.Package) {
	for _, pkg := range packages {
		x.reached = map[token.Pos]bool{}
		for _, decl := range pkg.Declarations() {
			if decl.Embeds("ObjectMeta") != nil {
				x.indexes(decl, typeTags{}, new(diag.List))
			}
		}
		x.checkFieldMarkers(pkg, map[*ast.CommentGroup]bool{})
	}
}

// maxWays bounds how often a walk reaches a marked field. Two ways are an error already; structs
// that hold each other twice have any number of them.
const maxWays = 8

// indexWalk finds what the markers of a type, and of the fields that it is made of, ask for.
type indexWalk struct {
	tagParser
	owner   *load.Declaration
	found   []Index
	open    map[string]bool    // the named types that are walked through
	ways    map[token.Pos]int  // to each marked field
	ended   bool               // by a type that holds itself, or too many ways to a field: both are reported
	reached map[token.Pos]bool // the markers of fields
}

func (w *indexWalk) name() string { return w.owner.Name() }

func (w *indexWalk) add(m indexMarker, x templates.Index) {
	x.Name = strings.ToLower(x.Method[:1]) + x.Method[1:]
	w.found = append(w.found, Index{x, w.at(m.pos)})
}

// distinct sorts the indexes, and reports each name that several have.
func (w *indexWalk) distinct() {
	slices.SortStableFunc(w.found, func(a, b Index) int {
		return cmp.Or(strings.Compare(a.Method, b.Method), comparePositions(a.Pos, b.Pos))
	})
	for i, x := range w.found[min(1, len(w.found)):] {
		switch previous := w.found[i]; {
		case x.Method != previous.Method:
		case x.Pos == previous.Pos:
			w.diags.Errorf(x.Pos, "+%s: %s has two fields with this marker, %s and %s; index it by a function: +%s=%s,func=… on the type", IndexTag, w.name(), previous.Of, x.Of, IndexTag, x.Method)
		default:
			w.diags.Errorf(x.Pos, "+%s: %s of %s is the index by %s here, and by %s at %s; name another: +%s=By…", IndexTag, x.Method, w.name(), x.Of, previous.Of, previous.Pos, IndexTag)
		}
	}
}

// descend looks for marked fields in what the package declares of a type.
func (w *indexWalk) descend(t load.Expression, at fields.Path) {
	if w.ended {
		return
	}
	t = t.Resolved()
	if part, inside, ok := at.Part(t); ok {
		w.descend(part, inside)
		return
	}
	switch expr := t.Expr.(type) {
	case *ast.Ident:
		if decl := t.Pkg.LocalType(expr.Name); decl != nil {
			w.named(t, decl, decl.Ref(), at)
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		if decl, made, ok := t.Instance(); ok {
			w.named(t, decl, made, at)
		}
	case *ast.StructType:
		for _, field := range expr.Fields.List {
			w.field(t, field, at)
		}
	}
}

// named descends into what a named type is made of, which must have an end.
func (w *indexWalk) named(t load.Expression, decl *load.Declaration, made load.Expression, at fields.Path) {
	name := types.ExprString(t.Expr)
	if !w.leads(made, map[string]bool{}) {
		return
	}
	if w.open[name] {
		w.ended = true
		w.diags.Errorf(decl.Position(), "+%s: %s of %s holds itself, by %s, so that fields in it have no one path; leave out their markers, and index %s by a function: +%s=By…,func=… on the type",
			IndexTag, name, w.name(), strings.Join(at.Names, "."), w.name(), IndexTag)
		return
	}
	w.open[name] = true
	defer delete(w.open, name)
	w.descend(made, at)
}

// leads reports whether a type that the package declares has a marked field, or holds such a
// type, and notes all markers that can be reached by it.
func (w *indexWalk) leads(t load.Expression, seen map[string]bool) bool {
	t = t.Resolved()
	if part, _, ok := fields.From("").Part(t); ok {
		return w.leads(part, seen)
	}
	switch expr := t.Expr.(type) {
	case *ast.Ident:
		decl := t.Pkg.LocalType(expr.Name)
		if decl == nil || seen[expr.Name] {
			return false
		}
		seen[expr.Name] = true
		return w.leads(decl.Ref(), seen)
	case *ast.IndexExpr, *ast.IndexListExpr:
		name := types.ExprString(t.Expr)
		_, made, ok := t.Instance()
		if !ok || seen[name] {
			return false
		}
		seen[name] = true
		return w.leads(made, seen)
	case *ast.StructType:
		found := false
		for _, field := range expr.Fields.List {
			for _, m := range ownMarkers(field) {
				w.reached[m.pos], found = true, true
			}
			found = w.leads(t.In(field.Type), seen) || found
		}
		return found
	}
	return false
}

// ownMarkers are the markers of a field that only this tool reads.
func ownMarkers(field *ast.Field) markers {
	return slices.DeleteFunc(parseMarkers(field.Doc, field.Comment), func(m marker) bool { return !strings.HasPrefix(strings.TrimPrefix(m.name, " "), ownTags) })
}

// field adds the indexes by a field, or descends into it if it has no marker.
func (w *indexWalk) field(t load.Expression, field *ast.Field, at fields.Path) {
	marked := ownMarkers(field)
	for _, name := range fields.Names(field) {
		if len(marked) == 0 {
			w.descend(t.In(field.Type), at.Field(name, len(field.Names) == 0))
		}
		if len(marked) > 0 {
			w.ways[name.Pos()]++
			w.ended = w.ended || w.ways[name.Pos()] == maxWays
		}
		for _, m := range marked {
			if found, ok := w.fieldMarker(m); ok {
				w.values(found, t.In(field.Type), at.Field(name, len(field.Names) == 0))
			}
		}
	}
}

// fieldMarker reads a marker of a field.
func (w *indexWalk) fieldMarker(m marker) (indexMarker, bool) {
	if m.name != IndexTag {
		w.diags.Errorf(w.at(m.pos), "+%s: unknown tag of a field%s", m.name, suggest.DidYouMean(m.name, "+", []string{IndexTag}))
		return indexMarker{}, false
	}
	found, ok := w.index(m)
	if ok && found.function != "" {
		w.diags.Errorf(w.at(m.pos), "+%s: func=%s on a field; move the marker to the type, whose objects the function is given", m.name, found.function)
		return found, false
	}
	return found, ok
}

// values adds the index by the values of a field.
func (w *indexWalk) values(m indexMarker, t load.Expression, at fields.Path) {
	path, field := strings.Join(at.Names, "."), at.Names[len(at.Names)-1]
	if at.Hidden != "" {
		w.diags.Errorf(w.at(m.pos), "+%s: %s can't be read: %s is not exported; export it, or index %s by a function: +%s=By…,func=… on the type", IndexTag, path, at.Hidden, w.name(), IndexTag)
		return
	}
	key, at, refused, lost := fields.KeyOf(t, at)
	switch {
	case lost != "":
		w.diags.Errorf(w.at(m.pos), "+%s: %s can't be indexed, since it refers to %s; make sure that it is declared, and its module in go.mod", IndexTag, path, lost)
		return
	case refused != "":
		w.diags.Errorf(w.at(m.pos), "+%s: %s is %s; mark a string, a bool, an integer, or a slice of these, or index %s by a function: +%s=By…,func=… on the type", IndexTag, path, refused, w.name(), IndexTag)
		return
	}
	blocks, value := at.Values(key)
	w.add(m, templates.Index{
		Method: cmp.Or(m.method, "By"+field), Of: path, Several: len(at.Blocks) > 0,
		Blocks: blocks, Value: value, Key: key.GoType, KeyKind: key.Kind,
	})
}

// function adds an index by a function of the package.
func (w *indexWalk) function(m indexMarker) {
	at := w.at(m.pos)
	if m.function == "" || m.method == "" {
		w.diags.Errorf(at, "+%s: no function; write +%s=ByColour,func=ColourOf on a type, for example, or the marker on a field", IndexTag, IndexTag)
		return
	}
	name := w.name()
	want := fmt.Sprintf("declare func %s(*%s) string, or []string", m.function, name)
	functions := w.owner.Pkg.Functions()
	declared, found := functions[m.function]
	if !found {
		hint := suggest.DidYouMean(m.function, "", slices.Sorted(maps.Keys(functions)))
		w.diags.Errorf(at, "+%s: the package has no function %s%s", IndexTag, m.function, cmp.Or(hint, "; "+want))
		return
	}
	several, ok := w.signature(declared)
	switch {
	case !declared.Name.IsExported():
		w.diags.Errorf(at, "+%s: %s at %s is not exported; begin its name with a capital letter", IndexTag, m.function, declared.Position())
	case declared.Signature.TypeParams != nil:
		w.diags.Errorf(at, "+%s: %s at %s has type parameters; %s", IndexTag, m.function, declared.Position(), want)
	case !ok:
		w.diags.Errorf(at, "+%s: %s at %s is %s; %s", IndexTag, m.function, declared.Position(), types.ExprString(declared.Signature), want)
	default:
		w.add(m, templates.Index{Method: m.method, Func: m.function, Of: m.function, Several: several, Key: templates.GoType{Name: "string"}, KeyKind: templates.StringKey})
	}
}

// signature reports whether a function returns the values of an object, and whether these are
// several.
func (w *indexWalk) signature(f load.Function) (several, ok bool) {
	params, results := f.Signature.Params, f.Signature.Results
	if params.NumFields() != 1 || results.NumFields() != 1 {
		return false, false
	}
	param := f.In(params.List[0].Type).Unalias()
	pointer, ok := param.Expr.(*ast.StarExpr)
	if !ok {
		return false, false
	}
	object := param.In(pointer.X).Unalias()
	if _, again := object.Expr.(*ast.StarExpr); again || !object.Same(w.owner.In(w.owner.Spec.Name)) {
		return false, false
	}
	result := f.In(results.List[0].Type).Unalias()
	if list, ok := result.Expr.(*ast.ArrayType); ok && list.Len == nil {
		several, result = true, result.In(list.Elt).Unalias()
	}
	path, name := result.Named()
	return several, path == "" && name == "string"
}
