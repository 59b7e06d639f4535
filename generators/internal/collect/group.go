package collect

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
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
	// fromFolder is set if the package names no group.
	fromFolder bool
}

// groupVersionOf finds the group and version of a package. Clients and the scheme go by the
// schema.GroupVersion literal of its own GroupVersion or SchemeGroupVersion, which therefore comes
// first. Then come +groupName in any of its files, other declarations that imply the group, and its
// path. Two markers or literals that disagree are an error.
func groupVersionOf(pkg *load.Package, own packageMarkers, internal bool, diags *diag.List) groupVersion {
	found := groupVersion{group: pathGroup(pkg.Path), version: path.Base(pkg.Path), pos: pkg.Loader.Position(pkg.Files[0].Syntax.Name.Pos())}
	if internal {
		found.group, found.version = path.Base(pkg.Path), internalVersion
	}
	found.clientGroup = found.group
	literal := ownLiteral(pkg)
	if literal != nil {
		agree(pkg, literal, diags)
	}
	if !reportUnread(pkg, literal, len(own.groupNames) > 0, internal, diags) && literal == nil && len(own.groupNames) == 0 {
		literal = impliedGroup(pkg, diags)
		found.fromFolder = literal == nil && !internal
	}
	if literal != nil {
		found.takeLiteral(pkg, literal, internal, diags)
	}
	found.takeGroupNames(pkg, own, literal, diags)
	found.takeGoNames(pkg, own, diags)
	found.check(!found.takeVersionNames(pkg, own, literal, diags) && !internal && (literal == nil || literal.version == ""), diags)
	return found
}

func (gv *groupVersion) takeLiteral(pkg *load.Package, literal *versionLiteral, internal bool, diags *diag.List) {
	gv.group, gv.pos = literal.group, pkg.Loader.Position(literal.pos)
	if literal.version == "" || internal {
		return
	}
	gv.version = literal.version
	if last := path.Base(pkg.Path); versionElement.MatchString(last) && last != literal.version && !pkg.IsModule() {
		diags.Errorf(gv.pos, "version: %q here, but the package is %s; name one version", literal.version, pkg.Path)
	}
}

// takeCRDs takes the group of the kinds' CRDs for a package that names none. Without CRDs, the folder
// stands, with a warning.
func (gv *groupVersion) takeCRDs(pkg *load.Package, crds []*crd, kinds []*Kind, diags *diag.List) {
	if group, known := groupByCRDs(crds, kinds, gv.version); known {
		gv.group = group
		return
	}
	diags.Warnf(gv.pos, "group: package %s names none, so %q is taken from its folder; name it with +groupName", pkg.Path, gv.group)
}

// takeGroupNames takes the group of the first +groupName, which all others must agree with,
// unless a literal says the group. What is wrong with markers is an error only if they count.
func (gv *groupVersion) takeGroupNames(pkg *load.Package, own packageMarkers, literal *versionLiteral, diags *diag.List) {
	byLiteral, first := literal != nil && literal.named, true
	for _, m := range own.groupNames {
		name, pos, problem := unquote(m.value), pkg.Loader.Position(m.pos), m.noGroup()
		switch {
		case problem != "" && byLiteral:
			diags.Warnf(pos, "%s; the group is %q, by %s at %s", problem, literal.group, literal.name, pkg.Loader.Position(literal.pos))
		case problem != "":
			diags.Errorf(pos, "%s", problem)
		case byLiteral && name != literal.group:
			diags.Warnf(pos, "group: +groupName is %q, but the group of %s is %q at %s, which is taken as clients do; name one group",
				name, literal.name, literal.group, pkg.Loader.Position(literal.pos))
		case !first && name != gv.group:
			diags.Errorf(pos, "group: %q here, but %q at %s; name one group", name, gv.group, gv.pos)
		case first:
			gv.group, gv.pos, first = name, pos, false
		}
		if problem == "" && m.inDoc {
			gv.clientGroup = name
		}
	}
	for _, m := range own.ofTypes {
		if name := unquote(m.value); m.name == "groupName" && m.valued && name != gv.group {
			diags.Warnf(pkg.Loader.Position(m.pos), "+groupName: %q is in the comment of a type, and not the group of the package, which is %q; move it above the package clause", name, gv.group)
		}
	}
}

// noGroup says why a marker like +groupName names no group, or returns "".
func (m marker) noGroup() string {
	switch {
	case m.name != "groupName":
		return "+" + strings.TrimRight(m.name, ":") + ": unknown tag; write +groupName=shop.example.com, for example"
	case m.extra != "":
		return fmt.Sprintf("+groupName: unexpected text: %q; write +groupName=%s", m.extra, strings.TrimLeft(m.extra, "=:(, \t"))
	case !m.valued:
		return "+groupName: no value; write +groupName=shop.example.com, for example, or +groupName= for the core group"
	}
	return ""
}

// takeGoNames takes the first +groupGoName, which all others must agree with.
func (gv *groupVersion) takeGoNames(pkg *load.Package, own packageMarkers, diags *diag.List) {
	for i, m := range own.goNames {
		name, pos := unquote(m.value), pkg.Loader.Position(m.pos)
		if i == 0 {
			gv.goName, gv.goNamePos, gv.goNameInDoc = name, pos, m.inDoc
		} else if name != gv.goName {
			diags.Errorf(pos, "group: +groupGoName is %q here, and %q at %s; name one", name, gv.goName, gv.goNamePos)
		}
	}
}

// takeVersionNames takes the first +versionName, which all others must agree with, unless a
// literal says the version. It reports whether there is one.
func (gv *groupVersion) takeVersionNames(pkg *load.Package, own packageMarkers, literal *versionLiteral, diags *diag.List) bool {
	for i, m := range own.versionNames {
		name, pos := unquote(m.value), pkg.Loader.Position(m.pos)
		switch first := unquote(own.versionNames[0].value); {
		case name != first:
			diags.Errorf(pos, "version: +versionName is %q here, and %q at %s; name one", name, first, pkg.Loader.Position(own.versionNames[0].pos))
		case literal != nil && literal.version != "" && name != literal.version:
			diags.Warnf(pos, "version: +versionName is %q, but the version of %s is %q at %s, which is taken as clients do; name one version",
				name, literal.name, literal.version, pkg.Loader.Position(literal.pos))
		case i == 0 && (literal == nil || literal.version == ""):
			gv.version, gv.pos = name, pos
		}
	}
	for _, m := range own.ofTypes {
		if name := unquote(m.value); m.name == "versionName" && name != gv.version {
			diags.Warnf(pkg.Loader.Position(m.pos), "+versionName: %q is in the comment of a type, and not the version of the package, which is %q; move it above the package clause", name, gv.version)
		}
	}
	return len(own.versionNames) > 0
}

// check reports names that no API server knows.
func (gv groupVersion) check(fromPath bool, diags *diag.List) {
	switch {
	case len(gv.group) > maxGroup:
		diags.Errorf(gv.pos, "group: a name of %s; groups have at most %d", diag.Count(len(gv.group), "letter"), maxGroup)
	case gv.group != "" && !groupName.MatchString(gv.group):
		diags.Errorf(gv.pos, "group: %q is not what a group can be called; name it with +groupName, in small letters, digits, hyphens and dots", gv.group)
	}
	switch {
	case gv.version == internalVersion:
	case len(gv.version) > maxName:
		diags.Errorf(gv.pos, "version: a name of %s; versions have at most %d", diag.Count(len(gv.version), "letter"), maxName)
	case !versionName.MatchString(gv.version):
		diags.Errorf(gv.pos, "version: %q is not what a version can be called; name it as v1 or v1beta1 in the path, or in schema.GroupVersion{…}", gv.version)
	case fromPath && !versionElement.MatchString(gv.version):
		diags.Warnf(gv.pos, "version: %q, which is taken from the path, is not like v1 or v1beta1; name it with var GroupVersion = schema.GroupVersion{…}", gv.version)
	}
}

// packageMarkers are the markers in comments of a package that belong to none of
// its declarations, or to any.
type packageMarkers struct {
	groupNames, goNames markers
	ofTypes             markers // those in the comments of types, which name no group or version of the package
	// versionNames are +versionName in all other comments, where controller-gen reads it.
	versionNames markers
	// noInformers and noListers are true for +k8s:informer-gen=false and
	// +k8s:lister-gen=false; skip for +kubebuilder:skip.
	noInformers, noListers, skip bool
	// deepCopyGen is true for +k8s:deepcopy-gen, internal if the version is the
	// internal one.
	deepCopyGen, internal bool
	// all are those in doc.go, or above a package clause.
	all markers
}

// markersOf reads the markers of a package from the comments of all its files that stand
// outside of declarations. The group in the comment of a type is not the package's.
func markersOf(pkg *load.Package) packageMarkers {
	var found packageMarkers
	ofTypes := map[*ast.CommentGroup]bool{}
	for _, decl := range pkg.Declarations() {
		ofTypes[decl.Comments().Closest] = true
	}
	for _, file := range pkg.Files {
		for _, group := range file.OuterComments() {
			packageDoc := group.Pos() < file.Syntax.Package
			for _, m := range parseMarkers(group) {
				m.inDoc = file.Name == "doc.go"
				switch {
				case ofTypes[group] && m.ofGroup():
					found.ofTypes = append(found.ofTypes, m)
					continue
				case m.ofGroup():
					found.groupNames = append(found.groupNames, m)
				case m.name == "groupGoName":
					found.goNames = append(found.goNames, m)
				case m.name == "versionName" && ofTypes[group]:
					found.ofTypes = append(found.ofTypes, m)
				case m.name == "versionName":
					found.versionNames = append(found.versionNames, m)
				}
				found.noInformers = found.noInformers || m.name == "k8s:informer-gen" && m.value == "false"
				found.noListers = found.noListers || m.name == "k8s:lister-gen" && m.value == "false"
				found.deepCopyGen = found.deepCopyGen || m.name == "k8s:deepcopy-gen"
				found.skip = found.skip || m.name == "kubebuilder:skip" && packageDoc
				if m.inDoc || packageDoc || strings.HasPrefix(m.name, " ") {
					found.all = append(found.all, m)
				}
			}
		}
	}
	return found
}
