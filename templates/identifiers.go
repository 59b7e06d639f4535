package templates

import (
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	modpath "golang.org/x/mod/module"
)

// RuntimeModule is the module whose packages generated code calls.
const RuntimeModule = "github.com/informer-gen/informer-gen"

const clientGoCache = "k8s.io/client-go/tools/cache"

// libraries is the minor of Kubernetes' libraries that this version is for. hack/libraries.sh writes an
// older minor.
const libraries = "v0.37"

// isSince reports whether the libraries are of the given minor, such as 0.36, or of a newer one.
func isSince(minor string) bool { return strings.TrimPrefix(libraries, "v") >= minor }

// cacheSince returns the package with the identifiers that tools/cache has since a minor. With older
// libraries it is a package of the runtime.
func cacheSince(minor string) string {
	if isSince(minor) {
		return clientGoCache
	}
	return RuntimeModule + "/runtime/clientgo/cache"
}

// Import is a package that generated code imports.
type Import struct {
	// Path is the import path.
	Path string
	// Name is the name in its package clause. It is empty if the name is not known; then the import always
	// gets an alias.
	Name string
	// Dir is the directory of a generated package as templates name it, with slashes. It is empty for other
	// packages.
	Dir string `json:",omitempty"`
}

// Join returns the package in a directory below this one.
func (i Import) Join(dir, name string) Import {
	return Import{Path: path.Join(i.Path, dir), Name: name, Dir: path.Join(i.Dir, dir)}
}

// Library is a package with the identifiers that templates use of it.
type Library struct {
	Import
	// Identifiers are sorted.
	Identifiers []string
}

// Libraries lists what generated code needs of packages that are not generated and hold no API types.
// Templates name an identifier by the package's name and its own: {{.Use "cache.Indexer"}}.
var Libraries = []Library{
	{Import{Path: "context", Name: "context"}, []string{"Context"}},
	{Import{Path: "fmt", Name: "fmt"}, []string{"Errorf"}},
	{Import{Path: "iter", Name: "iter"}, []string{"Seq"}},
	{Import{Path: "maps", Name: "maps"}, []string{"Clone"}},
	{Import{Path: "net/http", Name: "http"}, []string{"Request"}},
	{Import{Path: "reflect", Name: "reflect"}, []string{"Type"}},
	{Import{Path: "slices", Name: "slices"}, []string{"Clone"}},
	{Import{Path: "strconv", Name: "strconv"}, []string{"FormatBool", "FormatInt", "FormatUint"}},
	{Import{Path: "time", Name: "time"}, []string{"Duration"}},

	{Import{Path: RuntimeModule + "/runtime/clientgo/listers", Name: "listers"}, []string{"AllByIndex", "ByIndex", "Index", "Lister", "New", "NewNamespaced", "Reader", "ResourceIndexer", "Untyped"}},
	{Import{Path: RuntimeModule + "/runtime/clients", Name: "clients"}, []string{"ApplyConfiguration", "NewResource"}},
	{Import{Path: RuntimeModule + "/runtime/factory", Name: "factory"}, []string{
		"Factory", "GenericInformer", "InformerOptions", "New", "NewGenericInformer", "NewInformer", "Option", "Resource",
		"WithCustomResyncConfig", "WithInformerName", "WithNamespace", "WithTransform", "WithTweakListOptions",
	}},
	{Import{Path: RuntimeModule + "/runtime/generated", Name: "generated"}, []string{
		"Access", "ClientObjects", "ClientsetObjects", "Informer", "InformerOnly", "NewInformerFunc", "NewScope", "Objects", "ResourceClient", "Scope",
		"Status", "ToTyped", "TweakListOptionsFunc", "Typed", "TypedInformer", "TypedInformerOnly", "TypedOnly", "UpgradeOrRegenerate2",
	}},
	{Import{Path: RuntimeModule + "/runtime/source", Name: "source"}, []string{"Client"}},

	{Import{Path: "k8s.io/apimachinery/pkg/apis/meta/v1", Name: "metav1"}, []string{
		"ApplyOptions", "CreateOptions", "DeleteOptions", "GetOptions", "List", "ListOptions", "Object", "PatchOptions", "UpdateOptions",
	}},
	{Import{Path: "k8s.io/apimachinery/pkg/runtime", Name: "runtime"}, []string{"Object"}},
	{Import{Path: "k8s.io/apimachinery/pkg/runtime/schema", Name: "schema"}, []string{"GroupResource", "GroupVersion", "GroupVersionResource"}},
	{Import{Path: "k8s.io/apimachinery/pkg/types", Name: "types"}, []string{"PatchType"}},
	{Import{Path: "k8s.io/apimachinery/pkg/watch", Name: "watch"}, []string{"Interface"}},
	{Import{Path: clientGoCache, Name: "cache"}, []string{"Indexer", "Indexers", "SharedIndexInformer", "TransformFunc"}},
	{Import{Path: cacheSince("0.36"), Name: "cache"}, []string{"InformerName", "SyncResult"}},
	{Import{Path: cacheSince("0.37"), Name: "cache"}, []string{
		"DeletedObject", "TypedFilteringResourceEventHandler", "TypedIndexers", "TypedIndexersToIndexers",
		"TypedResourceEventHandlerDetailedFuncs", "TypedResourceEventHandlerFuncs", "TypedSharedIndexInformer",
	}},
}

// lookup finds the package and the identifier that a name means. It finds a package of Libraries by its
// name, and any other one by its import path.
func lookup(name string) (Import, string, error) {
	slash := strings.LastIndex(name, "/")
	dot := strings.LastIndex(name, ".")
	if dot <= slash+1 || !token.IsIdentifier(name[dot+1:]) {
		return Import{}, "", fmt.Errorf("%q is no import path and identifier, such as k8s.io/client-go/rest.Config", name)
	}
	pkg, identifier := name[:dot], name[dot+1:]
	var known []string
	for _, library := range Libraries {
		_, found := slices.BinarySearch(library.Identifiers, identifier)
		switch {
		case library.Path == pkg || library.Name == pkg && found:
			return library.Import, identifier, nil
		case library.Name == pkg:
			known = append(known, library.Identifiers...)
		}
	}
	if known != nil {
		return Import{}, "", fmt.Errorf("%q is not among %s of the table of identifiers; name its package by the whole import path", name, strings.Join(known, ", "))
	}
	if modpath.CheckImportPath(pkg) != nil {
		return Import{}, "", fmt.Errorf("%q is no import path", pkg)
	}
	imp := Import{Path: pkg}
	if first, _, _ := strings.Cut(pkg, "/"); !strings.Contains(first, ".") {
		imp.Name = assumedName(pkg) // as all packages of Go's own are called
	}
	return imp, identifier, nil
}
