package collect

import (
	"cmp"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/gobuffalo/flect"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/internal/suggest"
)

// plurals are the exceptions to the rules of client-gen and controller-gen, by kind.
type plurals map[string]string

// endpoints is the one type of Kubernetes whose plural follows no rule. Clients
// and the API server know it as it is.
const endpoints = "Endpoints"

// of returns the name of accessors, as client-gen makes it.
func (p plurals) of(decl *load.Declaration) string {
	name := decl.Name()
	if _, ok := p[name]; !ok && name == endpoints && decl.Pkg.Path == "k8s.io/api/core/v1" {
		return endpoints
	}
	return namer.NewPublicPluralNamer(p).Name(&types.Type{Name: types.Name{Name: name}})
}

// check warns of exceptions for types that there are not. Scripts name Endpoints, and the lists
// of types as well.
func (p plurals) check(model *Model, diags *diag.List) {
	names := append(model.names(), endpoints)
	for _, kind := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(names, kind) && !slices.Contains(names, strings.TrimSuffix(kind, "List")) {
			diags.Warnf(diag.NoPosition, "--plural-exceptions: no type %s%s", kind, cmp.Or(suggest.DidYouMean(kind, "", names), "; leave it out, unless other runs need it"))
		}
	}
}

// resources returns the plural names of a type in the API as client-gen makes
// them for types with +genclient, and controller-gen for root types.
func (p plurals) resources(decl *load.Declaration) (clientGen, controllerGen string) {
	clientGen, controllerGen = strings.ToLower(p.of(decl)), strings.ToLower(flect.Pluralize(decl.Name()))
	if _, exception := p[decl.Name()]; exception {
		controllerGen = clientGen
	}
	return clientGen, controllerGen
}

// maxName limits the names of kinds, resources and versions, which are DNS labels, and maxGroup the names of
// groups, which are DNS subdomains.
const (
	maxName  = 63
	maxGroup = 253
)

// internalVersion is the version of internal types.
const internalVersion = "__internal"

// kindName matches what the kind of an API object may be, whose small letters
// must be a DNS label; and "_", which Go allows and older API servers too.
var kindName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)

// resourcePattern matches what the API server takes for the name of a resource.
var resourcePattern = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// groupName and versionName match what the API server takes for the name of a
// group and of a version.
var (
	groupName   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	versionName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
)

// versionElement matches a path element that is an API version.
var versionElement = regexp.MustCompile(`^v\d+((alpha|beta)\d+)?$`)

// pathGroup returns the path element that names the group, if any does.
func pathGroup(importPath string) string {
	parent := path.Base(path.Dir(importPath))
	if parent == "." || parent == "/" {
		return path.Base(importPath)
	}
	return parent
}

// firstSegment returns the text before the first dot of a group, "core" for the
// core group.
func firstSegment(group string) string {
	if group == "" {
		return "core"
	}
	first, _, _ := strings.Cut(group, ".")
	return first
}

// camelCase makes an exported identifier of a group or version: its parts
// between dots, hyphens and the like, each with a capital first letter.
func camelCase(name, prefix string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(namer.IC(part))
	}
	if text := b.String(); text != "" && unicode.IsUpper([]rune(text)[0]) {
		return text
	}
	return prefix + b.String()
}

// PackageName makes a package name of a path element, with a prefix if it is
// none without. It keeps letters and digits, as small letters.
func PackageName(element, prefix string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, element)
	if !token.IsIdentifier(name) || name == "main" {
		return prefix + name
	}
	return name
}

// special are the directories that the go command treats in a way of its own, and the directory of the
// internal interfaces.
var special = map[string]bool{"internal": true, "vendor": true, "testdata": true, "internalinterfaces": true}

// groupDir makes a directory of the path element or segment that names a group.
// It keeps what upstream's output can be imported with, which has the name as it
// is, and corrects the others.
func groupDir(element string) string {
	first, _, _ := strings.Cut(element, ".")
	switch {
	case special[element]:
		return "group" + element
	case token.IsIdentifier(first) && !strings.HasPrefix(element, "_"):
		return element
	}
	return PackageName(element, "group")
}

// versionDir is the directory and the package name of a version.
func versionDir(version string) string {
	name := PackageName(version, "v")
	if special[name] {
		return "v" + name
	}
	return name
}

// groupPackage is the name of the Go package in a group's directory.
func groupPackage(dir string) string {
	first, _, _ := strings.Cut(dir, ".")
	return PackageName(first, "group")
}

// factoryMethods are the methods of a factory that a group can't have.
var factoryMethods = map[string]bool{
	"Factory": true, "ForResource": true, "InformerFor": true, "InformerName": true, "Shutdown": true, "Start": true,
	"StartWithContext": true, "WaitForCacheSync": true, "WaitForCacheSyncWithContext": true, "WaitForSync": true,
	"WaitForSyncOrStuck": true,
}

// Identifiers are the package-level names that a kind has in the package of its informers, and in the
// package of its listers.
func (k *Kind) Identifiers() (informers, listers []string) {
	n, p := k.Ident, k.Private
	if k.HasInformer {
		informers = []string{
			n + "Informer", "Typed" + n + "Informer", n + "IndexInformer", n + "HandlerFuncs", n + "DetailedHandlerFuncs",
			n + "FilteringHandler", n + "Indexers", "Deleted" + n, "New" + n + "Informer", "NewTyped" + n + "Informer",
			"NewFiltered" + n + "Informer", "NewTypedFiltered" + n + "Informer", "New" + n + "InformerWithOptions",
			"NewTyped" + n + "InformerWithOptions", "ToTyped" + n + "Informer", "To" + n + "IndexInformer", p + "Resource", p + "Objects",
		}
	}
	if k.HasLister {
		listers = []string{n + "Lister", p + "Lister", "New" + n + "Lister", n + "ListerExpansion"}
		if k.Namespaced {
			listers = append(listers, n+"NamespaceLister", p+"NamespaceLister", n+"NamespaceListerExpansion")
		}
	}
	for _, x := range k.Indexes {
		informers, listers = append(informers, n+x.Method), append(listers, n+x.Method)
	}
	if len(k.Indexes) > 0 {
		informers, listers = append(informers, n+"Indexes"), append(listers, n+"Indexes", n+"IndexLister", p+"IndexLister")
	}
	return informers, listers
}

// ClientIdentifiers are those that a kind has in the package of its client. They
// differ for any two kinds.
func (k *Kind) ClientIdentifiers() []string {
	return []string{k.Ident + "Interface", k.Private + "Resource"}
}

// claim is something in the output of a version that only one kind can have.
type claim struct{ what, name string }

// isOurs reports whether only generated code has it, so that it can be called
// otherwise.
func (c claim) isOurs() bool { return c.what == "informer" || c.what == "lister" || c.what == "file" }

// claims are the claims of a kind, the most telling first.
func (k *Kind) claims() []claim {
	claims := []claim{{"resource", k.Resource}}
	informers, listers := k.Identifiers()
	for _, name := range informers {
		claims = append(claims, claim{"informer", name})
	}
	for _, name := range listers {
		claims = append(claims, claim{"lister", name})
	}
	if k.HasInformer || k.HasClient {
		claims = append(claims, claim{"method", k.Plural})
	}
	return append(claims, claim{"file", k.FileName()})
}

// rename gives the kind other names in generated code, which the API does not see.
func (k *Kind) rename() {
	k.Ident, k.Private = k.Ident+"Kind", k.Private+"Kind"
}

// OwnIdentifiers are those that a version's package has of its own.
var OwnIdentifiers = []string{"Interface", "New", "version", "groupVersion"}
