package collect

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"

	"k8s.io/gengo/v2/namer"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/templates"
)

// groupSet gathers kinds by group and version, and then finds names for the
// groups that go together.
type groupSet struct {
	options    *Options
	loader     *load.Loader
	diags      *diag.List
	clientsets map[string]*clientset // by import path; nil if they are not there
	members    []*member
	groups     []*Group
}

// member is a package that has kinds of a group.
type member struct {
	pkg *load.Package
	groupVersion
	internal  bool
	clientset bool
	kinds     []*Kind
}

// add adds the kinds of a package.
func (s *groupSet) add(pkg *load.Package, gv groupVersion, internal bool, kinds []*Kind) {
	clientset := s.options.clientset(internal) != ""
	if clientset && !gv.goNameInDoc {
		gv.goName = "" // client-gen does not see it
	}
	s.members = append(s.members, &member{pkg: pkg, groupVersion: gv, internal: internal, clientset: clientset, kinds: kinds})
}

// shareNames gives all packages of a group the +groupGoName that one of them
// has. With a clientset, those are the packages in one directory, as client-gen
// has it.
func (s *groupSet) shareNames() {
	type key struct {
		group, element string
		internal       bool
	}
	keyOf := func(m *member) key {
		if m.clientset {
			return key{m.group, pathGroup(m.pkg.Path), m.internal}
		}
		return key{m.group, "", m.internal}
	}
	named := map[key]*member{}
	for _, m := range s.members {
		switch previous := named[keyOf(m)]; {
		case m.goName == "":
		case previous == nil:
			named[keyOf(m)] = m
		case previous.goName != m.goName:
			s.diags.Errorf(m.goNamePos, "group: +groupGoName of %q is %q here, and %q at %s; name one", m.group, m.goName, previous.goName, previous.goNamePos)
		}
	}
	for _, m := range s.members {
		if other := named[keyOf(m)]; other != nil {
			m.goName, m.goNamePos = other.goName, other.goNamePos
		}
	}
}

// place adds the kinds of a package to the version of its group.
func (s *groupSet) place(m *member) {
	// The names of the clientset are those that client-gen made of the group it saw.
	named := m.group
	if m.clientset {
		named = m.clientGroup
	}
	goName, namedAt := camelCase(firstSegment(named), "Group"), m.pos
	clientName := namer.IC(firstSegment(m.clientGroup))
	if m.goName != "" {
		goName, clientName, namedAt = camelCase(m.goName, "Group"), namer.IC(m.goName), m.goNamePos
	}
	group := s.group(m.group, goName, m.internal)
	if group == nil {
		group = &Group{
			Group:    templates.Group{Name: m.group, GoName: goName, Dir: m.dir()},
			Internal: m.internal, Pos: m.pos, marked: m.goName != "", clientset: m.clientset, namedAt: namedAt,
		}
		s.groups = append(s.groups, group)
	}
	version := group.version(m.version)
	if m.internal {
		version.GoName, version.Dir = "InternalVersion", "internalversion"
	}
	accessor := s.accessor(m, clientName)
	for _, kind := range m.kinds {
		kind.ClientAccessor, kind.Version = accessor, version
	}
	group.Kinds = append(group.Kinds, m.kinds...)
}

// accessor returns the method of the clientset that leads to the kinds of a
// package: what the clientset has, or else what client-gen will call it. It reports
// what the clientset lacks for the kinds. One that is missing is reported elsewhere.
func (s *groupSet) accessor(m *member, name string) string {
	accessor := name + namer.IC(m.version) + "()"
	if m.internal {
		accessor = name + "()"
	}
	if !m.clientset {
		return accessor
	}
	path, found := s.options.clientset(m.internal), ""
	clientset, read := s.clientsets[path]
	if !read {
		clientset = readClientset(s.loader, path)
		s.clientsets[path] = clientset
	}
	if clientset != nil {
		found = clientset.accessor(m.pkg)
		accessor = cmp.Or(found, accessor)
		clientset.check(accessor, m.kinds, s.diags)
	}
	switch {
	case found != "":
	case !token.IsIdentifier(name):
		s.diags.Errorf(m.pos, "group: the clientset can't have a method for %q: %q is no Go name; give it a +groupGoName in doc.go", m.group, name)
	case clientset != nil && !clientset.has(accessor):
		s.diags.Warnf(m.pos, "clientset: %s has no method for the types of %s; the output compiles when client-gen has written %s", clientset.path, m.pkg.Path, accessor)
	}
	return accessor
}

func (s *groupSet) group(name, goName string, internal bool) *Group {
	for _, g := range s.groups {
		if g.Name == name && g.GoName == goName && g.Internal == internal {
			return g
		}
	}
	return nil
}

func (g *Group) version(name string) *templates.Version {
	for _, version := range g.Versions {
		if version.Name == name {
			return version
		}
	}
	version := &templates.Version{Group: &g.Group, Name: name, GoName: camelCase(name, "V"), Dir: versionDir(name)}
	g.Versions = append(g.Versions, version)
	return version
}

// of are the kinds of a version.
func (g *Group) of(version *templates.Version) []*Kind {
	return slices.DeleteFunc(slices.Clone(g.Kinds), func(kind *Kind) bool { return kind.Version != version })
}

// dir chooses the directory of a group: the path element that stands for it, as
// upstream does; but without a clientset, and so without upstream's output to
// follow, not one that stands for all of them.
func (m *member) dir() string {
	if m.internal {
		return groupDir(path.Base(m.pkg.Path))
	}
	element := pathGroup(m.pkg.Path)
	mod, err := m.pkg.Loader.Mods.Of(m.pkg.Dir)
	atRoot := err == nil && (m.pkg.Path == mod.Path || path.Dir(m.pkg.Path) == mod.Path)
	if !m.clientset && (element == "api" || element == "apis" || element == "pkg" || atRoot || !versionElement.MatchString(path.Base(m.pkg.Path))) {
		element = firstSegment(m.group)
	}
	return groupDir(element)
}

// resolve gives every group names of its own, checks that no two kinds have a
// name in common, and returns the groups sorted.
func (s *groupSet) resolve() []*Group {
	s.shareNames()
	for _, m := range s.members {
		s.place(m)
	}
	slices.SortStableFunc(s.groups, func(a, b *Group) int {
		return cmp.Or(strings.Compare(a.Dir, b.Dir), strings.Compare(a.Name, b.Name), strings.Compare(a.GoName, b.GoName))
	})
	s.distinctNames()
	s.distinctDirs()
	for _, group := range s.groups {
		group.PackageName = groupPackage(group.Dir)
		slices.SortFunc(group.Versions, func(a, b *templates.Version) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(group.Kinds, func(a, b *Kind) int {
			return cmp.Or(strings.Compare(a.Version.Name, b.Version.Name), strings.Compare(a.Kind, b.Kind), strings.Compare(a.API.Path, b.API.Path))
		})
		for _, kind := range group.Kinds {
			kind.Version.Types = append(kind.Version.Types, &kind.Type)
		}
		for _, version := range group.Versions {
			s.distinctKinds(group.of(version))
		}
	}
	slices.SortFunc(s.groups, func(a, b *Group) int { return strings.Compare(a.Dir, b.Dir) })
	s.distinctVersions()
	s.distinctTypes()
	return s.groups
}

// distinctTypes reports aliases of one type: a factory has one informer for it,
// which can't list two resources.
func (s *groupSet) distinctTypes() {
	taken := map[string]*Kind{}
	for _, kind := range (&Model{Groups: s.groups}).Kinds() {
		if previous := taken[kind.goType]; previous != nil {
			s.diags.Errorf(kind.Pos, "kind: %s here and %s at %s are one Go type, %s, and a factory has one informer for it; write \"type %s %s\" without \"=\"",
				kind.Name, previous.Name, previous.Pos, kind.goType, kind.Name, load.LastElement(kind.goType))
		}
		taken[kind.goType] = kind
	}
}

// distinctNames gives groups with the same first segment more of their names.
// Those whose name is not free to choose are a conflict.
func (s *groupSet) distinctNames() {
	for segments := 2; segments <= 8; segments++ {
		byName := map[string][]*Group{}
		for _, group := range s.groups {
			byName[group.scope()+group.GoName] = append(byName[group.scope()+group.GoName], group)
		}
		for _, group := range s.groups {
			if same := byName[group.scope()+group.GoName]; len(same) > 1 && !group.marked && !group.clientset {
				group.shareWith(same)
				parts := strings.Split(group.Name, ".")
				group.GoName = camelCase(strings.Join(parts[:min(segments, len(parts))], "."), "Group")
			}
		}
	}
	taken := map[string]*Group{}
	for _, group := range s.groups {
		if factoryMethods[group.GoName] {
			group.GoName += "Group"
		}
		if previous := taken[group.scope()+group.GoName]; previous != nil {
			s.diags.Errorf(group.namedAt, "group: %q here and %q at %s are both called %s in Go; give one of them a +groupGoName",
				group.Name, previous.Name, previous.namedAt, group.GoName)
		}
		taken[group.scope()+group.GoName] = group
	}
}

// shareWith notes the first other group of those with a name in common.
func (g *Group) shareWith(same []*Group) {
	for _, other := range same {
		if other.Name != g.Name && g.Shared == "" {
			g.Shared = other.Name
		}
	}
}

// scope keeps internal groups, which have a factory of their own, apart.
func (g *Group) scope() string {
	if g.Internal {
		return "internal/"
	}
	return ""
}

// distinctDirs gives groups with the same directory another one each.
func (s *groupSet) distinctDirs() {
	byDir := map[string][]*Group{}
	for _, group := range s.groups {
		byDir[group.scope()+strings.ToLower(group.Dir)] = append(byDir[group.scope()+strings.ToLower(group.Dir)], group)
	}
	taken := map[string]*Group{}
	for _, group := range s.groups {
		if same := byDir[group.scope()+strings.ToLower(group.Dir)]; len(same) > 1 {
			group.shareWith(same)
			group.Dir = groupDir(strings.ToLower(group.GoName))
		}
		key := group.scope() + strings.ToLower(group.Dir)
		if previous := taken[key]; previous != nil {
			s.diags.Errorf(group.Pos, "group: %q here and %q at %s would both be written to %s; give one of them a +groupGoName",
				group.Name, previous.Name, previous.Pos, group.Dir)
		}
		taken[key] = group
	}
}

// distinctKinds gives kinds whose names in generated code would be another one's,
// such as NewOrder beside Order, other ones, and reports those that have in common
// what the API or a clientset names: a resource, or a plural.
func (s *groupSet) distinctKinds(kinds []*Kind) {
	taken := map[claim]*Kind{}
	byLength := slices.SortedStableFunc(slices.Values(kinds), func(a, b *Kind) int { return cmp.Compare(len(a.Name), len(b.Name)) })
	for _, kind := range byLength {
		if shared, previous := kind.shared(taken); previous != nil && shared.isOurs() && kind.Name != previous.Name {
			kind.rename()
			s.diags.Warnf(kind.Pos, "kind: %s is called %s in generated code: the %s %s is that of %s at %s",
				kind.Name, kind.Ident, shared.what, shared.name, previous.Name, previous.Pos)
		}
		if shared, previous := kind.shared(taken); previous != nil {
			s.clash(shared, kind, previous)
		}
		for _, claim := range kind.claims() {
			if taken[claim] == nil {
				taken[claim] = kind
			}
		}
		if kind.HasLister && kind.Namespaced && slices.Contains(listerMembers, kind.Plural) {
			s.diags.Errorf(kind.Pos, "kind: the plural of %s is the name of what every lister has: %s; name another with --plural-exceptions", kind.Name, kind.Plural)
		}
		for _, x := range kind.Indexes {
			if kind.Namespaced && slices.Contains(x.Methods(), kind.Plural) {
				s.diags.Errorf(x.Pos, "+%s: %s is the method of the lister for one namespace; name another: +%s=By…", IndexTag, kind.Plural, IndexTag)
			}
		}
	}
}

// shared returns the first claim of a kind that another one has already, and that:
// one of the same name, if there is one.
func (k *Kind) shared(taken map[claim]*Kind) (first claim, previous *Kind) {
	for _, claim := range k.claims() {
		if other := taken[claim]; other != nil && (previous == nil || other.Name == k.Name && previous.Name != k.Name) {
			first, previous = claim, other
		}
	}
	return first, previous
}

// clash reports two kinds with something in common.
func (s *groupSet) clash(shared claim, kind, previous *Kind) {
	version := kind.Version
	if comparePositions(kind.Pos, previous.Pos) < 0 {
		kind, previous = previous, kind
	}
	switch {
	case kind.Slim != "" && kind.fullType() == previous.fullType():
		s.diags.Errorf(kind.Pos, "kind: %s here and %s at %s are both %s, of which a factory has one informer; leave out one of them with --exclude",
			kind.Name, previous.Name, previous.Pos, kind.fullType())
	case kind.Name == previous.Name && kind.API.Path != previous.API.Path:
		s.diags.Errorf(kind.Pos, "kind: %s of %s/%s here, and at %s; leave out one of the packages", kind.Name, version.Group.Name, version.Name, previous.Pos)
	case shared.what == "resource":
		s.diags.Errorf(kind.Pos, "resource: %q of %s here, and of %s at %s; name another with +resourceName or +kubebuilder:resource:path",
			kind.Resource, kind.Name, previous.Name, previous.Pos)
	default:
		s.diags.Errorf(kind.Pos, "kind: %s here and %s at %s would both have the %s %s in %s/%s; rename one of them",
			kind.Name, previous.Name, previous.Pos, shared.what, shared.name, version.Group.Dir, version.Dir)
	}
}

// fullType is the type whose fields the kind has: that which its marker names, or its own.
func (k *Kind) fullType() string { return cmp.Or(k.Slim, k.API.Path+"."+k.Name) }

// listerMembers are the fields and methods of every lister, whose names its
// method for one namespace can't have.
var listerMembers = []string{"Get", "List", "ResourceIndexer"}

// distinctVersions reports versions that differ in their name only by what a Go
// name can't hold.
func (s *groupSet) distinctVersions() {
	for _, group := range s.groups {
		for i, version := range group.Versions {
			for _, previous := range group.Versions[:i] {
				if version.Dir == previous.Dir || version.GoName == previous.GoName {
					s.diags.Errorf(group.of(version)[0].Pos, "version: %q here and %q at %s are both called %s in Go; rename one of them",
						version.Name, previous.Name, group.of(previous)[0].Pos, version.GoName)
				}
			}
		}
	}
}
