package injection_test

import (
	"context"
	"slices"
	"testing"

	"go.uber.org/zap/zaptest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"knative.dev/pkg/controller"
	"knative.dev/pkg/injection"
	"knative.dev/pkg/logging"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	"github.com/informer-gen/informer-gen/examples/templates/injection/pkg/generated/informers/injection/client"
	"github.com/informer-gen/informer-gen/examples/templates/injection/pkg/generated/informers/injection/factory"
	"github.com/informer-gen/informer-gen/examples/templates/injection/pkg/generated/informers/injection/shop/v1/order"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

func newOrder(namespace, name string) *shopv1.Order {
	return &shopv1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// start returns a context with informers that are in sync with a server of two orders.
func start(ctx context.Context, t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithCancel(logging.WithLogger(ctx, zaptest.NewLogger(t).Sugar()))
	server := cachetest.NewServer()
	cachetest.ServeObjects(server, shopv1.GroupVersion.WithResource("orders"), newOrder("blue", "first"), newOrder("green", "second"))
	ctx, informers := injection.Default.SetupInformers(ctx, &rest.Config{Transport: server, QPS: -1})
	wait, err := controller.RunInformers(ctx.Done(), informers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		wait()
	})
	return ctx
}

func TestInformer(t *testing.T) {
	ctx := start(t.Context(), t)
	orders := order.Get(ctx)
	if !orders.Informer().HasSynced() {
		t.Error("informer is not in sync")
	}
	if found, err := orders.Lister().Orders("blue").Get("first"); err != nil || found.Name != "first" {
		t.Errorf("lister: got %v, %v", found, err)
	}
	if status := factory.Get(ctx).Status(); len(status) != 1 {
		t.Errorf("factory has informers %v, want that of orders", status)
	}
	if client.Get(ctx) == nil {
		t.Error("no connection")
	}
}

// A context may be limited to a namespace.
func TestNamespace(t *testing.T) {
	ctx := start(injection.WithNamespaceScope(t.Context(), "green"), t)
	if keys := order.Get(ctx).Informer().GetStore().ListKeys(); !slices.Equal(keys, []string{"green/second"}) {
		t.Errorf("informer has %v, want the order of the namespace", keys)
	}
}

// Without informers in a context, Get says what is missing.
func TestMissing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Get does not panic")
		}
	}()
	order.Get(logging.WithLogger(t.Context(), zaptest.NewLogger(t).Sugar()))
}
