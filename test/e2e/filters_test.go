package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
)

// Informers of one type with other selectors and namespaces each have what the server lists
// for them, also when the namespaces change.
func TestFilters(t *testing.T) {
	cfg, writer := playground(t, orders)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	create := func(namespace, name, state string) {
		t.Helper()
		obj := orders.object(namespace, name, 1)
		obj.SetLabels(map[string]string{"state": state})
		if _, err := orders.client(writer, namespace).Create(ctx, obj, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create("filters-a", "1", "waiting")
	create("filters-a", "2", "done")
	create("filters-b", "1", "waiting")
	create("filters-c", "1", "waiting")

	namespaces := source.NewNamespaces("filters-a", "filters-b")
	type options = factory.TypeOptions[*shopv1alpha1.Order]
	f := informers.NewSharedInformerFactoryWithOptions(newClient(t, cfg), 0,
		factory.ForType(options{Namespaces: namespaces}),
		factory.ForType(options{Name: "waiting", LabelSelector: labels.SelectorFromSet(labels.Set{"state": "waiting"})}),
		factory.ForType(options{Name: "first", FieldSelector: fields.OneTermEqualSelector("metadata.name", "1"), Namespaces: namespaces}))
	defer f.Shutdown()
	some, waiting, first := f.Shop().V1alpha1().Orders().Informer(),
		f.Named("waiting").Shop().V1alpha1().Orders().Informer(), f.Named("first").Shop().V1alpha1().Orders().Informer()
	f.StartWithContext(ctx)
	if err := f.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	has := func(what string, informer cache.SharedIndexInformer, want ...string) {
		t.Helper()
		eventually(t, func() error {
			keys := informer.GetStore().ListKeys()
			slices.Sort(keys)
			if !slices.Equal(keys, want) {
				return fmt.Errorf("%s: got %q, want %q", what, keys, want)
			}
			return nil
		})
	}
	has("two namespaces", some, "filters-a/1", "filters-a/2", "filters-b/1")
	has("a label", waiting, "filters-a/1", "filters-b/1", "filters-c/1")
	has("a field in two namespaces", first, "filters-a/1", "filters-b/1")

	namespaces.Set("filters-b", "filters-c")
	create("filters-c", "2", "done")
	create("filters-a", "3", "waiting")
	has("other namespaces", some, "filters-b/1", "filters-c/1", "filters-c/2")
	has("a label, later", waiting, "filters-a/1", "filters-a/3", "filters-b/1", "filters-c/1")
	has("a field in other namespaces", first, "filters-b/1", "filters-c/1")
}
