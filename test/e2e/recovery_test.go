package e2e

import (
	"context"
	"errors"
	"os"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericfeatures "k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/test/apiserver"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// An API server that does not know watch-lists is asked once, and then listed.
func TestServerWithoutWatchList(t *testing.T) {
	if os.Getenv(apiserver.Program) != "" && server.WatchList() {
		t.Skip("the server is in another process and has watch-lists")
	}
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, genericfeatures.WatchList, false)
	cfg, client := playground(t, shop.kinds...)
	w := workload{client: client, kinds: shop.kinds, prefix: "old", objects: 100, writers: 1}
	if err := w.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	line := newLine(t, cfg)
	factory, subjects := shop.subjects(t, cfg)
	for _, s := range subjects {
		s.join(t, "early")
		s.release()
	}
	startFactory(t, factory, subjects)
	if err := factory.WaitForSync(withPatience(t)); err != nil {
		t.Fatal(err)
	}
	if err := w.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		s.wantAgreement(t, client)
	}
	if watchLists, lists := line.count(isWatchList), line.count(isList); watchLists != len(shop.kinds) || lists != len(shop.kinds) {
		t.Errorf("got %d watch-lists and %d lists, want one of each for each informer", watchLists, lists)
	}
}

// An informer that is cut off while objects are created, updated and deleted,
// and whose resourceVersion etcd has forgotten when it is back, is answered
// 410 Gone. It starts over and tells its handlers what happened meanwhile; the
// last state of what was deleted is the one it knew.
func TestCompaction(t *testing.T) {
	for _, disableWatchList := range []bool{false, true} {
		t.Run(map[bool]string{false: "watch-list", true: "list"}[disableWatchList], func(t *testing.T) {
			testCompaction(t, disableWatchList)
		})
	}
}

func testCompaction(t *testing.T, disableWatchList bool) {
	// Without its own cache the API server remembers no more than etcd.
	server, err := apiserver.Start(t.Context(), apiserver.Options{DisableWatchCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	if err := server.InstallCRDs(t.Context(), crdFolders...); err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	k := orders
	objects := k.client(client, "shop")
	for i, name := range []string{"kept", "updated", "deleted", "replaced"} {
		if _, err := objects.Create(t.Context(), k.object("shop", name, i), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}

	cfg := server.Config()
	line := newLine(t, cfg)
	gone := make(chan error, 100)
	informer := cache.New(source.New[*shopv1alpha1.Order](newClient(t, cfg), k.gvr(), ""), cache.Options[*shopv1alpha1.Order]{
		DisableWatchList: disableWatchList,
		ListWatch: cache.ListWatch{OnFailure: func(_ context.Context, f cache.Failure) cache.Decision {
			if f.Class == failure.ClassExpired {
				gone <- f.Err
			}
			return cache.Decision{}
		}},
	})
	v := newView[*shopv1alpha1.Order]("orders", nil)
	if _, err := informer.AddHandler(v, cache.HandlerOptions{Name: v.name}); err != nil {
		t.Fatal(err)
	}
	stop := startInformer(t, informer)
	if err := line.waitWatches(withPatience(t), 1); err != nil {
		t.Fatal(err)
	}

	line.hold()
	updated, err := objects.Get(t.Context(), "updated", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	updated.Object["spec"] = k.content(7)["spec"]
	_, updateErr := objects.Update(t.Context(), updated, metav1.UpdateOptions{})
	createReplaced := func() error {
		_, err := objects.Create(t.Context(), k.object("shop", "replaced", 9), metav1.CreateOptions{})
		return err
	}
	if err := errors.Join(
		updateErr,
		objects.Delete(t.Context(), "deleted", metav1.DeleteOptions{}),
		objects.Delete(t.Context(), "replaced", metav1.DeleteOptions{}),
		createReplaced(),
		workload{client: client, kinds: []kind{k}, prefix: "shop"}.finish(t.Context()),
		server.Compact(t.Context()),
	); err != nil {
		t.Fatal(err)
	}
	line.release()

	wantClosed(t, "the last object", v.sawLast)
	want, err := list[*shopv1alpha1.Order](t.Context(), client, k)
	if err != nil {
		t.Fatal(err)
	}
	wantObjects(t, "the store", contents(informer.Store()), want)
	stop()
	wantObjects(t, v.name, v.objects, want)
	for _, fault := range v.faults {
		t.Error(fault)
	}
	if v.unknown == 0 {
		t.Error("no handler was told of a deletion without a final state: nothing was missed")
	}
	if len(gone) == 0 {
		t.Error("no watch failed with 410")
	}
	wantNoGoroutines(t)
}
