package cachetest_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// TestClientGoInChaos: client-go's informers get over random faults too, but
// for connections that are silent for ever.
func TestClientGoInChaos(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := cachetest.NewServer()
				things := metav1.SchemeGroupVersion.WithResource("things")
				api := cachetest.ServeObjects(server, things, named("thing1", ""), named("thing3", ""))
				api.FailRandomly(cachetest.Chaos{Seed: seed, If: func(_ cachetest.Request, f cachetest.Fault) bool { return !f.Hang }})
				client := metadata.NewForConfigOrDie(&rest.Config{Transport: server, QPS: -1})
				informer := metadatainformer.NewFilteredMetadataInformer(client, things, "", 0, nil, nil).Informer()
				// Its own handler waits by a clock that a bubble has not.
				if err := informer.SetWatchErrorHandlerWithContext(func(context.Context, *toolscache.Reflector, error) {}); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ran := make(chan struct{})
				go func() { defer close(ran); informer.RunWithContext(ctx) }()
				defer func() { cancel(); <-ran }()
				for i := range 200 {
					write(t, api, fmt.Sprint("thing", i%7), i)
					time.Sleep(3 * time.Second)
				}
				api.ClearFaults()
				time.Sleep(time.Hour)
				want, stored := map[string]string{}, map[string]string{}
				for _, obj := range api.Objects() {
					want[obj.Name] = obj.ResourceVersion
				}
				for _, obj := range informer.GetStore().List() {
					stored[obj.(object).Name] = obj.(object).ResourceVersion
				}
				if diff := cmp.Diff(want, stored); diff != "" {
					t.Errorf("store (-API +store):\n%s", diff)
				}
			})
		})
	}
}
