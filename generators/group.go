package generators

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"
)

// groupVersion is the group and version of a package, and who says so.
type groupVersion struct {
	group, version string
	// pos is where the group is named: a marker, a literal or the package clause.
	pos token.Position
	// goName is the value of +groupGoName, clientGroup the group as client-gen
	// sees it: from doc.go, or from the path.
	goName, clientGroup string
	goNamePos           token.Position
	goNameInDoc         bool
}

// versionElement matches a path element that is an API version.
var versionElement = regexp.MustCompile(`^v\d+((alpha|beta)\d+)?$`)

// groupVersionOf finds the group and version of a package: from +groupName in
// any of its files, from the schema.GroupVersion literal of its own GroupVersion
// or SchemeGroupVersion, or else from its path. Those that disagree are errors.
func groupVersionOf(pkg *Package, own packageMarkers, internal bool, diags *diagnostics) groupVersion {
	found := groupVersion{group: pathGroup(pkg.Path), version: path.Base(pkg.Path), pos: pkg.loader.position(pkg.Files[0].Syntax.Name.Pos())}
	if internal {
		found.group, found.version = path.Base(pkg.Path), internalVersion
	}
	found.clientGroup = found.group
	literal := pkg.literal()
	if literal != nil {
		found.takeLiteral(pkg, literal, internal, diags)
	}
	found.takeGroupNames(pkg, own, literal, diags)
	pkg.reportUnread(found.group, len(own.groupNames) > 0, internal, diags)
	found.takeGoNames(pkg, own, diags)
	found.check(!internal && (literal == nil || literal.version == ""), diags)
	return found
}

func (gv *groupVersion) takeLiteral(pkg *Package, literal *versionLiteral, internal bool, diags *diagnostics) {
	gv.group, gv.pos = literal.group, pkg.loader.position(literal.pos)
	if literal.version == "" || internal {
		return
	}
	gv.version = literal.version
	if last := path.Base(pkg.Path); versionElement.MatchString(last) && last != literal.version && !pkg.isModule() {
		diags.errorf(gv.pos, "version: %q here, but the package is %s; name one version", literal.version, pkg.Path)
	}
}

// takeGroupNames takes the group of the first +groupName, which all others and
// the literal must agree with.
func (gv *groupVersion) takeGroupNames(pkg *Package, own packageMarkers, literal *versionLiteral, diags *diagnostics) {
	for i, m := range own.groupNames {
		name, pos := unquote(m.value), pkg.loader.position(m.pos)
		switch {
		case i > 0 && name != gv.group:
			diags.errorf(pos, "group: %q here, but %q at %s; name one group", name, gv.group, gv.pos)
			continue
		case i == 0 && literal != nil && name != literal.group:
			diags.errorf(pos, "group: +groupName is %q, but the group of %s is %q at %s; name one group", name, literal.name, literal.group, gv.pos)
		}
		if i == 0 {
			gv.group, gv.pos = name, pos
		}
		if own.inDoc[m.pos] {
			gv.clientGroup = name
		}
	}
}

// takeGoNames takes the first +groupGoName, which all others must agree with.
func (gv *groupVersion) takeGoNames(pkg *Package, own packageMarkers, diags *diagnostics) {
	for i, m := range own.goNames {
		name, pos := unquote(m.value), pkg.loader.position(m.pos)
		if i == 0 {
			gv.goName, gv.goNamePos, gv.goNameInDoc = name, pos, own.inDoc[m.pos]
		} else if name != gv.goName {
			diags.errorf(pos, "group: +groupGoName is %q here, and %q at %s; name one", name, gv.goName, gv.goNamePos)
		}
	}
}

// groupName and versionName match what the API server takes for the name of a
// group and of a version.
var (
	groupName   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	versionName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
)

// check reports names that no API server knows.
func (gv groupVersion) check(fromPath bool, diags *diagnostics) {
	switch {
	case len(gv.group) > maxGroup:
		diags.errorf(gv.pos, "group: a name of %s; groups have at most %d", count(len(gv.group), "letter"), maxGroup)
	case gv.group != "" && !groupName.MatchString(gv.group):
		diags.errorf(gv.pos, "group: %q is not what a group can be called; name it with +groupName, in small letters, digits, hyphens and dots", gv.group)
	}
	switch {
	case gv.version == internalVersion:
	case len(gv.version) > maxName:
		diags.errorf(gv.pos, "version: a name of %s; versions have at most %d", count(len(gv.version), "letter"), maxName)
	case !versionName.MatchString(gv.version):
		diags.errorf(gv.pos, "version: %q is not what a version can be called; name it as v1 or v1beta1 in the path, or in schema.GroupVersion{…}", gv.version)
	case fromPath && !versionElement.MatchString(gv.version):
		diags.warnf(gv.pos, "version: %q, which is taken from the path, is not like v1 or v1beta1; name it with var GroupVersion = schema.GroupVersion{…}", gv.version)
	}
}

// isModule reports whether a package is the root of its module, so that the end
// of its path may be the version of the module.
func (p *Package) isModule() bool {
	mod, err := p.loader.mods.of(p.Dir)
	return err == nil && mod.path == p.Path
}

// internalVersion is the version of internal types.
const internalVersion = "__internal"

// pathGroup returns the path element that names the group, if any does.
func pathGroup(importPath string) string {
	parent := path.Base(path.Dir(importPath))
	if parent == "." || parent == "/" {
		return path.Base(importPath)
	}
	return parent
}

// packageMarkers are what the comments of a package say that belong to none of
// its declarations, or to any.
type packageMarkers struct {
	groupNames []marker
	goNames    []marker
	inDoc      map[token.Pos]bool
	// noInformers and noListers are true for +k8s:informer-gen=false and
	// +k8s:lister-gen=false; skip for +kubebuilder:skip.
	noInformers, noListers, skip bool
	// deepCopyGen is true for +k8s:deepcopy-gen, internal if the version is the
	// internal one.
	deepCopyGen, internal bool
	all                   markers
}

// markersOf reads the markers of a package from the comments of all its files
// that stand outside of declarations.
func markersOf(pkg *Package) packageMarkers {
	found := packageMarkers{inDoc: map[token.Pos]bool{}}
	for _, file := range pkg.Files {
		for _, group := range file.outerComments() {
			packageDoc := group.Pos() < file.Syntax.Package
			for _, m := range parseMarkers(group) {
				found.add(m, file.Name == "doc.go", packageDoc)
			}
		}
	}
	return found
}

// outerComments are those that stand outside of declarations.
func (f *File) outerComments() []*ast.CommentGroup {
	var outer []*ast.CommentGroup
	decls := f.Syntax.Decls
	for _, group := range f.Syntax.Comments {
		for len(decls) > 0 && decls[0].End() <= group.Pos() {
			decls = decls[1:]
		}
		if len(decls) == 0 || group.Pos() < decls[0].Pos() {
			outer = append(outer, group)
		}
	}
	return outer
}

func (p *packageMarkers) add(m marker, inDoc, packageDoc bool) {
	if inDoc || packageDoc {
		p.all = append(p.all, m)
	}
	switch m.name {
	case "groupName":
		p.groupNames = append(p.groupNames, m)
		p.inDoc[m.pos] = inDoc
	case "groupGoName":
		p.goNames = append(p.goNames, m)
		p.inDoc[m.pos] = inDoc
	case "k8s:informer-gen":
		p.noInformers = p.noInformers || m.value == "false"
	case "k8s:lister-gen":
		p.noListers = p.noListers || m.value == "false"
	case "k8s:deepcopy-gen":
		p.deepCopyGen = true
	case "kubebuilder:skip":
		p.skip = p.skip || packageDoc
	}
}

// versionLiteral is a schema.GroupVersion{…} literal.
type versionLiteral struct {
	name, group, version string
	pos                  token.Pos
}

// literal finds the value of the package's own GroupVersion or
// SchemeGroupVersion, or returns nil. Literals of other variables are other
// groups', and one whose group can't be read is none.
func (p *Package) literal() *versionLiteral {
	for _, name := range versionVariables {
		if parts, ok := p.literalOf(name); ok {
			if literal, ok := parts.read(); ok {
				return literal
			}
		}
	}
	return nil
}

var versionVariables = []string{"GroupVersion", "SchemeGroupVersion"}

// literalParts are the expressions of which a variable of a package says its group and
// version. Those that are left out have no Expr.
type literalParts struct {
	name                  string
	pos                   token.Pos
	whole, group, version expression
}

// literalOf returns the parts of a variable's value, if there is the variable.
func (p *Package) literalOf(name string) (parts literalParts, ok bool) {
	p.index()
	found, ok := p.consts[name]
	if !ok {
		return parts, false
	}
	parts = literalParts{name: name, pos: found.value.Pos(), whole: expression{p, found.file, found.value}.value()}
	composite, ok := parts.whole.Expr.(*ast.CompositeLit)
	if !ok || baseName(composite.Type) != "GroupVersion" {
		return parts, true
	}
	for i, element := range composite.Elts {
		field := []string{"Group", "Version", ""}[min(i, 2)]
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			field, element = baseName(pair.Key), pair.Value
		}
		switch expr := (expression{parts.whole.pkg, parts.whole.file, element}); field {
		case "Group":
			parts.group = expr
		case "Version":
			parts.version = expr
		}
	}
	return parts, true
}

// read returns the literal, unless it is none or its group can't be read.
func (p literalParts) read() (*versionLiteral, bool) {
	composite, ok := p.whole.Expr.(*ast.CompositeLit)
	if !ok || baseName(composite.Type) != "GroupVersion" {
		return nil, false
	}
	literal := &versionLiteral{name: p.name, pos: p.pos}
	if p.group.Expr != nil {
		if literal.group, ok = p.group.text(maxDepth); !ok {
			return nil, false
		}
	}
	if p.version.Expr != nil {
		if literal.version, _ = p.version.text(maxDepth); baseName(p.version.Expr) == "APIVersionInternal" {
			literal.version = internalVersion
		}
	}
	return literal, true
}

// reportUnread reports the parts of a package's group and version that can't be read, so
// that they are taken from the path. If that is because a package can't be found, it is an
// error: the informers would be of another group, and those of the right one removed.
func (p *Package) reportUnread(group string, named, internal bool, diags *diagnostics) {
	literal := p.literal()
	if literal != nil && (literal.version != "" || internal) {
		return
	}
	for _, name := range versionVariables {
		parts, ok := p.literalOf(name)
		switch {
		case !ok, literal != nil && name != literal.name:
		case p.reportLost(parts, named, internal, diags):
			return
		case literal == nil && !named && parts.group.Expr != nil:
			diags.warnf(p.loader.position(parts.group.Pos()), "group: %s can't be read, so %q is taken from the path; name the group with +groupName",
				types.ExprString(parts.group.Expr), group)
			return
		}
	}
}

// reportLost reports the first part that is of a package which can't be had, unless it
// does not matter: a marker names the group, and internal types have no other version.
func (p *Package) reportLost(parts literalParts, named, internal bool, diags *diagnostics) bool {
	for _, part := range []struct {
		expression
		of, remedy string
		known      bool
	}{
		{parts.whole, "group", ", or name the group with +groupName", named},
		{parts.whole, "version", "", internal},
		{parts.group, "group", ", or name the group with +groupName", named},
		{parts.version, "version", "", internal},
	} {
		if part.Expr == nil || part.known {
			continue
		}
		if name, why := part.lost(maxDepth); why != "" {
			diags.errorf(p.loader.position(name.Pos()), "%s: %s is not found%s; make sure that its module is in go.mod%s",
				part.of, types.ExprString(name.Expr), why, part.remedy)
			return true
		}
	}
	return false
}

// firstSegment is what stands before the first dot of a group, "core" for the
// core group.
func firstSegment(group string) string {
	if group == "" {
		return "core"
	}
	first, _, _ := strings.Cut(group, ".")
	return first
}
