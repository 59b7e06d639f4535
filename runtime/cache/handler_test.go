package cache_test

import (
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// A handler without a name is named after the place where it was added.
func TestHandlerName(t *testing.T) {
	informer := cache.New(cachetest.NewAPI[*thing]().Source(), cache.Options[*thing]{})
	add := func(_ *cache.Registration, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var adder interface {
		AddHandler(cache.Handler[*thing], cache.HandlerOptions) (*cache.Registration, error)
	} = running{Informer: informer}
	funcs := cache.HandlerFuncs[*thing]{}
//line orders/main.go:1
	add(informer.AddHandler(funcs, cache.HandlerOptions{}))
	add(informer.AddHandler(&funcs, cache.HandlerOptions{}))
	add(informer.AddHandlerContext(t.Context(), cache.InBatches(func([]cache.Event[*thing]) {}), cache.HandlerOptions{}))
	add(adder.AddHandler(&gated{}, cache.HandlerOptions{}))
	add(informer.AddHandler(funcs, cache.HandlerOptions{Name: "mine"}))
	var got []string
	for _, handler := range informer.Status().Handlers {
		got = append(got, handler.Name)
	}
	expect(t, "names", []string{
		"orders/main.go:1",
		"orders/main.go:2",
		"orders/main.go:3",
		"*cache_test.gated at orders/main.go:4",
		"mine",
	}, got)
}
