// Package collect turns parsed packages into a Model: plain data about the API types that code is
// generated for, with all names that the code needs. It reads their markers, judges which types
// get informers, listers and clients, works out groups, versions, resources and scopes, indexes
// and slim types, and compares all that with clientsets and CRDs. What is wrong is reported with
// its place, and what is skipped with the reason.
package collect

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/namer"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/templates"
)

// collector turns packages into a model.
type collector struct {
	ctx      context.Context // of the run
	options  *Options
	plurals  plurals
	diags    *diag.List
	groups   *groupSet
	choice   Choice
	skipped  []Skip
	uncopied []uncopied // of the package at hand
	crds     []*crd
	slims    []fields.Slim // of the package at hand
	copies   []*fields.Copies
	tags     tagParser
	indexer  indexer
}

// Collect finds the API types of packages. Problems are added to the
// diagnostics; the model is complete only if there are none.
func Collect(ctx context.Context, loader *load.Loader, packages []*load.Package, options *Options, diags *diag.List) (*Model, error) {
	exceptions, err := ParsePlurals(options.PluralExceptions)
	if err != nil {
		return nil, err
	}
	tags := tagParser{at: loader.Position, diags: diags, clients: options.Clients}
	c := &collector{
		ctx: ctx, options: options, plurals: exceptions, diags: diags, groups: &groupSet{options: options, loader: loader, diags: diags, clientsets: map[string]*clientset{}},
		choice: NewChoice(options.Types, options.Exclude), tags: tags, indexer: indexer{tagParser: tags},
	}
	var crdErr error
	if options.CRDs != "" {
		c.crds, crdErr = readCRDs(ctx, options.Dir, options.CRDs, diags)
	}
	for _, pkg := range packages {
		if len(pkg.Files) > 0 {
			c.collectPackage(pkg)
		}
		c.skipUnbuilt(pkg)
	}
	c.indexer.checkAside(loader.Aside(packages, "+"+ownTags))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	model := &Model{Groups: c.groups.resolve(), Skipped: c.skipped, Copies: c.copies}
	slices.SortFunc(model.Skipped, func(a, b Skip) int {
		return comparePositions(a.Pos, b.Pos)
	})
	if c.crds != nil {
		checkCRDs(c.crds, options.CRDs, c.choice, model, diags)
	}
	c.choice.check(model, diags)
	c.plurals.check(model, diags)
	return model, crdErr
}

// collectPackage adds the kinds of a package to the groups.
func (c *collector) collectPackage(pkg *load.Package) {
	own := markersOf(pkg)
	if literal := ownLiteral(pkg); literal != nil {
		own.internal = literal.version == internalVersion
	}
	lint(pkg, own, c.options.LintRules, c.diags)
	for _, m := range own.all {
		c.tags.misspelt(m)
	}
	ofPackage := own.all.byName()
	found := map[bool][]*Kind{} // by internal
	attached := map[*ast.CommentGroup]bool{}
	c.indexer.reached = map[token.Pos]bool{}
	declared := map[string]*load.Declaration{}
	for _, decl := range pkg.Declarations() {
		if c.ctx.Err() != nil {
			return
		}
		if first := declared[decl.Name()]; first != nil && decl.Name() != "_" {
			c.diags.Errorf(decl.Position(), "type: %s is declared here, and at %s; remove one", decl.Name(), first.Position())
		}
		declared[decl.Name()] = decl
		comments := decl.Comments()
		attached[comments.Closest], attached[comments.Second] = true, true
		v := c.judge(decl, comments, own)
		if v.kind != nil {
			v.kind.PackageMarkers = ofPackage
		}
		if pkg.Mentions[ownTags] {
			c.indexer.addIndexes(decl, comments, v.kind)
		}
		switch {
		case v.kind != nil && v.full != nil:
			c.addSlim(pkg, v)
		case v.kind != nil:
			found[v.internal] = append(found[v.internal], v.kind)
		case v.reason != "":
			c.skipped = append(c.skipped, Skip{Name: decl.Name(), Package: pkg.Path, Reason: v.reason, Explicit: v.explicit, Pos: decl.Position()})
		}
	}
	reportUncopied(c.uncopied, pkg, own, c.diags)
	if copies := fields.CopiesOf(pkg, c.slims, c.diags); copies != nil {
		c.copies = append(c.copies, copies)
	}
	c.uncopied, c.slims = nil, nil
	c.indexer.checkFieldMarkers(pkg, attached)
	c.warnDetached(pkg, attached)
	for _, internal := range []bool{false, true} {
		if kinds := found[internal]; len(kinds) > 0 {
			c.refuseMain(pkg)
			gv := groupVersionOf(pkg, own, internal, c.diags)
			if gv.fromFolder {
				gv.takeCRDs(pkg, c.crds, kinds, c.diags)
			}
			c.groups.add(pkg, gv, internal, kinds)
		}
	}
}

// refuseMain reports a program that has kinds.
func (c *collector) refuseMain(pkg *load.Package) {
	if pkg.Name == "main" {
		c.diags.Errorf(pkg.Loader.Position(pkg.Files[0].Syntax.Name.Pos()), "package: %s is main, which nothing can import; move its API types to a package of their own", pkg.Path)
	}
}

// skipUnbuilt adds the marked types of files that are not built, unless one that
// is built declares them as well.
func (c *collector) skipUnbuilt(pkg *load.Package) {
	quiet := c.tags.quiet()
	for _, decl := range load.DeclarationsOf(pkg, pkg.Unbuilt) {
		name := decl.Name()
		if quiet.parse(markersAt(decl.Comments())).marked() && !isList(decl) && (len(pkg.Files) == 0 || pkg.Type(name) == nil) {
			c.skipped = append(c.skipped, Skip{Name: name, Package: pkg.Path, Reason: pkg.Loader.UnbuiltReason(decl.File.Name), Pos: decl.Position()})
		}
	}
}

// warnDetached warns of +genclient tags that belong to no type, which gengo
// does not see, and of this tool's.
func (c *collector) warnDetached(pkg *load.Package, attached map[*ast.CommentGroup]bool) {
	for _, file := range pkg.Files {
		for _, group := range file.Syntax.Comments {
			if attached[group] || !mentionsTag(group) || !file.Declares() {
				continue
			}
			for _, m := range parseMarkers(group) {
				if m.name == "genclient" && m.value == "" && m.extra == "" || m.name == slimTag || m.name == IndexTag {
					c.diags.Warnf(pkg.Loader.Position(m.pos), "+%s: belongs to no type: none follows it, or only after another comment; move it to the comment of the type, or the one before that", m.name)
				}
			}
		}
	}
}

// verdict is the outcome for a declaration: a kind, or the reason why there is
// none, which is empty for what does not look like an API type at all.
type verdict struct {
	kind     *Kind
	full     *load.Declaration // of a slim type
	internal bool
	reason   string
	explicit bool // a marker or an option asks to skip it
}

func skipped(reason string) verdict  { return verdict{reason: reason} }
func unwanted(reason string) verdict { return verdict{reason: reason, explicit: true} }

// judge turns a declaration into a kind, or says why it is none.
func (c *collector) judge(decl *load.Declaration, comments load.TypeComments, own packageMarkers) verdict {
	name, tags := decl.Name(), c.tags.parse(markersAt(comments))
	named := !tags.marked() && c.choice.names(decl.Pkg, name)
	switch {
	case tags.Slim != "":
		return c.judgeSlim(decl, comments, tags, own)
	case named:
	case !tags.marked() && decl.IsExported() && looksLikeAPI(decl):
		if c.choice.excludesKind(name) {
			return unwanted("--exclude")
		}
		return skipped("no +genclient and no +kubebuilder:object:root=true")
	case !tags.marked(), isList(decl):
		return verdict{}
	}
	if reason := c.choice.refuses(decl.Pkg, name); reason != "" {
		return unwanted(reason)
	}
	if refused, ok := c.refuse(decl, tags, named, own); ok {
		return refused
	}
	internal := own.internal || isInternal(decl)
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
	checkMethods(decl, c.diags)
	return verdict{kind: c.named(decl, comments, tags, internal, out), internal: internal}
}

// refuse says why a marked type can't be or is not to be a kind by its name and
// its markers.
func (c *collector) refuse(decl *load.Declaration, tags typeTags, named bool, own packageMarkers) (verdict, bool) {
	name := decl.Name()
	switch {
	case !named && !tags.Genclient && c.options.HasClientset():
		return unwanted("no +genclient, so the clientset has no methods for it"), true
	case !named && !tags.Genclient && (tags.Skip || own.skip):
		return unwanted("+kubebuilder:skip"), true
	case tags.Unserved != "" && !c.options.HasClientset():
		return unwanted("+" + tags.Unserved), true
	case !decl.IsExported():
		return c.problem(decl, tags, "is not exported", "begin its name with a capital letter"), true
	case len(name) > maxName:
		return c.problem(decl, tags, "has a name of "+diag.Count(len(name), "letter"), "kinds have at most "+strconv.Itoa(maxName)), true
	case !kindName.MatchString(name):
		return c.problem(decl, tags, "is not what a kind can be called", "use letters of the English alphabet and digits"), true
	case decl.Spec.TypeParams != nil:
		return c.problem(decl, tags, "has type parameters", "declare a type of its own for each instance"), true
	}
	return verdict{}, false
}

// problem skips a type, which is an error if it has +genclient.
func (c *collector) problem(decl *load.Declaration, tags typeTags, text, hint string) verdict {
	if tags.Genclient {
		c.diags.Errorf(decl.Pkg.Loader.Position(tags.pos), "+genclient: %s %s; %s", decl.Name(), text, hint)
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
	case !internal && c.options.HasClientset() && c.options.VersionedClientset == "":
		return unwanted("not internal; name its clientset with --versioned-clientset-package"), true
	}
	return verdict{}, false
}

// generated lists what a type gets.
type generated struct{ informer, lister, client bool }

// generatedFor returns what the options, a type's verbs and its package allow.
func (c *collector) generatedFor(tags typeTags, own packageMarkers) generated {
	can := func(verb string) bool { return slices.Contains(tags.Verbs, verb) }
	return generated{
		informer: !tags.NoVerbs && can("list") && can("watch") && !own.noInformers,
		lister:   can("list") && can("get") && !own.noListers,
		client:   c.options.Clients && !tags.NoVerbs && len(tags.Verbs) > 0 && !own.noInformers,
	}
}

// incomplete says what a marked type lacks.
func (c *collector) incomplete(decl *load.Declaration, tags typeTags, named bool) (verdict, bool) {
	name, at := decl.Name(), decl.Position()
	lack, remedy := lacks(decl)
	lost := ""
	if lack != "" {
		lost = decl.Lost()
	}
	hasList, lostList := hasList(decl)
	switch {
	case lost != "" && !tags.Genclient && !hasList && lostList == "":
		return skipped("no " + name + "List with Items"), true
	case lost != "" && !tags.Genclient:
		// Whether it is an API type can't be told, and it may have an informer already.
		c.diags.Errorf(at, "kind: %s refers to %s; make sure that it is declared, and its module in go.mod", name, lost)
		return verdict{}, true
	case lost != "":
		return c.problem(decl, tags, "refers to "+lost, "make sure that it is declared, and its module in go.mod"), true
	case tags.Genclient && lack == lacksObjectMeta:
		c.diags.Warnf(at, "kind: %s is skipped: it %s; %s, or leave out +genclient", name, lack, remedy)
		return skipped(lack), true
	case lack != "":
		return c.problem(decl, tags, lack, remedy), true
	case !named && !tags.Genclient && lostList != "":
		c.diags.Errorf(at, "kind: %sList of %s refers to %s; make sure that it is declared, and its module in go.mod", name, name, lostList)
		return verdict{}, true
	case !named && !tags.Genclient && !hasList:
		c.diags.Warnf(at, "kind: %s is skipped: no %sList with Items; declare it, or leave out its markers", name, name)
		return skipped("no " + name + "List with Items"), true
	case hasDeepCopyObject(decl):
		if list := decodableList(decl); c.options.Clients && list != nil && !hasDeepCopyObject(list) { // which only clients need
			c.uncopied = append(c.uncopied, uncopied{name: list.Name(), root: tags.Root, pos: list.Position()})
		}
	case !named && !tags.Genclient && !tags.Root:
		return skipped("no method DeepCopyObject; add +kubebuilder:object:root=true, and run controller-gen object"), true
	default:
		c.uncopied = append(c.uncopied, uncopied{name: name, root: tags.Root, pos: at})
	}
	return verdict{}, false
}

// named makes a kind with its names and its scope.
func (c *collector) named(decl *load.Declaration, comments load.TypeComments, tags typeTags, internal bool, out generated) *Kind {
	namespaced, verbs := c.namespaced(decl, tags), clientVerbs(decl, tags)
	if out.client && decl.Pkg.Mentions[kubebuilderTags] && (tags.CRD || tags.Root) && !tags.StatusSubresource && slices.Contains(verbs, "updateStatus") {
		c.diags.Warnf(decl.Position(), "kind: %s has a Status, but no +kubebuilder:subresource:status, so that UpdateStatus would be answered with 404; add it, or +genclient:noStatus", decl.Name())
	}
	name := decl.Name()
	return &Kind{
		Type: templates.Type{
			Name: name, Kind: name, Ident: name, Singular: strings.ToLower(name), Private: namer.IL(name), Plural: c.plurals.of(decl), Resource: c.resource(decl, tags, internal),
			Doc: sentence(comments), API: templates.Import{Path: decl.Pkg.Path, Name: decl.Pkg.Name}, Namespaced: namespaced,
			HasInformer: out.informer, HasLister: out.lister, HasClient: out.client, List: listType(decl), Verbs: verbs,
			Markers: markersAt(comments).byName(),
		},
		Pos: decl.Position(), Dir: decl.Pkg.Dir, goType: decl.GoType(),
	}
}

// namespaced returns the scope of a type. With a clientset it is the one that client-gen
// made of it.
func (c *collector) namespaced(decl *load.Declaration, tags typeTags) bool {
	at, namespaced := decl.Pkg.Loader.Position, !tags.NonNamespaced
	switch {
	case tags.Scope == "" && tags.NonNamespaced && (tags.CRD || tags.Root):
		c.diags.Warnf(at(tags.nonNamespacedPos), "scope: +genclient:nonNamespaced says Cluster, but without a scope controller-gen makes the CRD Namespaced; write +kubebuilder:resource:scope=Cluster")
	case tags.Scope == "":
	case c.options.VersionedClientset != "" && namespaced != (tags.Scope == "Namespaced"):
		c.diags.Warnf(at(tags.scopePos), "scope: +kubebuilder:resource says %s, the +genclient tags the other; the clientset follows +genclient, and so does the informer", tags.Scope)
	case c.options.VersionedClientset != "":
	case tags.NonNamespaced && tags.Scope == "Namespaced":
		c.diags.Errorf(at(tags.scopePos), "scope: Namespaced here, but +genclient:nonNamespaced at %s; name one scope", at(tags.nonNamespacedPos))
	default:
		namespaced = tags.Scope == "Namespaced"
	}
	return namespaced
}

// resource returns the plural name of a type in the API: what a marker says, or
// else what the generator that the type is marked for makes of it.
func (c *collector) resource(decl *load.Declaration, tags typeTags, internal bool) string {
	at := decl.Pkg.Loader.Position
	if tags.Path != "" && tags.ResourceName != "" && tags.Path != tags.ResourceName {
		c.diags.Errorf(at(tags.pathPos), "resource: %q here, but +resourceName is %q at %s; name one resource", tags.Path, tags.ResourceName, at(tags.resourceNamePos))
	}
	if named := cmp.Or(tags.Path, tags.ResourceName); named != "" {
		return named
	}
	clientGen, controllerGen := c.plurals.resources(decl)
	chosen, who := clientGen, "client-gen's"
	if c.options.clientset(internal) == "" && decl.Pkg.Mentions[kubebuilderTags] {
		chosen, who = controllerGen, "controller-gen's" // which makes the CRD
	}
	if tags.Genclient && clientGen != controllerGen {
		c.diags.Warnf(decl.Position(), "resource: %q for controller-gen, but %q for client-gen; the informer takes %s: name one with +kubebuilder:resource:path and +resourceName",
			controllerGen, clientGen, who)
	}
	return chosen
}
