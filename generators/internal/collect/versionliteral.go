package collect

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
)

// versionLiteral is a schema.GroupVersion{…} literal.
type versionLiteral struct {
	name, group, version string
	// named is true if it says the group, even if that is the core group, which has no name.
	named bool
	pos   token.Pos
}

// ownLiteral finds the value of the package's own GroupVersion or
// SchemeGroupVersion, or returns nil. Literals of other variables are other
// groups', and one whose group can't be read is none.
func ownLiteral(p *load.Package) *versionLiteral {
	for _, parts := range versionVariables(p) {
		if literal, ok := parts.read(); ok {
			return literal
		}
	}
	return nil
}

// literalParts are the expressions of which a variable of a package says its group and
// version. Those that are left out have no Expr.
type literalParts struct {
	name                  string
	pos                   token.Pos
	whole, group, version load.Expression
}

// versionVariables are the parts of a package's own GroupVersion and SchemeGroupVersion, as far as
// it has them: of the value that one is declared with, or that init gives it.
func versionVariables(p *load.Package) []literalParts {
	var found []literalParts
	for _, name := range []string{"GroupVersion", "SchemeGroupVersion"} {
		value, ok := p.Constant(name)
		if !ok {
			continue
		}
		parts := literalParts{name: name}
		parts.set(value)
		for _, file := range p.Files {
			for _, decl := range file.Syntax.Decls {
				if function, ok := decl.(*ast.FuncDecl); ok && function.Name.Name == "init" && function.Recv == nil && function.Body != nil {
					parts.assign(p, file, function.Body)
				}
			}
		}
		found = append(found, parts)
	}
	return found
}

// set takes the parts of a value.
func (p *literalParts) set(value load.Expression) {
	p.pos, p.whole, p.group, p.version = value.Pos(), value.Value(), load.Expression{}, load.Expression{}
	switch composite, _ := p.whole.Expr.(*ast.CompositeLit); {
	case composite == nil:
	case load.BaseName(composite.Type) == "GroupVersion", load.BaseName(composite.Type) == "GroupVersionKind":
		p.group, p.version = p.whole.Element("Group", 0), p.whole.Element("Version", 1)
	case load.BaseName(composite.Type) == "GroupKind":
		p.group = p.whole.Element("Group", 0)
	}
}

// assign takes what the body of an init assigns to the variable. What it assigns within another
// statement, such as an if, can't be read.
func (p *literalParts) assign(pkg *load.Package, file *load.File, body *ast.BlockStmt) {
	ast.Inspect(body, func(node ast.Node) bool {
		assignment, ok := node.(*ast.AssignStmt)
		if !ok || assignment.Tok != token.ASSIGN {
			return true
		}
		for i, target := range assignment.Lhs {
			value := pkg.In(file, assignment.Rhs[min(i, len(assignment.Rhs)-1)])
			if len(assignment.Rhs) != len(assignment.Lhs) || !slices.Contains(body.List, ast.Stmt(assignment)) {
				value.Expr = &ast.BadExpr{From: target.Pos(), To: target.End()}
			}
			p.assignTo(target, value)
		}
		return true
	})
}

// assignTo takes what is assigned to the variable, or to its group or version.
func (p *literalParts) assignTo(target ast.Expr, value load.Expression) {
	switch types.ExprString(target) {
	case p.name:
		p.set(value)
	case p.name + ".Group":
		p.group, p.pos = value, value.Pos()
	case p.name + ".Version":
		p.version = value
	}
}

// read returns the literal, unless it is none, says nothing, or its group can't be read.
func (p literalParts) read() (*versionLiteral, bool) {
	if p.group.Expr == nil && p.version.Expr == nil {
		return nil, false
	}
	var ok bool
	literal := &versionLiteral{name: p.name, named: p.group.Expr != nil, pos: p.pos}
	if literal.named {
		if literal.group, ok = p.group.Text(); !ok {
			return nil, false
		}
	}
	if p.version.Expr != nil {
		if literal.version, _ = p.version.Text(); load.BaseName(p.version.Expr) == "APIVersionInternal" {
			literal.version = internalVersion
		}
	}
	return literal, true
}

// isText reports whether the variable is a string, as one called GroupVersion may be.
func (p literalParts) isText() bool {
	switch p.whole.Expr.(type) {
	case *ast.BasicLit, *ast.BinaryExpr:
		return true
	}
	return false
}

// unread returns what of the variable can't be read.
func (p literalParts) unread() (at token.Pos, found string) {
	expr := cmp.Or(p.group, p.whole).Expr
	switch value := expr.(type) {
	case *ast.BadExpr:
		return expr.Pos(), "init sets it in a way that is not followed"
	case *ast.CompositeLit:
		if len(value.Elts) == 0 {
			return p.pos, "it has no group and no version"
		}
	}
	return expr.Pos(), types.ExprString(expr)
}

// agree reports two literals of the package's own that say different things.
func agree(p *load.Package, literal *versionLiteral, diags *diag.List) {
	for _, parts := range versionVariables(p) {
		other, ok := parts.read()
		if ok && (other.named && literal.named && other.group != literal.group || other.version != "" && literal.version != "" && other.version != literal.version) {
			diags.Errorf(p.Loader.Position(other.pos), "group: %s is %s here, but %s is %s at %s; make them one",
				other.name, other, literal.name, literal, p.Loader.Position(literal.pos))
		}
	}
}

// String is the group and version as in an apiVersion.
func (l *versionLiteral) String() string {
	if l.group == "" || l.version == "" {
		return l.group + l.version
	}
	return l.group + "/" + l.version
}

// reportUnread reports the parts of a package's group and version that can't be read: an error
// for the group, for which the path stands then, and whose informers would be of another group,
// unless a marker names it; a warning for the version. It reports whether the group is unknown.
func reportUnread(p *load.Package, literal *versionLiteral, named, internal bool, diags *diag.List) (unknown bool) {
	if literal != nil && (literal.version != "" || internal) {
		return false
	}
	for _, parts := range versionVariables(p) {
		switch {
		case literal != nil && parts.name != literal.name:
		case reportLost(p, parts, named, internal, diags):
			return true
		case literal != nil && parts.version.Expr != nil:
			diags.Warnf(p.Loader.Position(parts.version.Pos()), "version: %s can't be read, so %q is taken from the path; write it as a constant",
				types.ExprString(parts.version.Expr), path.Base(p.Path))
		case literal == nil && !named && !parts.isText():
			at, found := parts.unread()
			diags.Errorf(p.Loader.Position(at), "group: %s can't be read: %s; name the group with +groupName", parts.name, found)
			return true
		}
	}
	return false
}

// reportLost reports the first part that is of a package which can't be had, unless it
// does not matter: a marker names the group, and internal types have no other version.
func reportLost(p *load.Package, parts literalParts, named, internal bool, diags *diag.List) bool {
	lost := func(part load.Expression, of, remedy string, known bool) bool {
		if part.Expr == nil || known {
			return false
		}
		name, why := part.Lost()
		if why != "" {
			diags.Errorf(p.Loader.Position(name.Pos()), "%s: %s is not found%s; make sure that its module is in go.mod%s", of, types.ExprString(name.Expr), why, remedy)
		}
		return why != ""
	}
	const orName = ", or name the group with +groupName"
	return lost(parts.whole, "group", orName, named) || lost(parts.whole, "version", "", internal) ||
		lost(parts.group, "group", orName, named) || lost(parts.version, "version", "", internal)
}
