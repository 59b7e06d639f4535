package factory_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	orderlisters "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/listers/shop/v1alpha1"
)

// errWorked is the error with which the work of the README's program ends.
var errWorked = errors.New("worked")

// work is the function that the README's program leaves to its reader.
func work(_ context.Context, queue workqueue.TypedInterface[cache.ObjectName], lister orderlisters.OrderLister, existing int) error {
	name, _ := queue.Get()
	if _, err := lister.Orders(name.Namespace).Get(name.Name); err != nil || existing != 1 {
		return err
	}
	return errWorked
}

// The program of the README, readme_example_test.go, returns, whatever goes wrong, and says what.
func TestReadmeExample(t *testing.T) {
	resource := schema.GroupVersionResource{Group: "shop.example.com", Version: "v1alpha1", Resource: "orders"}
	order := func() *v1alpha1.Order {
		order := &v1alpha1.Order{}
		order.Namespace, order.Name = "default", "first"
		return order
	}
	for _, test := range []struct {
		name   string
		config rest.Config
		fault  *cachetest.Fault
		want   string
	}{
		{name: "all is well", want: errWorked.Error()},
		{name: "a config that can't be", config: rest.Config{Host: "cachetest", TLSClientConfig: rest.TLSClientConfig{CAFile: "missing"}}, want: "rest config"},
		{name: "no permission", fault: &cachetest.Fault{Times: -1, Err: cachetest.Status(403)}, want: "RBAC must grant list and watch"},
		{name: "no such resource", fault: &cachetest.Fault{Times: -1, Err: cachetest.Status(404)}, want: "is its CRD installed?"},
		{name: "a server that is down", fault: &cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused}, want: "connection refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(order())
				server := cachetest.NewServer()
				cachetest.Serve(server, resource, "Order", api)
				config := test.config
				if config.Host == "" {
					config = rest.Config{Host: "http://cachetest", Transport: server}
				}
				if test.fault != nil {
					api.Fail(*test.fault)
				}
				// The context of the caller lives on after the function has returned.
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				queue := workqueue.NewTyped[cache.ObjectName]()
				defer queue.ShutDown()
				err := followOrders(ctx, &config, queue)
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			})
		})
	}
}

// Shutdown ends what Start started, also if the context lives on, and is called again.
func TestShutdownStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := source.NewClient(&rest.Config{Host: "http://cachetest", Transport: cachetest.NewServer()})
		if err != nil {
			t.Fatal(err)
		}
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Shop().V1alpha1().Orders().Informer()
		factory.StartWithContext(context.Background())
		synctest.Wait()
		factory.Shutdown()
		if !informer.IsStopped() {
			t.Error("runs after Shutdown")
		}
		factory.Shutdown()
	})
}
