package cache

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

const (
	path      = "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	theirPath = "k8s.io/client-go/tools/cache"
)

// notProvided are the exported names of client-go's package that this one does
// not have, as the package comment says.
const notProvided = `
	Config DeltaFIFO DeltaFIFOOptions ExpirationCache ExpirationPolicy FIFO
	FakeCustomStore FakeExpirationPolicy Heap Indices InformerOptions LessFunc
	MetricsProvider MutationCache MutationCacheOptions New
	NewCacheMutationDetector NewDeltaFIFO NewDeltaFIFOWithOptions
	NewExpirationStore NewFIFO NewFakeExpirationStore NewHeap
	NewIndexerInformer NewInformer NewInformerWithOptions
	NewIntegerResourceVersionMutationCache
	NewIntegerResourceVersionMutationCacheWithOptions NewNamedReflector
	NewNamespaceKeyedIndexerAndReflector NewRealFIFO NewRealFIFOWithOptions
	NewReflector NewReflectorWithOptions NewRetryWithDeadline NewTTLStore
	NewThreadSafeStore NewTransformingIndexerInformer NewTransformingInformer
	NewUndeltaStore RealFIFO RealFIFOOptions ReflectorOptions
	ResourceVersionComparator RetryWithDeadline SetReflectorMetricsProvider
	TTLPolicy ThreadSafeStoreOption TimestampedEntry UndeltaStore
	WithStoreMetrics WithThreadSafeStoreMetrics`

// additions are the names that client-go's package does not have.
const additions = `AdapterOptions Core Typed TypedIndexerOf TypedObject Untyped UntypedIndexer`

// otherTypes are the names with another type than client-go's, and what makes
// it. NewStore and NewIndexer, which take it, have the same words.
const otherTypes = `StoreOption WithTransformer`

// Whatever this package shares with client-go's has the same type.
func TestAPIIsClientGos(t *testing.T) {
	ours, theirs := exported(t, path), exported(t, theirPath)

	missing, added, other := []string{}, []string{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		switch {
		case ours[name] == "":
			missing = append(missing, name)
		case ours[name] != theirs[name]:
			other = append(other, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if theirs[name] == "" {
			added = append(added, name)
		}
	}
	for what, c := range map[string]struct {
		want string
		got  []string
	}{"not provided": {notProvided, missing}, "additions": {additions, added}, "of another type": {otherTypes, other}} {
		want := strings.Fields(c.want)
		slices.Sort(want)
		if diff := cmp.Diff(want, c.got); diff != "" {
			t.Errorf("names %s (-want +got):\n%s", what, diff)
		}
	}
}

// exported returns the types of a package's exported names, with aliases
// resolved.
func exported(t *testing.T, path string) map[string]string {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedName | packages.NeedImports | packages.NeedExportFile}, path)
	if err != nil || len(loaded) != 1 || len(loaded[0].Errors) > 0 {
		t.Fatalf("loading %s: %v, %v", path, err, loaded)
	}
	scope := loaded[0].Types.Scope()
	all := map[string]string{}
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			all[name] = describe(obj)
		}
	}
	return all
}

// describe says the same of two objects if they are of the same type.
func describe(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.TypeName:
		if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
			return "type " + typeName(named.Origin().Obj().Type())
		}
		return "type " + typeName(types.Unalias(obj.Type()))
	case *types.Func:
		sig := obj.Signature()
		what := "func"
		for p := range sig.TypeParams().TypeParams() {
			what += " " + typeName(p.Constraint())
		}
		return what + tuple(sig.Params()) + tuple(sig.Results())
	default:
		return typeName(obj.Type())
	}
}

// tuple leaves out the names of parameters.
func tuple(t *types.Tuple) string {
	var all []string
	for v := range t.Variables() {
		all = append(all, typeName(v.Type()))
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// typeName names an alias in this package as what it stands for.
func typeName(t types.Type) string {
	return strings.NewReplacer("interface{}", "any", path+".", theirPath+".").Replace(types.Unalias(t).String())
}
