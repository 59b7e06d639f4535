package generators

import (
	"cmp"
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// collector turns packages into a model.
type collector struct {
	options  *Options
	namers   namers
	universe types.Universe
	diags    *diagnostics
	groups   *groupSet
	skipped  []Skip
	tags     tagParser
}

// collect finds the API types of packages. Problems are added to the
// diagnostics; the model is complete only if there are none.
func collect(packages []*Package, options *Options, diags *diagnostics) (*Model, error) {
	exceptions, err := options.pluralExceptions()
	if err != nil {
		return nil, err
	}
	c := &collector{options: options, namers: newNamers(exceptions), universe: types.Universe{}, diags: diags, groups: newGroupSet(options, diags)}
	for _, pkg := range packages {
		if len(pkg.Files) > 0 {
			c.tags = tagParser{at: pkg.loader.position, diags: diags}
			c.collectPackage(pkg)
		}
	}
	model := &Model{Groups: c.groups.resolve(), Skipped: c.skipped}
	slices.SortFunc(model.Skipped, func(a, b Skip) int {
		return comparePositions(a.Pos, b.Pos)
	})
	return model, nil
}

// collectPackage adds the kinds of a package to the groups.
func (c *collector) collectPackage(pkg *Package) {
	at := pkg.loader.position
	own := markersOf(pkg)
	lint(pkg, own, c.options.LintRules, c.diags)
	for _, m := range own.all {
		c.tags.misspelt(m)
	}
	found := map[bool][]*Kind{} // by internal
	attached := map[*ast.CommentGroup]bool{}
	for _, decl := range pkg.declarations() {
		comments := decl.comments()
		attached[comments.closest], attached[comments.second] = true, true
		kind, internal, reason := c.kind(decl, comments, own)
		switch {
		case kind != nil:
			found[internal] = append(found[internal], kind)
		case reason != "":
			c.skipped = append(c.skipped, Skip{Name: decl.spec.Name.Name, Package: pkg.Path, Reason: reason, Pos: at(decl.spec.Name.Pos())})
		}
	}
	c.warnDetached(pkg, attached)
	for _, internal := range []bool{false, true} {
		if kinds := found[internal]; len(kinds) > 0 {
			if pkg.Name == "main" {
				c.diags.errorf(at(pkg.Files[0].Syntax.Name.Pos()), "package: %s is main, which nothing can import; move its API types to a package of their own", pkg.Path)
			}
			c.groups.add(pkg, groupVersionOf(pkg, own, internal, c.diags), internal, kinds)
		}
	}
}

// declarations are the types of the files that were parsed at first, in order.
func (p *Package) declarations() []*declaration {
	var found []*declaration
	for _, file := range p.Files {
		for _, decl := range file.Syntax.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range general.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					found = append(found, &declaration{pkg: p, file: file, spec: spec})
				}
			}
		}
	}
	return found
}

// warnDetached warns of +genclient tags that belong to no type, which gengo
// does not see.
func (c *collector) warnDetached(pkg *Package, attached map[*ast.CommentGroup]bool) {
	for _, file := range pkg.Files {
		for _, group := range file.Syntax.Comments {
			if attached[group] {
				continue
			}
			for _, m := range parseMarkers(group) {
				if m.name == "genclient" && m.value == "" && m.extra == "" {
					c.diags.warnf(pkg.loader.position(m.pos), "+genclient: belongs to no type: none follows it, or only after another comment; move it to the comment of the type, or the one before that")
				}
			}
		}
	}
}

// kind turns a declaration into a kind. Without one, the reason says why, and
// is empty for what does not look like an API type at all.
func (c *collector) kind(decl *declaration, comments typeComments, own packageMarkers) (kind *Kind, internal bool, reason string) {
	spec, at := decl.spec, decl.pkg.loader.position
	tags := c.tags.parse(comments.markers())
	if !tags.Genclient && !tags.Root {
		if spec.Name.IsExported() && decl.looksLikeAPI() {
			return nil, false, "no +genclient and no +kubebuilder:object:root=true"
		}
		return nil, false, ""
	}
	if decl.isList() {
		return nil, false, ""
	}
	problem := func(text, hint string) (*Kind, bool, string) {
		if tags.Genclient {
			c.diags.errorf(at(tags.pos), "+genclient: %s %s; %s", spec.Name.Name, text, hint)
		}
		return nil, false, text
	}
	clientset := c.options.VersionedClientset != "" || c.options.InternalClientset != ""
	switch {
	case !tags.Genclient && clientset:
		return nil, false, "no +genclient, so the clientset has no methods for it"
	case tags.Skip || own.skip:
		return nil, false, "+kubebuilder:skip"
	case !spec.Name.IsExported():
		return problem("is not exported", "begin its name with a capital letter")
	case !kindName.MatchString(spec.Name.Name):
		return problem("is not what a kind can be called", "use letters of the English alphabet and digits")
	case spec.TypeParams != nil:
		return problem("has type parameters", "declare a type of its own for each instance")
	}
	objectMeta := decl.embeds("ObjectMeta")
	internal = objectMeta.found && !strings.Contains(objectMeta.tag, "json")
	if internal && c.options.InternalClientset == "" {
		return nil, false, "internal (its ObjectMeta has no json tag); name its clientset with --internal-clientset-package"
	}
	if !internal && clientset && c.options.VersionedClientset == "" {
		return nil, false, "not internal; name its clientset with --versioned-clientset-package"
	}

	can := func(verb string) bool { return slices.Contains(tags.Verbs, verb) }
	informer := !tags.NoVerbs && can("list") && can("watch") && !own.noInformers
	lister := can("list") && can("get") && !own.noListers
	lack, remedy := decl.lacks()
	switch {
	case !informer && !lister && own.noInformers:
		return nil, false, "+k8s:informer-gen=false"
	case !informer && !lister:
		return nil, false, "its +genclient tags leave no list with watch or get"
	case lack != "":
		return problem(lack, remedy)
	case !tags.Genclient && !decl.hasList():
		return nil, false, "no " + spec.Name.Name + "List with Items"
	}
	return c.named(decl, comments, tags, internal, informer, lister), internal, ""
}

// kindName matches what the kind of an API object may be, whose small letters
// must be a DNS label; and "_", which Go allows and older API servers too.
var kindName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)

// named makes a kind with its names and its scope.
func (c *collector) named(decl *declaration, comments typeComments, tags Tags, internal, informer, lister bool) *Kind {
	at := decl.pkg.loader.position
	t := c.universe.Type(types.Name{Package: decl.pkg.Path, Name: decl.spec.Name.Name})
	t.Kind, t.CommentLines, t.SecondClosestCommentLines = types.Struct, lines(comments.closest), lines(comments.second)

	namespaced := !tags.NonNamespaced
	switch {
	case tags.Scope == "":
	case c.options.VersionedClientset != "" && namespaced != (tags.Scope == "Namespaced"):
		c.diags.warnf(at(tags.scopePos), "scope: +kubebuilder:resource says %s, the +genclient tags the other; the clientset follows +genclient, and so does the informer", tags.Scope)
	case c.options.VersionedClientset != "":
	case tags.NonNamespaced && tags.Scope == "Namespaced":
		c.diags.errorf(at(tags.scopePos), "scope: Namespaced here, but +genclient:nonNamespaced at %s; name one scope", at(tags.nonNamespacedPos))
	default:
		namespaced = tags.Scope == "Namespaced"
	}
	return &Kind{
		Name: c.namers.public.Name(t), Private: c.namers.private.Name(t), Plural: c.namers.pluralOf(t),
		Resource: c.resource(decl, t, tags, internal), Namespaced: namespaced, Informer: informer, Lister: lister, Verbs: tags.Verbs,
		Doc: comments.sentence(), Package: decl.pkg.Path, PackageName: decl.pkg.Name, Pos: at(decl.spec.Name.Pos()),
		dir: decl.pkg.Dir, goType: decl.goType(),
	}
}

// resource returns the plural name of a type in the API: what a marker says, or
// else what the generator that the type is marked for makes of it.
func (c *collector) resource(decl *declaration, t *types.Type, tags Tags, internal bool) string {
	at := decl.pkg.loader.position
	if tags.Path != "" && tags.ResourceName != "" && tags.Path != tags.ResourceName {
		c.diags.errorf(at(tags.pathPos), "resource: %q here, but +resourceName is %q at %s; name one resource", tags.Path, tags.ResourceName, at(tags.resourceNamePos))
	}
	if named := cmp.Or(tags.Path, tags.ResourceName); named != "" {
		return named
	}
	clientGen, controllerGen := c.namers.resources(t)
	switch {
	case !tags.Root || c.options.clientset(internal) != "":
		return clientGen
	case tags.Genclient && clientGen != controllerGen:
		c.diags.warnf(at(decl.spec.Name.Pos()), "resource: %q for controller-gen, but %q for client-gen; the informer takes the first: name one with +kubebuilder:resource:path", controllerGen, clientGen)
	}
	return controllerGen
}

// goType is the import path and name of a type, after aliases, with the
// arguments of a generic one.
func (d *declaration) goType() string {
	target := d.unalias()
	name := target.pkg.Path + "." + target.spec.Name.Name
	if target.spec.TypeParams != nil {
		return name + " of " + d.pkg.Path + "." + d.spec.Name.Name
	}
	return name
}

// lacks says what a type lacks to be one of API objects, and what to do.
func (d *declaration) lacks() (lack, remedy string) {
	fields, _ := d.structure()
	objectMeta, typeMeta := d.embeds("ObjectMeta").found, d.embeds("TypeMeta").found || d.unalias().hasMethod("GetObjectKind")
	switch {
	case objectMeta && typeMeta:
		return "", ""
	case d.lost(maxDepth) != "":
		return "refers to " + d.lost(maxDepth) + ", which is not found", "make sure that it is declared, and its module in go.mod"
	case fields == nil:
		return "is not a struct", "tag the struct, or a type that is defined by one"
	case !objectMeta:
		return "embeds no ObjectMeta", "embed metav1.ObjectMeta, or a struct that does"
	}
	return "embeds no TypeMeta", "embed metav1.TypeMeta, or a struct that does"
}

// looksLikeAPI reports whether a struct embeds TypeMeta and ObjectMeta itself.
func (d *declaration) looksLikeAPI() bool {
	fields, ok := d.spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	found := 0
	for _, field := range fields.Fields.List {
		if name := baseName(field.Type); len(field.Names) == 0 && (name == "TypeMeta" || name == "ObjectMeta") {
			found++
		}
	}
	return found == 2
}

// isList reports whether a type is a list of others.
func (d *declaration) isList() bool {
	fields, _ := d.structure()
	return fields != nil && strings.HasSuffix(d.spec.Name.Name, "List") && hasField(fields, "Items") && d.embeds("ListMeta").found
}

// hasList reports whether the package has a list of the type. One that is
// another package's is believed.
func (d *declaration) hasList() bool {
	list := d.pkg.typ(d.spec.Name.Name + "List")
	if list == nil {
		return false
	}
	fields, _ := list.structure()
	return fields == nil || hasField(fields, "Items")
}

func hasField(fields *ast.StructType, name string) bool {
	return slices.ContainsFunc(fields.Fields.List, func(field *ast.Field) bool {
		return slices.ContainsFunc(field.Names, func(ident *ast.Ident) bool { return ident.Name == name })
	})
}
