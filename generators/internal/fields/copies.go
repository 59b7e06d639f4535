package fields

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"maps"
	"slices"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/templates"
)

// MetaPackage declares ObjectMeta, TypeMeta and ListMeta.
const MetaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// copier works out how structs of a package are copied.
type copier struct {
	pkg     *load.Package
	objects map[string]bool // the slim types
	// plain are the structs that an assignment copies. steps has the steps of each struct that was
	// looked at.
	plain map[string]bool
	steps map[string][]templates.CopyStep
	// open are the types that are looked into, and endless is true if one of them holds itself.
	open            map[string]bool
	failed, endless bool
	diags           *diag.List
}

// fail reports what can't be copied, and why.
func (c *copier) fail(at place, format string, args ...any) {
	c.failed = true
	c.diags.Errorf(at.pos, "field: %s can't be copied: %s", at.name, fmt.Sprintf(format, args...))
}

// types returns the methods that the structs lack.
func (c *copier) types() []templates.DeepCopy {
	var found []templates.DeepCopy
	for _, name := range slices.Sorted(maps.Keys(c.steps)) {
		lacks := func(method string) bool { return !c.pkg.DeclaresMethod(name, method) }
		methods := templates.DeepCopy{Name: name, Into: lacks("DeepCopyInto"), Copy: lacks("DeepCopy"), Object: c.objects[name] && lacks("DeepCopyObject"), Steps: c.steps[name]}
		if methods.Into || methods.Copy || methods.Object {
			found = append(found, methods)
		}
	}
	return found
}

// ofStruct works out the steps of a struct of the package, and reports whether an assignment
// copies it.
func (c *copier) ofStruct(decl *load.Declaration) (plain bool) {
	name := decl.Name()
	if _, ok := c.steps[name]; ok {
		return c.plain[name]
	}
	c.steps[name] = nil // which is not plain while it is worked out: it may hold itself
	if !c.pkg.DeclaresMethod(name, "DeepCopyInto") {
		c.steps[name] = c.of(decl.Ref(), place{from: "in", to: "out", name: name, pos: decl.Position()})
		c.plain[name] = len(c.steps[name]) == 0
	}
	return c.plain[name]
}

// place is where a value is in what is copied and in the copy.
type place struct {
	from, to string
	level    int // of blocks
	// name is the name of the field, and pos the last position above it that the package declares.
	name string
	pos  token.Position
	// embedded is true if from and to end with an embedded field.
	embedded bool
}

// field returns the place of a field. What is selected from an embedded one stands behind
// brackets, as in valuePath.
func (p place) field(name string, embedded bool) place {
	if p.embedded {
		p.from, p.to = "("+p.from+")", "("+p.to+")"
	}
	p.embedded = embedded
	p.from, p.to, p.name = p.from+"."+name, p.to+"."+name, p.name+"."+name
	return p
}

// inside returns a place within a block.
func (p place) inside(from, to string) place {
	p.from, p.to, p.level, p.embedded = from, to, p.level+1, false
	return p
}

// of returns what makes a deep copy of a shallow one.
func (c *copier) of(t load.Expression, at place) []templates.CopyStep {
	switch expr := t.Expr.(type) {
	case *ast.ParenExpr:
		return c.of(t.In(expr.X), at)
	case *ast.Ident, *ast.SelectorExpr:
		return c.ofNamed(t, at)
	case *ast.StarExpr:
		return c.ofPointer(t.In(expr.X), at)
	case *ast.ArrayType:
		return c.ofElements(t.In(expr.Elt), expr.Len == nil, at)
	case *ast.MapType:
		return c.ofEntries(t.In(expr.Value), at)
	case *ast.StructType:
		return c.ofFields(t, expr, at)
	}
	c.fail(at, "it is %s; write a method DeepCopyInto for the struct that holds it", t)
	return nil
}

// lines are steps without a call.
func lines(texts ...string) (steps []templates.CopyStep) {
	for _, text := range texts {
		steps = append(steps, templates.CopyStep{Line: text})
	}
	return steps
}

// ofPointer copies what a pointer points to.
func (c *copier) ofPointer(element load.Expression, at place) []templates.CopyStep {
	from, copied := at.from, variable("copied", at.level) // whose fields and methods need no *
	switch under, _ := element.Underlying(); {
	case kindOf(under) != jsonObject:
		from = "(*" + at.from + ")"
	case at.embedded:
		from = "(" + at.from + ")"
	}
	begin := lines("if "+at.from+" != nil {", copied+" := *"+at.from, at.to+" = &"+copied)
	return slices.Concat(begin, c.of(element, at.inside(from, copied)), lines("}"))
}

// ofElements copies a slice or an array.
func (c *copier) ofElements(element load.Expression, slice bool, at place) (steps []templates.CopyStep) {
	if slice {
		steps = append(steps, templates.CopyStep{Line: at.to + " = ", Clone: "slices", Of: at.from})
	}
	key := variable("i", at.level)
	index := "[" + key + "]"
	if inner := c.of(element, at.inside(at.from+index, at.to+index)); len(inner) > 0 {
		steps = slices.Concat(steps, lines("for "+key+" := range "+at.from+" {"), inner, lines("}"))
	}
	return steps
}

// ofEntries copies a map, whose keys an assignment copies.
func (c *copier) ofEntries(element load.Expression, at place) []templates.CopyStep {
	steps := []templates.CopyStep{{Line: at.to + " = ", Clone: "maps", Of: at.from}}
	key, value, copied := variable("key", at.level), variable("value", at.level), variable("copied", at.level)
	if inner := c.of(element, at.inside(value, copied)); len(inner) > 0 {
		steps = slices.Concat(steps, lines("for "+key+", "+value+" := range "+at.from+" {", copied+" := "+value), inner, lines(at.to+"["+key+"] = "+copied, "}"))
	}
	return steps
}

// ofFields copies a struct by its fields.
func (c *copier) ofFields(t load.Expression, structure *ast.StructType, at place) []templates.CopyStep {
	var steps []templates.CopyStep
	for _, field := range structure.Fields.List {
		for _, name := range Names(field) {
			place := at.field(name.Name, len(field.Names) == 0)
			if t.Pkg == c.pkg {
				place.pos = c.pkg.Loader.Position(name.Pos())
			}
			if name.Name == "_" && !locks(t.In(field.Type)) {
				continue // an assignment copies it, and nothing else can
			}
			inner := c.of(t.In(field.Type), place)
			if len(inner) > 0 && t.Pkg != c.pkg && !name.IsExported() {
				c.fail(place, "it is not exported; write a method DeepCopyInto for the struct that holds it")
			}
			steps = append(steps, inner...)
		}
	}
	return steps
}

// ofNamed copies a value of a named type: by its method, or by what it is made of.
func (c *copier) ofNamed(t load.Expression, at place) []templates.CopyStep {
	into := lines(at.from + ".DeepCopyInto(&" + at.to + ")")
	switch path, name := t.Named(); {
	case path == "" && doc.IsPredeclared(name) && basicOf(t) != nil:
		return nil
	case path == "time" && (name == "Time" || name == "Duration"), path == MetaPackage && name == "TypeMeta":
		return nil
	case path == MetaPackage && (name == "ObjectMeta" || name == "Time" || name == "MicroTime"):
		return into
	}
	decl, lost := t.Declaration()
	switch {
	case locks(t):
		c.fail(at, "it is %s, which has a method Lock and is not to be copied; write a method DeepCopyInto for the struct that holds it", t)
		return nil
	case lost != "":
		c.fail(at, "it refers to %s; make sure that it is declared, and its module in go.mod", lost)
		return nil
	case decl == nil:
		c.fail(at, "it is %s; write a method DeepCopyInto for the struct that holds it", t)
		return nil
	case c.isOwn(decl):
		if c.ofStruct(decl) {
			return nil
		}
		return into
	case !decl.Spec.Assign.IsValid() && decl.Pkg.DeclaresMethod(decl.Name(), "DeepCopyInto"):
		return into
	}
	return c.ofDefinition(decl, at)
}

// locks reports whether a type is a lock, or forbids copies as locks do, by the rule of go vet.
func locks(t load.Expression) bool {
	decl, _ := t.Declaration()
	if decl == nil {
		return false
	}
	methods := decl.Pkg.MethodsOf(decl.Name())
	_, isInterface := decl.Spec.Type.(*ast.InterfaceType)
	return !isInterface && methods["Lock"].Signature != nil && methods["Unlock"].Signature != nil
}

// isOwn reports whether a type is a struct of the package, which gets methods.
func (c *copier) isOwn(decl *load.Declaration) bool {
	_, isStruct := decl.Spec.Type.(*ast.StructType)
	return isStruct && decl.Pkg == c.pkg && decl.Spec.TypeParams == nil && !decl.Spec.Assign.IsValid()
}

// ofDefinition copies a value by what its named type is made of, which must have an end.
func (c *copier) ofDefinition(decl *load.Declaration, at place) []templates.CopyStep {
	name := decl.Pkg.Path + "." + decl.Name()
	if c.open[name] {
		c.fail(at, "%s holds itself; write a method DeepCopyInto for it", name)
		c.endless = true
	}
	if c.endless { // of types that hold each other, there may be any number of ways
		return nil
	}
	c.open[name] = true
	defer delete(c.open, name)
	return c.of(decl.Ref(), at)
}

// Slim is a struct with some of the fields of an API type.
type Slim struct {
	*load.Declaration
	// Quiet is true if no informer is generated for it, or if something is wrong with it
	// that is reported already.
	Quiet bool
}

// Copies are the methods that the slim types of a package lack to be API objects.
type Copies struct {
	// PackageName is the name of the package.
	PackageName string
	// Types are sorted by name.
	Types []templates.DeepCopy
	// Unknown is true if the methods can't be worked out. Then there are no Types.
	Unknown bool

	Dir      string // of the package
	Reserved map[string]bool
}

// CopiesFile is the file beside slim types that makes API objects of them.
const CopiesFile = "zz_generated.slim.go"

// CopiesOf returns the methods of the slim types of a package, or nil if it has none. A type that the options
// exclude has its methods as well, so that runs for several factories agree.
func CopiesOf(pkg *load.Package, slims []Slim, diags *diag.List) *Copies {
	if len(slims) == 0 {
		return nil
	}
	found := &Copies{PackageName: pkg.Name, Dir: pkg.Dir, Reserved: pkg.Names()}
	copier := &copier{pkg: pkg, objects: map[string]bool{}, plain: map[string]bool{}, open: map[string]bool{}, steps: map[string][]templates.CopyStep{}}
	for _, slim := range slims {
		if _, ok := slim.Spec.Type.(*ast.StructType); !ok || slim.Spec.TypeParams != nil {
			copier.failed = true // which is reported
			continue
		}
		if copier.diags = diags; slim.Quiet {
			copier.diags = new(diag.List)
		}
		copier.objects[slim.Name()] = true
		copier.ofStruct(slim.Declaration)
	}
	if found.Unknown = copier.failed; !found.Unknown {
		found.Types = copier.types()
	}
	return found
}
