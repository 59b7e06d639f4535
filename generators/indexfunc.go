package generators

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/informer-gen/informer-gen/internal/suggest"
	"github.com/informer-gen/informer-gen/templates"
)

// function adds an index by a function of the package.
func (w *indexWalk) function(m indexMarker) {
	at := w.at(m.pos)
	if m.function == "" || m.method == "" {
		w.diags.errorf(at, "+%s: no function; write +%s=ByColour,func=ColourOf on a type, for example, or the marker on a field", indexTag, indexTag)
		return
	}
	name := w.name()
	want := fmt.Sprintf("declare func %s(*%s) string, or []string", m.function, name)
	functions := w.owner.pkg.functions()
	declared := functions[m.function]
	if declared == nil {
		hint := suggest.DidYouMean(m.function, "", slices.Sorted(maps.Keys(functions)))
		w.diags.errorf(at, "+%s: the package has no function %s%s", indexTag, m.function, cmp.Or(hint, "; "+want))
		return
	}
	several, ok := w.signature(declared)
	switch {
	case !declared.Name.IsExported():
		w.diags.errorf(at, "+%s: %s at %s is not exported; begin its name with a capital letter", indexTag, m.function, w.at(declared.Name.Pos()))
	case declared.Type.TypeParams != nil:
		w.diags.errorf(at, "+%s: %s at %s has type parameters; %s", indexTag, m.function, w.at(declared.Name.Pos()), want)
	case !ok:
		w.diags.errorf(at, "+%s: %s at %s is %s; %s", indexTag, m.function, w.at(declared.Name.Pos()), types.ExprString(declared.Type), want)
	default:
		w.add(m, templates.Index{Method: m.method, Func: m.function, Of: m.function, Several: several, Key: templates.GoType{Name: "string"}, KeyKind: templates.StringKey})
	}
}

// signature reports whether a function returns the values of an object, and whether these are
// several.
func (w *indexWalk) signature(f *function) (several, ok bool) {
	params, results := f.Type.Params, f.Type.Results
	if params.NumFields() != 1 || results.NumFields() != 1 {
		return false, false
	}
	object, ok := params.List[0].Type.(*ast.StarExpr)
	owner := typeRef{w.owner.pkg, w.owner.file, w.owner.spec.Name}
	if !ok || !f.in(object.X).same(owner) {
		return false, false
	}
	result := results.List[0].Type
	if list, ok := result.(*ast.ArrayType); ok && list.Len == nil {
		several, result = true, list.Elt
	}
	path, name := f.in(result).named()
	return several, path == "" && name == "string"
}

// function is a function with the file that declares it.
type function struct {
	*ast.FuncDecl
	file *File
	pkg  *Package
}

func (f *function) in(expr ast.Expr) typeRef { return typeRef{f.pkg, f.file, expr} }

// functions are those that the package declares, without methods.
func (p *Package) functions() map[string]*function {
	p.index()
	p.parseDeferred()
	found := map[string]*function{}
	for _, file := range p.Files {
		for _, decl := range file.Syntax.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Recv == nil {
				found[decl.Name.Name] = &function{decl, file, p}
			}
		}
	}
	return found
}
