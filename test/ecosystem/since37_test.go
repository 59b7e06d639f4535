//go:build !before37

package ecosystem

import (
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// A client with EnableReadYourWritesConsistency reads what it has written.
func TestReadYourWrites(t *testing.T) {
	onEach(t, func(t *testing.T, cfg *rest.Config, newInformer newInformer, orders *cachetest.API[*shopv1alpha1.Order]) {
		objects, err := cache.New(cfg, cache.Options{Scheme: newScheme(t), NewInformer: newInformer})
		if err != nil {
			t.Fatal(err)
		}
		api, err := client.New(cfg, client.Options{Scheme: newScheme(t), Cache: &client.CacheOptions{
			Reader: objects, EnableReadYourWritesConsistency: new(true),
		}})
		if err != nil {
			t.Fatal(err)
		}
		start(t, objects.Start)
		key := client.ObjectKey{Namespace: "default", Name: "mine"}
		for i := range int32(20) {
			mine, got := order(key.Namespace, key.Name, "north", i), &shopv1alpha1.Order{}
			if err := api.Create(t.Context(), mine); err != nil {
				t.Fatal(err)
			}
			if err := api.Get(t.Context(), key, got); err != nil || got.Spec.Items[0].Quantity != i {
				t.Fatalf("after create %d: got %v, %v", i, got.Spec, err)
			}
			got.Spec.Customer = fmt.Sprint("customer ", i)
			if err := api.Update(t.Context(), got); err != nil {
				t.Fatal(err)
			}
			list := &shopv1alpha1.OrderList{}
			if err := api.List(t.Context(), list); err != nil || len(list.Items) != 4 {
				t.Fatalf("after update %d: got %d orders, %v", i, len(list.Items), err)
			}
			if found := slices.ContainsFunc(list.Items, func(o shopv1alpha1.Order) bool { return o.Spec.Customer == got.Spec.Customer }); !found {
				t.Fatalf("after update %d: it is not in the list", i)
			}
			if err := api.Delete(t.Context(), got); err != nil {
				t.Fatal(err)
			}
			if err := api.Get(t.Context(), key, got); !apierrors.IsNotFound(err) {
				t.Fatalf("after delete %d: got %v", i, err)
			}
		}
	})
}
