package main

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/listers"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	ourlisters "github.com/informer-gen/informer-gen/runtime/clientgo/listers"
)

// stores are a store of each runtime, with the same things and two indexes.
type stores struct {
	size         int
	theirs, ours clientGoAPI
	// typed is the store behind our clientGoAPI.
	typed typedStore
}

type typedStore = cache.WritableStore[*thing]

// clientGoAPI is the interface through which users of client-go read a store.
type clientGoAPI struct {
	indexer toolscache.Indexer
	lister  lister
	// in are the listers of the first namespaces.
	in []lister
}

// lister is the type that a generated lister embeds.
type lister interface {
	List(selector labels.Selector) ([]*thing, error)
	Get(name string) (*thing, error)
}

// filled are the stores that were asked for last: stores of a million things take a while to make.
var filled stores

// storesOf returns stores of n things, which nobody may change.
func storesOf(b *testing.B, n int) *stores {
	b.Helper()
	if filled.size == n {
		return &filled
	}
	filled = stores{} // so that its memory is free
	theirs, typed := theirStore(2), ourStore(b, 2)
	check(b, theirs.Replace(untyped(things(n)), "1"))
	check(b, typed.Replace(things(n), "1"))

	filled = stores{size: n, typed: typed}
	filled.theirs = newClientGoAPI(theirs, listers.New[*thing], listers.NewNamespaced[*thing])
	filled.ours = newClientGoAPI(clientgocache.UntypedIndexer(typed), ourlisters.New[*thing], ourlisters.NewNamespaced[*thing])
	return &filled
}

func newClientGoAPI[L lister](
	indexer toolscache.Indexer,
	newLister func(toolscache.Indexer, schema.GroupResource) L, namespaced func(L, string) L,
) clientGoAPI {
	all := newLister(indexer, thingResource.GroupResource())
	f := clientGoAPI{indexer: indexer, lister: all}
	for group := range namespaceSizes {
		f.in = append(f.in, namespaced(all, namespaceOf(group)))
	}
	return f
}

// theirStore returns an empty store with so many indexes: by namespace, by
// owner, and then others by owner.
func theirStore(indexes int) toolscache.Indexer {
	return toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, indexers(indexes))
}

func indexers(n int) toolscache.Indexers {
	all := toolscache.Indexers{}
	for i := range n {
		all[indexName(i)] = func(obj any) ([]string, error) { return []string{owner(obj.(*thing))}, nil }
	}
	if n > 0 {
		all[toolscache.NamespaceIndex] = toolscache.MetaNamespaceIndexFunc
	}
	return all
}

// ourStore returns the same on this runtime.
func ourStore(b *testing.B, indexes int) typedStore {
	b.Helper()
	store, err := cache.NewStore(func(t *thing) (types.NamespacedName, error) { return cache.KeyOf(t) }, typedIndexes(indexes)...)
	check(b, err)
	return store
}

func typedIndexes(n int) []cache.Index[*thing] {
	all := make([]cache.Index[*thing], n)
	for i := range all {
		all[i] = cache.Index[*thing]{Name: indexName(i), Value: owner}
	}
	if n > 0 {
		all[0] = cache.NamespaceIndex[*thing]()
	}
	return all
}

func owner(t *thing) string { return t.Owner }

// indexName returns the name of the i-th index.
func indexName(i int) string {
	if i == 0 {
		return toolscache.NamespaceIndex
	}
	return "owner-" + strconv.Itoa(i)
}
