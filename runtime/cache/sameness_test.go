package cache_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// kinded is a source whose lists have objects with their kind, and whose watches have them without: so do
// client-go's typed clients of custom resources.
type kinded struct{ cache.Objects }

func (k kinded) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return k.Objects.List(ctx, options, func(obj any, err error) {
		if obj, ok := obj.(*thing); ok {
			obj.TypeMeta = metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Thing"}
		}
		each(obj, err)
	})
}

// An object is the same whether it was listed or watched.
func TestRelistOfWatchedObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		r := start(t, cache.New(unordered(sourceOf(kinded{api.Source()})), cache.Options[*thing]{DisableWatchList: true}))
		recorder, _ := r.handle(cache.HandlerOptions{})
		settle()
		touch(t, api, "a")
		settle()
		for range 2 {
			api.BreakWatches(cachetest.Status(410))
			time.Sleep(time.Minute)
		}
		touch(t, api, "b")
		settle()
		expect(t, "events", []string{"add a 2 initial", "add b 3 initial", "update a 2 4", "update b 3 5"}, lines(recorder.Events()))
		if s := r.Status(); s.Relists != 2 {
			t.Errorf("%d relists", s.Relists)
		}
	})
}
