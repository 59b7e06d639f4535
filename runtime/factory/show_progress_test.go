package factory_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source/sourcetest"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

// The total is that of the server, if it sends one with its pages.
func TestShowProgressOfAFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := cachetest.NewServer()
		var orders []*v1alpha1.Order
		for i := range 50 {
			orders = append(orders, &v1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint(i)}})
		}
		api := cachetest.ServeObjects(server, v1alpha1.GroupVersion.WithResource("orders"), orders...)
		api.SetWatchCache(false) // which answers with one page
		api.Fail(cachetest.Fault{Verb: cachetest.List, Page: 2, Delay: 6 * time.Second})
		f := informers.NewSharedInformerFactoryWithOptions(sourcetest.NewClient(t, server), 0,
			factory.WithListWatchOptions(factory.ListWatchOptions{PageSize: 20, DisableWatchList: true}))
		f.Shop().V1alpha1().Orders().Informer()
		f.StartWithContext(t.Context())
		defer f.Shutdown()
		var log bytes.Buffer
		ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log))))
		if err := factory.ShowProgress(ctx, io.Discard, f, f.WaitForSync); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`"Waiting for informers" synced=0 informers=1 objects=20 expectedObjects=50 waitingFor=["orders.v1alpha1.shop.example.com listing"] elapsed="5s"`,
			`"Informers are in sync" synced=1 informers=1 objects=50 elapsed="6s"`,
		} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("lacks %s:\n%s", want, &log)
			}
		}
	})
}
