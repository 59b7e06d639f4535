package generators

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/internal/suggest"
	"github.com/informer-gen/informer-gen/templates"
)

// Index is an index that a marker asks for.
type Index struct {
	templates.Index
	// Pos is that of the marker.
	Pos token.Position
}

// methods are those of the lister.
func (x Index) methods() []string { return []string{x.Method, "All" + x.Method} }

// index adds the indexes of a kind. Markers in the fields of an API type that is no
// kind have their place all the same.
func (c *collector) index(decl *declaration, comments typeComments, v verdict) {
	quiet := tagParser{at: c.tags.at, diags: new(diagnostics)}
	tags := quiet.parse(comments.markers())
	switch {
	case v.kind != nil:
		v.kind.Indexes = c.indexes(decl, tags, c.diags)
	case decl.embeds("ObjectMeta").found:
		c.indexes(decl, tags, new(diagnostics))
	case len(tags.Indexes) > 0:
		c.diags.errorf(c.tags.at(tags.Indexes[0].pos), "+%s: %s is no API type; move the marker to the type whose objects are to be found", indexTag, decl.spec.Name.Name)
	}
}

// indexes returns the indexes that the markers of a type and of its fields ask for, sorted by
// method.
func (c *collector) indexes(decl *declaration, tags Tags, diags *diagnostics) []Index {
	w := &indexWalk{owner: decl, at: c.tags.at, diags: diags, open: map[string]bool{decl.spec.Name.Name: true}, ways: map[token.Pos]int{}, reached: c.reached}
	for _, m := range tags.Indexes {
		w.function(m)
	}
	if w.leads(decl.ref(), map[string]bool{}) {
		w.descend(decl.ref(), valuePath{expr: "obj"})
	}
	w.distinct()
	return w.found
}

// checkFieldMarkers reports the markers of fields that are in no API type of the package, and
// notes the comments of fields as attached.
func (c *collector) checkFieldMarkers(pkg *Package, attached map[*ast.CommentGroup]bool) {
	if !pkg.mentions["+"+ownTags] {
		return
	}
	check := func(field *ast.Field) {
		attached[field.Doc], attached[field.Comment] = true, true
		for _, m := range ownMarkers(field) {
			if !c.reached[m.pos] {
				c.diags.errorf(c.tags.at(m.pos), "+%s: the field is in no API type of package %s; index the type whose objects are to be found by a function of its package: +%s=By…,func=…", m.name, pkg.Path, indexTag)
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

// maxWays bounds how often a walk reaches a marked field. Two ways are an error already; structs
// that hold each other twice have any number of them.
const maxWays = 8

// indexWalk finds what the markers of a type, and of the fields that it is made of, ask for.
type indexWalk struct {
	owner   *declaration
	at      func(token.Pos) token.Position
	diags   *diagnostics
	found   []Index
	open    map[string]bool    // the named types that are walked through
	ways    map[token.Pos]int  // to each marked field
	ended   bool               // by a type that holds itself, or too many ways to a field: both are reported
	reached map[token.Pos]bool // the markers of fields
}

func (w *indexWalk) name() string { return w.owner.spec.Name.Name }

func (w *indexWalk) add(m indexMarker, x templates.Index) {
	x.Name = strings.ToLower(x.Method[:1]) + x.Method[1:]
	w.found = append(w.found, Index{x, w.at(m.pos)})
}

// distinct sorts the indexes, and reports those of one name.
func (w *indexWalk) distinct() {
	slices.SortStableFunc(w.found, func(a, b Index) int {
		return cmp.Or(strings.Compare(a.Method, b.Method), comparePositions(a.Pos, b.Pos))
	})
	for i, x := range w.found[min(1, len(w.found)):] {
		switch previous := w.found[i]; {
		case x.Method != previous.Method:
		case x.Pos == previous.Pos:
			w.diags.errorf(x.Pos, "+%s: %s has two fields with this marker, %s and %s; index it by a function: +%s=%s,func=… on the type", indexTag, w.name(), previous.Of, x.Of, indexTag, x.Method)
		default:
			w.diags.errorf(x.Pos, "+%s: %s of %s is the index by %s here, and by %s at %s; name another: +%s=By…", indexTag, x.Method, w.name(), x.Of, previous.Of, previous.Pos, indexTag)
		}
	}
}

// descend looks for marked fields in what the package declares of a type.
func (w *indexWalk) descend(t typeRef, at valuePath) {
	if w.ended {
		return
	}
	if part, inside, ok := at.part(t); ok {
		w.descend(part, inside)
		return
	}
	switch expr := t.Expr.(type) {
	case *ast.ParenExpr:
		w.descend(t.in(expr.X), at)
	case *ast.Ident:
		if decl := t.pkg.localType(expr.Name); decl != nil && w.leads(decl.ref(), map[string]bool{}) {
			w.named(decl, at)
		}
	case *ast.StructType:
		for _, field := range expr.Fields.List {
			w.field(t, field, at)
		}
	}
}

// named descends into a named type, which must have an end.
func (w *indexWalk) named(decl *declaration, at valuePath) {
	name := decl.spec.Name.Name
	if w.open[name] {
		w.ended = true
		w.diags.errorf(w.at(decl.spec.Name.Pos()), "+%s: %s of %s holds itself, by %s, so that fields in it have no one path; leave out their markers, and index %s by a function: +%s=By…,func=… on the type",
			indexTag, name, w.name(), strings.Join(at.fields, "."), w.name(), indexTag)
		return
	}
	w.open[name] = true
	defer delete(w.open, name)
	w.descend(decl.ref(), at)
}

// leads reports whether a type that the package declares has a marked field, or holds such a
// type, and notes all markers that can be reached by it.
func (w *indexWalk) leads(t typeRef, seen map[string]bool) bool {
	if part, _, ok := (valuePath{}).part(t); ok {
		return w.leads(part, seen)
	}
	switch expr := t.Expr.(type) {
	case *ast.ParenExpr:
		return w.leads(t.in(expr.X), seen)
	case *ast.Ident:
		decl := t.pkg.localType(expr.Name)
		if decl == nil || seen[expr.Name] {
			return false
		}
		seen[expr.Name] = true
		return w.leads(decl.ref(), seen)
	case *ast.StructType:
		found := false
		for _, field := range expr.Fields.List {
			for _, m := range ownMarkers(field) {
				w.reached[m.pos], found = true, true
			}
			found = w.leads(t.in(field.Type), seen) || found
		}
		return found
	}
	return false
}

// localType returns a type that the package declares in a file that was parsed at first, or
// nil.
func (p *Package) localType(name string) *declaration {
	p.index()
	return p.types[name]
}

// ownMarkers are the markers of a field that only this tool reads.
func ownMarkers(field *ast.Field) markers {
	return slices.DeleteFunc(parseMarkers(field.Doc, field.Comment), func(m marker) bool { return !strings.HasPrefix(m.name, ownTags) })
}

// field adds the indexes by a field, or descends into it if it has no marker.
func (w *indexWalk) field(t typeRef, field *ast.Field, at valuePath) {
	marked := ownMarkers(field)
	for _, name := range fieldNames(field) {
		if len(marked) == 0 {
			w.descend(t.in(field.Type), at.field(name, len(field.Names) == 0))
		}
		if len(marked) > 0 {
			w.ways[name.Pos()]++
			w.ended = w.ended || w.ways[name.Pos()] == maxWays
		}
		for _, m := range marked {
			if found, ok := w.fieldMarker(m); ok {
				w.values(found, t.in(field.Type), at.field(name, len(field.Names) == 0))
			}
		}
	}
}

// fieldMarker reads a marker of a field.
func (w *indexWalk) fieldMarker(m marker) (indexMarker, bool) {
	parser := tagParser{at: w.at, diags: w.diags}
	if m.name != indexTag {
		w.diags.errorf(w.at(m.pos), "+%s: unknown tag of a field%s", m.name, suggest.DidYouMean(m.name, "+", []string{indexTag}))
		return indexMarker{}, false
	}
	found, ok := parser.index(m)
	if ok && found.function != "" {
		w.diags.errorf(w.at(m.pos), "+%s: func=%s on a field; move the marker to the type, whose objects the function is given", m.name, found.function)
		return found, false
	}
	return found, ok
}

// values adds the index by the values of a field.
func (w *indexWalk) values(m indexMarker, t typeRef, at valuePath) {
	path := strings.Join(at.fields, ".")
	if at.hidden != "" {
		w.diags.errorf(w.at(m.pos), "+%s: %s can't be read: %s is not exported; export it, or index %s by a function: +%s=By…,func=… on the type", indexTag, path, at.hidden, w.name(), indexTag)
		return
	}
	key, at, refused, lost := keyOf(t, at)
	switch {
	case lost != "":
		w.diags.errorf(w.at(m.pos), "+%s: %s can't be indexed, since it refers to %s; make sure that it is declared, and its module in go.mod", indexTag, path, lost)
		return
	case refused != "":
		w.diags.errorf(w.at(m.pos), "+%s: %s is %s; mark a string, a bool, an integer, or a slice of these, or index %s by a function: +%s=By…,func=… on the type", indexTag, path, refused, w.name(), indexTag)
		return
	}
	blocks, value := at.values(key)
	w.add(m, templates.Index{
		Method: cmp.Or(m.method, "By"+at.fields[len(at.fields)-1]), Of: path, Several: len(at.blocks) > 0,
		Blocks: blocks, Value: value, Key: key.GoType, KeyKind: key.kind,
	})
}
