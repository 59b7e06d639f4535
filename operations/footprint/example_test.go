//go:build !386 && !arm && !mips && !mipsle

package footprint_test // the sizes are those of pointers of 8 bytes

import (
	"context"
	"fmt"
	"log"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/operations/footprint"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

func ExampleOf() {
	type object struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	tags := []string{"red", "green"} // of both
	report := footprint.Of(slices.Values([]*object{{"first", tags}, {"second", tags}}))
	fmt.Println(report)
	fmt.Println("shared:", report.Shared)
	// Output:
	// 2 objects, 144 B: . 80 B, .tags 48 B, .name 16 B
	// shared: 48
}

// How much memory the objects of an informer take, and which of their fields the most.
func Example_informer() {
	server := cachetest.NewServer()
	order := &shopv1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}}
	cachetest.ServeObjects(server, shopv1alpha1.GroupVersion.WithResource("orders"), order)
	client, err := source.NewClient(&rest.Config{Transport: server, QPS: -1})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	orders, _ := clientgocache.Core[*shopv1alpha1.Order](factory.Shop().V1alpha1().Orders().Informer())
	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}

	report := footprint.Of(orders.Store().All())
	fmt.Println(report.Objects, "objects, most of them in", report.Fields[0].Path)
	// Output: 1 objects, most of them in .
}
