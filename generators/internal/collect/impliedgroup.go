package collect

import (
	"go/ast"
	"path"
	"slices"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
)

// groupConstants are the names of strings that say the group of a package.
var groupConstants = []string{"GroupName", "Group", "APIGroup"}

// impliedGroup finds the group of a package without a GroupVersion of its own and without a
// +groupName. These count, in this order: the literals of GroupVersion in its variables, a constant
// such as GroupName, the literals of GroupVersion in its functions, and literals that name one of its
// types as their kind. Two of one place that differ are an error. It reports what it takes.
func impliedGroup(p *load.Package, diags *diag.List) *versionLiteral {
	for _, found := range [][]*versionLiteral{
		literalsIn(p, variableLiterals(p), "GroupVersion"),
		constantsOf(p),
		literalsIn(p, functionLiterals(p), "GroupVersion"),
		literalsIn(p, append(variableLiterals(p), functionLiterals(p)...), "GroupVersionKind", "GroupKind"),
	} {
		if len(found) == 0 {
			continue
		}
		first := found[0]
		for _, other := range found[1:] {
			if other.group != first.group || other.version != first.version {
				diags.Errorf(p.Loader.Position(other.pos), "group: %s is %s here, and %s is %s at %s; name the group with +groupName, or call its variable GroupVersion",
					other.name, other, first.name, first, p.Loader.Position(first.pos))
				return first
			}
		}
		diags.Warnf(p.Loader.Position(first.pos), "group: %q is taken from %s, since the package has no variable GroupVersion; declare one, or name the group with +groupName", first.group, first.name)
		return first
	}
	return nil
}

// namedLiteral is a literal in a declaration of that name.
type namedLiteral struct {
	name string
	load.Expression
}

// variableLiterals are the literals in variables of the package, in order, also inside of another
// literal, as in &scheme.Builder{GroupVersion: …}.
func variableLiterals(p *load.Package) (found []namedLiteral) {
	for _, value := range p.Values() {
		for _, literal := range compositesIn(value.Expr) {
			found = append(found, namedLiteral{value.Name, value.In(literal)})
		}
	}
	return found
}

// functionLiterals are the literals in functions and methods of the package, in order.
func functionLiterals(p *load.Package) (found []namedLiteral) {
	for _, file := range p.Files {
		for _, decl := range file.Syntax.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Body != nil {
				for _, literal := range compositesIn(function.Body) {
					found = append(found, namedLiteral{function.Name.Name + "()", p.In(file, literal)})
				}
			}
		}
	}
	return found
}

func compositesIn(node ast.Node) (found []*ast.CompositeLit) {
	ast.Inspect(node, func(node ast.Node) bool {
		if literal, ok := node.(*ast.CompositeLit); ok {
			found = append(found, literal)
		}
		return true
	})
	return found
}

// literalsIn returns the literals of some types that may be of the package. A version other than the
// path's is another package's, and so is a kind that the package does not declare.
func literalsIn(p *load.Package, all []namedLiteral, typeNames ...string) (found []*versionLiteral) {
	last := path.Base(p.Path)
	for _, l := range all {
		if !slices.Contains(typeNames, load.BaseName(l.Expr.(*ast.CompositeLit).Type)) {
			continue
		}
		parts := literalParts{name: l.name}
		parts.set(l.Expression)
		literal, ok := parts.read()
		if ok && literal.named && l.kindIsOf(p) && (literal.version == "" || literal.version == last || !versionElement.MatchString(last)) {
			found = append(found, literal)
		}
	}
	return found
}

// kindIsOf reports whether the literal's kind, if it is to have one, is a type of the package.
func (l namedLiteral) kindIsOf(p *load.Package) bool {
	place, hasKind := map[string]int{"GroupVersionKind": 2, "GroupKind": 1}[load.BaseName(l.Expr.(*ast.CompositeLit).Type)]
	if !hasKind {
		return true
	}
	kind := l.Element("Kind", place)
	name, ok := kind.Text()
	return kind.Expr != nil && ok && p.Type(name) != nil
}

// constantsOf returns the group that a constant or variable of the package is called for.
func constantsOf(p *load.Package) (found []*versionLiteral) {
	for _, name := range groupConstants {
		value, ok := p.Constant(name)
		if !ok {
			continue
		}
		if group, ok := value.Text(); ok && groupName.MatchString(group) {
			found = append(found, &versionLiteral{name: name, group: group, named: true, pos: value.Pos()})
		}
	}
	return found
}
