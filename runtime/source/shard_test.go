package source_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// allPods is the resource of the pods.
var allPods = corev1.SchemeGroupVersion.WithResource("pods")

// What belongs to other shards is dropped before it is decoded, in lists and watches: pods
// that can't be decoded are not even noticed.
func TestShardOverREST(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		half, err := shard.Of(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		mine := shard.New(shard.UID, half)
		pod := func(name string) *unstructured.Unstructured {
			uid := types.UID(fmt.Sprintf("4f6bd1b9-%s-4d4c", name))
			var nodeName any = "node"
			if !half.Contains(shard.Hash(string(uid))) {
				nodeName = int64(7)
			}
			return &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Pod",
				"metadata": map[string]any{"namespace": "ns", "name": name, "uid": string(uid)},
				"spec":     map[string]any{"nodeName": nodeName},
			}}
		}
		server := cachetest.NewServer()
		api := cachetest.ServeObjects(server, allPods, pod("0"), pod("1"), pod("2"), pod("3"))
		for _, watchList := range []bool{true, false} {
			client, err := source.NewClient(&rest.Config{Transport: server, QPS: -1})
			if err != nil {
				t.Fatal(err)
			}
			informer := cache.New(shard.Source(source.New[*corev1.Pod](client, allPods, ""), mine),
				cache.Options[*corev1.Pod]{DisableWatchList: !watchList})
			check := shardRun(t, informer, func() (want []string) {
				for _, obj := range api.Objects() {
					if mine.Has(obj) {
						want = append(want, obj.GetNamespace()+"/"+obj.GetName())
					}
				}
				return want
			})
			for i := range 20 {
				if _, err := api.Create(pod(fmt.Sprintf("%v-%d", watchList, i))); err != nil {
					t.Fatal(err)
				}
			}
			status := check()
			if status.ObjectErrors != 0 || mine.FilteredBy(allPods) != "client" {
				t.Errorf("%d object errors, the last %v; filtered by the %s", status.ObjectErrors, status.LastObjectError, mine.FilteredBy(allPods))
			}
			if status.ResourceVersion != api.ResourceVersion() {
				t.Errorf("informer is at %s, the API at %s: events of others count as well", status.ResourceVersion, api.ResourceVersion())
			}
		}
	})
}

// The same in protobuf, of a server that filters and one that does not.
func TestShardInProtobuf(t *testing.T) {
	for _, filters := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			second, err := shard.Of(1, 3)
			if err != nil {
				t.Fatal(err)
			}
			mine := shard.New(shard.Namespace, second)
			pod := func(i int) *corev1.Pod {
				return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("%d-namespace", i*7919), Name: "a", UID: types.UID(fmt.Sprint(i))}}
			}
			server := cachetest.NewServer()
			api := cachetest.ServeObjects[*corev1.Pod](server, allPods)
			api.FilterShards(filters)
			for i := range 60 {
				if _, err := api.Create(pod(i)); err != nil {
					t.Fatal(err)
				}
			}
			client, err := source.NewClient(&rest.Config{Transport: server, QPS: -1})
			if err != nil {
				t.Fatal(err)
			}
			informer := cache.New(shard.Source(source.New[*corev1.Pod](client, allPods, ""), mine), cache.Options[*corev1.Pod]{})
			check := shardRun(t, informer, func() (want []string) {
				for _, obj := range api.Objects() {
					if mine.Has(obj) {
						want = append(want, obj.Namespace+"/"+obj.Name)
					}
				}
				return want
			})
			for i := range 20 {
				if _, err := api.Create(pod(100 + i)); err != nil {
					t.Fatal(err)
				}
			}
			check()
			if by := mine.FilteredBy(allPods); by != map[bool]string{true: "server", false: "client"}[filters && hasShardSelector] {
				t.Errorf("filtered by %q", by)
			}
		})
	}
}

// shardRun runs an informer, and returns a function that compares it with what is wanted,
// which must be something and not all, and stops it.
func shardRun[T runtime.Object](t *testing.T, informer *cache.Informer[T], wanted func() []string) (check func() cache.Status) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- informer.Run(ctx) }()
	synctest.Wait()
	return func() cache.Status {
		t.Helper()
		synctest.Wait()
		want, got := wanted(), keysOf(informer.Store().Keys())
		slices.Sort(want)
		if !slices.Equal(got, want) || len(want) < 3 {
			t.Errorf("got %q, want %q", got, want)
		}
		status := informer.Status()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		return status
	}
}
