package controller_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// The first block of docs/controllers.md is the program of this package, but for its
// package and where its API is, and the others are from an example.
func TestDocs(t *testing.T) {
	program := strings.NewReplacer(
		"package controller_test", "package main",
		"github.com/informer-gen/informer-gen/testdata/minimal/generated", "example.com/shop/pkg/generated",
		"github.com/informer-gen/informer-gen/testdata/kubebuilder", "example.com/shop",
	).Replace(read(t, "docs_program_test.go"))
	examples := read(t, "example_test.go")
	for i, rest := range strings.Split(read(t, "../../docs/controllers.md"), "```go\n")[1:] {
		block, _, _ := strings.Cut(rest, "```\n")
		if i == 0 {
			if diff := cmp.Diff(program, block); diff != "" {
				t.Errorf("docs/controllers.md (-program +page):\n%s", diff)
			}
		} else if !strings.Contains(examples, strings.TrimSpace(block)) {
			t.Errorf("docs/controllers.md: example_test.go does not have\n%s", block)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDocsProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		orders, shipments := cachetest.NewAPI(newOrder("first")), cachetest.NewAPI[*v1alpha1.Shipment]()
		server := cachetest.NewServer()
		cachetest.Serve(server, v1alpha1.GroupVersion.WithResource("orders"), "Order", orders)
		cachetest.Serve(server, v1alpha1.GroupVersion.WithResource("shipments"), "Shipment", shipments)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- shipOrders(ctx, &rest.Config{Host: "http://cachetest", Transport: server.RoundTripper()})
		}()

		key := types.NamespacedName{Namespace: "default", Name: "first"}
		time.Sleep(time.Minute)
		shipment, err := shipments.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		shipment.Status.Delivered = true
		if _, err := shipments.Update(shipment); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if order, err := orders.Get(key); err != nil || order.Status.Phase != v1alpha1.OrderShipped {
			t.Errorf("order %+v, %v", order, err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
