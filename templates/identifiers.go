package templates

import (
	"slices"
	"strings"
)

// RuntimeModule is the module whose packages generated code calls.
const RuntimeModule = "github.com/informer-gen/informer-gen"

const clientGoCache = "k8s.io/client-go/tools/cache"

// Import is a package that generated code imports.
type Import struct {
	// Path is the import path.
	Path string
	// Name is the name in its package clause, or empty if that is not known;
	// an import of unknown name always gets an alias.
	Name string
}

// Library is a package with the identifiers that templates use of it.
type Library struct {
	Import
	// Identifiers are sorted.
	Identifiers []string
}

// Libraries is the only place that says what generated code needs of packages
// that are not generated and hold no API types. Templates name an identifier
// by the package's name and its own: {{.Use "cache.Indexer"}}.
var Libraries = []Library{
	{Import{"context", "context"}, []string{"Context"}},
	{Import{"fmt", "fmt"}, []string{"Errorf"}},
	{Import{"iter", "iter"}, []string{"Seq"}},
	{Import{"maps", "maps"}, []string{"Clone"}},
	{Import{"net/http", "http"}, []string{"Request"}},
	{Import{"reflect", "reflect"}, []string{"Type"}},
	{Import{"slices", "slices"}, []string{"Clone"}},
	{Import{"strconv", "strconv"}, []string{"FormatBool", "FormatInt", "FormatUint"}},
	{Import{"time", "time"}, []string{"Duration"}},

	{Import{RuntimeModule + "/runtime/clientgo/listers", "listers"}, []string{"AllByIndex", "ByIndex", "Index", "Lister", "New", "NewNamespaced", "Reader", "ResourceIndexer", "Untyped"}},
	{Import{RuntimeModule + "/runtime/clients", "clients"}, []string{"ApplyConfiguration", "NewResource"}},
	{Import{RuntimeModule + "/runtime/factory", "factory"}, []string{
		"Factory", "GenericInformer", "InformerOptions", "New", "NewGenericInformer", "NewInformer", "Option", "Resource",
		"WithCustomResyncConfig", "WithInformerName", "WithNamespace", "WithTransform", "WithTweakListOptions",
	}},
	{Import{RuntimeModule + "/runtime/generated", "generated"}, []string{
		"Access", "ClientObjects", "ClientsetObjects", "Informer", "InformerOnly", "NewInformerFunc", "NewScope", "Objects", "ResourceClient", "Scope",
		"Status", "ToTyped", "TweakListOptionsFunc", "Typed", "TypedInformer", "TypedInformerOnly", "TypedOnly", "UpgradeOrRegenerate2",
	}},
	{Import{RuntimeModule + "/runtime/source", "source"}, []string{"Client"}},

	{Import{"k8s.io/apimachinery/pkg/apis/meta/v1", "metav1"}, []string{
		"ApplyOptions", "CreateOptions", "DeleteOptions", "GetOptions", "List", "ListOptions", "Object", "PatchOptions", "UpdateOptions",
	}},
	{Import{"k8s.io/apimachinery/pkg/runtime", "runtime"}, []string{"Object"}},
	{Import{"k8s.io/apimachinery/pkg/runtime/schema", "schema"}, []string{"GroupResource", "GroupVersion", "GroupVersionResource"}},
	{Import{"k8s.io/apimachinery/pkg/types", "types"}, []string{"PatchType"}},
	{Import{"k8s.io/apimachinery/pkg/watch", "watch"}, []string{"Interface"}},
	{Import{clientGoCache, "cache"}, []string{"Indexer", "Indexers", "SharedIndexInformer", "TransformFunc"}},
	{Import{cacheSince36, "cache"}, []string{"InformerName", "SyncResult"}},
	{Import{cacheSince37, "cache"}, []string{
		"DeletedObject", "TypedFilteringResourceEventHandler", "TypedIndexers", "TypedIndexersToIndexers",
		"TypedResourceEventHandlerDetailedFuncs", "TypedResourceEventHandlerFuncs", "TypedSharedIndexInformer",
	}},
}

// lookup finds "package.Identifier" in Libraries.
func lookup(name string) (Import, string, bool) {
	pkg, identifier, _ := strings.Cut(name, ".")
	for _, library := range Libraries {
		if _, found := slices.BinarySearch(library.Identifiers, identifier); found && library.Name == pkg {
			return library.Import, identifier, true
		}
	}
	return Import{}, "", false
}
