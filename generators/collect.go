package generators

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"
)

// collector turns packages into a model.
type collector struct {
	ctx      context.Context // of the run
	options  *Options
	namers   namers
	universe types.Universe
	diags    *diagnostics
	groups   *groupSet
	choice   choice
	skipped  []Skip
	uncopied []uncopied // of the package at hand
	slims    []slimType // of the package at hand
	copies   []*Copies
	tags     tagParser
	reached  map[token.Pos]bool // the markers of fields of API types of the package at hand
}

// collect finds the API types of packages. Problems are added to the
// diagnostics; the model is complete only if there are none.
func collect(ctx context.Context, loader *loader, packages []*Package, options *Options, diags *diagnostics) (*Model, error) {
	exceptions, err := options.pluralExceptions()
	if err != nil {
		return nil, err
	}
	c := &collector{ctx: ctx, options: options, namers: newNamers(exceptions), universe: types.Universe{}, diags: diags, groups: newGroupSet(options, loader, diags), choice: newChoice(options)}
	for _, pkg := range packages {
		if len(pkg.Files)+len(pkg.unbuilt) > 0 {
			c.tags = tagParser{at: pkg.loader.position, diags: diags, clients: options.Clients}
			if len(pkg.Files) > 0 {
				c.collectPackage(pkg)
			}
			c.skipUnbuilt(pkg)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	model := &Model{Groups: c.groups.resolve(), Skipped: c.skipped, Copies: c.copies}
	slices.SortFunc(model.Skipped, func(a, b Skip) int {
		return comparePositions(a.Pos, b.Pos)
	})
	c.choice.check(model, diags)
	c.namers.check(model, diags)
	return model, nil
}

// collectPackage adds the kinds of a package to the groups.
func (c *collector) collectPackage(pkg *Package) {
	at := pkg.loader.position
	own := markersOf(pkg)
	if literal := pkg.literal(); literal != nil {
		own.internal = literal.version == internalVersion
	}
	lint(pkg, own, c.options.LintRules, c.diags)
	for _, m := range own.all {
		c.tags.misspelt(m)
	}
	found := map[bool][]*Kind{} // by internal
	attached := map[*ast.CommentGroup]bool{}
	c.reached = map[token.Pos]bool{}
	for _, decl := range pkg.declarations() {
		if c.ctx.Err() != nil {
			return
		}
		comments := decl.comments()
		attached[comments.closest], attached[comments.second] = true, true
		v := c.judge(decl, comments, own)
		if pkg.mentions["+"+ownTags] {
			c.index(decl, comments, v)
		}
		switch {
		case v.kind != nil && v.full != nil:
			c.addSlim(pkg, v)
		case v.kind != nil:
			found[v.internal] = append(found[v.internal], v.kind)
		case v.reason != "":
			c.skipped = append(c.skipped, Skip{Name: decl.spec.Name.Name, Package: pkg.Path, Reason: v.reason, Explicit: v.explicit, Pos: at(decl.spec.Name.Pos())})
		}
	}
	c.reportUncopied(pkg, own)
	c.copySlims(pkg)
	c.checkFieldMarkers(pkg, attached)
	c.warnDetached(pkg, attached)
	for _, internal := range []bool{false, true} {
		if kinds := found[internal]; len(kinds) > 0 {
			c.refuseMain(pkg)
			c.groups.add(pkg, groupVersionOf(pkg, own, internal, c.diags), internal, kinds)
		}
	}
}

// refuseMain reports a program that has kinds.
func (c *collector) refuseMain(pkg *Package) {
	if pkg.Name == "main" {
		c.diags.errorf(pkg.loader.position(pkg.Files[0].Syntax.Name.Pos()), "package: %s is main, which nothing can import; move its API types to a package of their own", pkg.Path)
	}
}

// skipUnbuilt adds the marked types of files that are not built, unless one that
// is built declares them as well.
func (c *collector) skipUnbuilt(pkg *Package) {
	quiet := tagParser{at: pkg.loader.position, diags: new(diagnostics)}
	for _, decl := range declarationsOf(pkg, pkg.unbuilt) {
		name := decl.spec.Name.Name
		if quiet.parse(decl.comments().markers()).marked() && !decl.isList() && (len(pkg.Files) == 0 || pkg.typ(name) == nil) {
			c.skipped = append(c.skipped, Skip{Name: name, Package: pkg.Path, Reason: pkg.loader.unbuiltReason(decl.file.Name), Pos: pkg.loader.position(decl.spec.Name.Pos())})
		}
	}
}

// declares reports whether a file has more than imports. Scripts put tags in one
// that has not, for other tools to see the package.
func (f *File) declares() bool {
	return slices.ContainsFunc(f.Syntax.Decls, func(decl ast.Decl) bool {
		general, ok := decl.(*ast.GenDecl)
		return !ok || general.Tok != token.IMPORT
	})
}

// warnDetached warns of +genclient tags that belong to no type, which gengo
// does not see, and of this tool's.
func (c *collector) warnDetached(pkg *Package, attached map[*ast.CommentGroup]bool) {
	for _, file := range pkg.Files {
		for _, group := range file.Syntax.Comments {
			if attached[group] || !mentionsTag(group) || !file.declares() {
				continue
			}
			for _, m := range parseMarkers(group) {
				if m.name == "genclient" && m.value == "" && m.extra == "" || m.name == slimTag || m.name == indexTag {
					c.diags.warnf(pkg.loader.position(m.pos), "+%s: belongs to no type: none follows it, or only after another comment; move it to the comment of the type, or the one before that", m.name)
				}
			}
		}
	}
}

// mentionsTag reports whether a comment may have the tag +genclient or one of this tool's.
// Most have not, and their markers need not be parsed.
func mentionsTag(group *ast.CommentGroup) bool {
	return slices.ContainsFunc(group.List, func(comment *ast.Comment) bool {
		return strings.Contains(comment.Text, "+genclient") || strings.Contains(comment.Text, "+"+ownTags)
	})
}

// verdict is the outcome for a declaration: a kind, or the reason why there is
// none, which is empty for what does not look like an API type at all.
type verdict struct {
	kind     *Kind
	full     *declaration // of a slim type
	internal bool
	reason   string
	explicit bool // a marker or an option asks to skip it
}

func skipped(reason string) verdict  { return verdict{reason: reason} }
func unwanted(reason string) verdict { return verdict{reason: reason, explicit: true} }

// judge turns a declaration into a kind, or says why it is none.
func (c *collector) judge(decl *declaration, comments typeComments, own packageMarkers) verdict {
	name, tags := decl.spec.Name.Name, c.tags.parse(comments.markers())
	named := !tags.marked() && c.choice.names(decl.pkg, name)
	switch {
	case tags.Slim != "":
		return c.judgeSlim(decl, comments, tags, own)
	case named:
	case !tags.marked() && decl.spec.Name.IsExported() && decl.looksLikeAPI():
		if c.choice.excludesKind(name) {
			return unwanted("--exclude")
		}
		return skipped("no +genclient and no +kubebuilder:object:root=true")
	case !tags.marked(), decl.isList():
		return verdict{}
	}
	if reason := c.choice.refuses(decl.pkg, name); reason != "" {
		return unwanted(reason)
	}
	if refused, ok := c.refuse(decl, tags, named, own); ok {
		return refused
	}
	internal := own.internal || decl.isInternal()
	if refused, ok := c.without(internal, own.internal); ok {
		return refused
	}
	out := c.generatedFor(tags, own)
	switch {
	case out == generated{} && own.noInformers:
		return unwanted("+k8s:informer-gen=false")
	case out == generated{} && c.options.Clients:
		return unwanted("its +genclient tags leave no verb")
	case out == generated{}:
		return unwanted("its +genclient tags leave no list with watch or get")
	}
	if refused, ok := c.incomplete(decl, tags, named); ok {
		return refused
	}
	c.checkMethods(decl)
	return verdict{kind: c.named(decl, comments, tags, internal, out), internal: internal}
}

// refuse says why a marked type can't be or is not to be a kind by its name and
// its markers.
func (c *collector) refuse(decl *declaration, tags Tags, named bool, own packageMarkers) (verdict, bool) {
	name := decl.spec.Name.Name
	switch {
	case !named && !tags.Genclient && c.options.hasClientset():
		return unwanted("no +genclient, so the clientset has no methods for it"), true
	case !named && !tags.Genclient && (tags.Skip || own.skip):
		return unwanted("+kubebuilder:skip"), true
	case tags.Unserved != "" && !c.options.hasClientset():
		return unwanted("+" + tags.Unserved), true
	case !decl.spec.Name.IsExported():
		return c.problem(decl, tags, "is not exported", "begin its name with a capital letter"), true
	case len(name) > maxName:
		return c.problem(decl, tags, "has a name of "+count(len(name), "letter"), "kinds have at most "+strconv.Itoa(maxName)), true
	case !kindName.MatchString(name):
		return c.problem(decl, tags, "is not what a kind can be called", "use letters of the English alphabet and digits"), true
	case decl.spec.TypeParams != nil:
		return c.problem(decl, tags, "has type parameters", "declare a type of its own for each instance"), true
	}
	return verdict{}, false
}

// problem skips a type, which is an error if it has +genclient.
func (c *collector) problem(decl *declaration, tags Tags, text, hint string) verdict {
	if tags.Genclient {
		c.diags.errorf(decl.pkg.loader.position(tags.pos), "+genclient: %s %s; %s", decl.spec.Name.Name, text, hint)
	}
	return skipped(text)
}

// without skips types that no clientset was named for.
func (c *collector) without(internal, byVersion bool) (verdict, bool) {
	why := "its ObjectMeta has no json tag"
	if byVersion {
		why = "its version is " + internalVersion
	}
	switch {
	case internal && c.options.InternalClientset == "":
		return unwanted("internal (" + why + "); name its clientset with --internal-clientset-package"), true
	case !internal && c.options.hasClientset() && c.options.VersionedClientset == "":
		return unwanted("not internal; name its clientset with --versioned-clientset-package"), true
	}
	return verdict{}, false
}

// generated lists what a type gets.
type generated struct{ informer, lister, client bool }

// generatedFor returns what the options, a type's verbs and its package allow.
func (c *collector) generatedFor(tags Tags, own packageMarkers) generated {
	can := func(verb string) bool { return slices.Contains(tags.Verbs, verb) }
	return generated{
		informer: !tags.NoVerbs && can("list") && can("watch") && !own.noInformers,
		lister:   can("list") && can("get") && !own.noListers,
		client:   c.options.Clients && !tags.NoVerbs && len(tags.Verbs) > 0 && !own.noInformers,
	}
}

// incomplete says what a marked type lacks.
func (c *collector) incomplete(decl *declaration, tags Tags, named bool) (verdict, bool) {
	name, at := decl.spec.Name.Name, decl.pkg.loader.position(decl.spec.Name.Pos())
	lack, remedy := decl.lacks()
	lost := ""
	if lack != "" {
		lost = decl.lost(visited{})
	}
	hasList, lostList := decl.list()
	switch {
	case lost != "" && !tags.Genclient && !hasList && lostList == "":
		return skipped("no " + name + "List with Items"), true
	case lost != "" && !tags.Genclient:
		// Whether it is an API type can't be told, and it may have an informer already.
		c.diags.errorf(at, "kind: %s refers to %s; make sure that it is declared, and its module in go.mod", name, lost)
		return verdict{}, true
	case lost != "":
		return c.problem(decl, tags, "refers to "+lost, "make sure that it is declared, and its module in go.mod"), true
	case tags.Genclient && lack == lacksObjectMeta:
		c.diags.warnf(at, "kind: %s is skipped: it %s; %s, or leave out +genclient", name, lack, remedy)
		return skipped(lack), true
	case lack != "":
		return c.problem(decl, tags, lack, remedy), true
	case !named && !tags.Genclient && lostList != "":
		c.diags.errorf(at, "kind: %sList of %s refers to %s; make sure that it is declared, and its module in go.mod", name, name, lostList)
		return verdict{}, true
	case !named && !tags.Genclient && !hasList:
		c.diags.warnf(at, "kind: %s is skipped: no %sList with Items; declare it, or leave out its markers", name, name)
		return skipped("no " + name + "List with Items"), true
	case decl.copies():
		c.addUncopiedList(decl, tags)
	case !named && !tags.Genclient && !tags.Root:
		return skipped("no method DeepCopyObject; add +kubebuilder:object:root=true, and run controller-gen object"), true
	default:
		c.uncopied = append(c.uncopied, uncopied{name: name, root: tags.Root, pos: at})
	}
	return verdict{}, false
}

// maxName is the greatest length of names of kinds, resources and versions: that of
// a DNS label. maxGroup is that of a DNS subdomain.
const (
	maxName  = 63
	maxGroup = 253
)

// kindName matches what the kind of an API object may be, whose small letters
// must be a DNS label; and "_", which Go allows and older API servers too.
var kindName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)

// named makes a kind with its names and its scope.
func (c *collector) named(decl *declaration, comments typeComments, tags Tags, internal bool, out generated) *Kind {
	at := decl.pkg.loader.position
	t := c.universe.Type(types.Name{Package: decl.pkg.Path, Name: decl.spec.Name.Name})
	t.Kind, t.CommentLines, t.SecondClosestCommentLines = types.Struct, lines(comments.closest), lines(comments.second)

	namespaced, verbs := c.namespaced(decl, tags), decl.clientVerbs(tags)
	if out.client && decl.pkg.mentions[kubebuilderTags] && (tags.CRD || tags.Root) && !tags.StatusSubresource && slices.Contains(verbs, "updateStatus") {
		c.diags.warnf(at(decl.spec.Name.Pos()), "kind: %s has a Status, but no +kubebuilder:subresource:status, so that UpdateStatus would be answered with 404; add it, or +genclient:noStatus", decl.spec.Name.Name)
	}
	return &Kind{
		Name: c.namers.public.Name(t), APIKind: c.namers.public.Name(t), Ident: c.namers.public.Name(t), Private: c.namers.private.Name(t), Plural: c.namers.pluralOf(t),
		Resource: c.resource(decl, t, tags, internal), Namespaced: namespaced, Informer: out.informer, Lister: out.lister, Client: out.client,
		List: decl.listType(), Verbs: verbs,
		Doc: comments.sentence(), Package: decl.pkg.Path, PackageName: decl.pkg.Name, Pos: at(decl.spec.Name.Pos()),
		dir: decl.pkg.Dir, goType: decl.goType(),
	}
}

// namespaced returns the scope of a type. With a clientset it is the one that client-gen
// made of it.
func (c *collector) namespaced(decl *declaration, tags Tags) bool {
	at, namespaced := decl.pkg.loader.position, !tags.NonNamespaced
	switch {
	case tags.Scope == "" && tags.NonNamespaced && (tags.CRD || tags.Root):
		c.diags.warnf(at(tags.nonNamespacedPos), "scope: +genclient:nonNamespaced says Cluster, but without a scope controller-gen makes the CRD Namespaced; write +kubebuilder:resource:scope=Cluster")
	case tags.Scope == "":
	case c.options.VersionedClientset != "" && namespaced != (tags.Scope == "Namespaced"):
		c.diags.warnf(at(tags.scopePos), "scope: +kubebuilder:resource says %s, the +genclient tags the other; the clientset follows +genclient, and so does the informer", tags.Scope)
	case c.options.VersionedClientset != "":
	case tags.NonNamespaced && tags.Scope == "Namespaced":
		c.diags.errorf(at(tags.scopePos), "scope: Namespaced here, but +genclient:nonNamespaced at %s; name one scope", at(tags.nonNamespacedPos))
	default:
		namespaced = tags.Scope == "Namespaced"
	}
	return namespaced
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
	chosen, who := clientGen, "client-gen's"
	if c.options.clientset(internal) == "" && decl.pkg.mentions[kubebuilderTags] {
		chosen, who = controllerGen, "controller-gen's" // which makes the CRD
	}
	if tags.Genclient && clientGen != controllerGen {
		c.diags.warnf(at(decl.spec.Name.Pos()), "resource: %q for controller-gen, but %q for client-gen; the informer takes %s: name one with +kubebuilder:resource:path and +resourceName",
			controllerGen, clientGen, who)
	}
	return chosen
}
