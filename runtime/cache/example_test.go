package cache_test

import (
	"context"
	"fmt"
	"log"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// An informer over an API server in memory: with a real one, the source comes
// from package source.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	api := cachetest.NewAPI(newThing("first"))
	informer := cache.New(api.Source(), cache.Options[*thing]{
		Indexes: []cache.Index[*thing]{cache.NamespaceIndex[*thing]()},
	})
	handler := cache.HandlerFuncs[*thing]{
		Add:    func(obj *thing, initial bool) { fmt.Println("add", obj.Name, initial) },
		Delete: func(last *thing, _ bool) { fmt.Println("delete", last.Name); stop() },
	}
	if _, err := informer.AddHandler(handler, cache.HandlerOptions{}); err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- informer.Run(ctx) }()
	if err := informer.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}
	first := types.NamespacedName{Namespace: "ns", Name: "first"}
	obj, ok := informer.Store().Get(first)
	fmt.Println(obj.Name, ok, len(informer.Store().ListNamespace("ns")))
	if _, err := api.Delete(first); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-ended)
	// Output:
	// add first true
	// first true 1
	// delete first
	// <nil>
}

// An index is declared once, and found by its variable.
func ExampleIndex_Find() {
	byInitial := cache.Index[*thing]{Name: "initial", Value: func(obj *thing) string { return obj.Name[:1] }}
	store, err := cache.NewStore(func(obj *thing) (types.NamespacedName, error) { return cache.KeyOf(obj) }, byInitial)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"apple", "pear", "apricot"} {
		if err := store.Set(newThing(name)); err != nil {
			log.Fatal(err)
		}
	}
	found, err := byInitial.Find(store.Store, "a")
	fmt.Println(len(found), err)
	unknown := cache.Index[*thing]{Name: "unknown"}
	_, err = unknown.Find(store.Store, "a")
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// index "unknown": not registered
}
