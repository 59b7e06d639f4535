package multigroup_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
	meshv1alpha1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/mesh-policy/v1alpha1"
	networkingv1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/networking/v1"
	networkingv1beta1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/networking/v1beta1"
	storagev1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/storage/v1"
	"github.com/informer-gen/informer-gen/testdata/multigroup/generated/informers"
	networkinginformers "github.com/informer-gen/informer-gen/testdata/multigroup/generated/informers/networking/v1"
	v1beta1informers "github.com/informer-gen/informer-gen/testdata/multigroup/generated/informers/networking/v1beta1"
)

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// multigroupServer has one or two objects of each resource.
func multigroupServer() (*rest.Config, *cachetest.API[*networkingv1.Gateway]) {
	server := cachetest.NewServer()
	networking := schema.GroupVersion{Group: "networking.example.org", Version: "v1"}
	beta := schema.GroupVersion{Group: "networking.example.org", Version: "v1beta1"}
	mesh := schema.GroupVersion{Group: "networking.mesh.example.org", Version: "v1alpha1"}
	storage := schema.GroupVersion{Group: "storage.example.org", Version: "v1"}
	gateways := cachetest.NewAPI(&networkingv1.Gateway{ObjectMeta: named("a", "one")}, &networkingv1.Gateway{ObjectMeta: named("b", "two")})
	cachetest.Serve(server, networking.WithResource("gateways"), "Gateway", gateways)
	cachetest.Serve(server, networking.WithResource("gatewayclasses"), "GatewayClass", cachetest.NewAPI(&networkingv1.GatewayClass{ObjectMeta: named("", "class")}))
	cachetest.Serve(server, beta.WithResource("gateways"), "Gateway", cachetest.NewAPI(&networkingv1beta1.Gateway{ObjectMeta: named("a", "beta")}))
	cachetest.Serve(server, beta.WithResource("endpointses"), "Endpoints", cachetest.NewAPI(&networkingv1beta1.Endpoints{ObjectMeta: named("a", "endpoints")}))
	cachetest.Serve(server, mesh.WithResource("interfaces"), "Interface", cachetest.NewAPI(&meshv1alpha1.Interface{ObjectMeta: named("a", "interface")}))
	cachetest.Serve(server, storage.WithResource("diskclaims"), "Claim", cachetest.NewAPI(&storagev1.Claim{ObjectMeta: named("a", "claim")}))
	volume := &storagev1.Volume{}
	volume.Name = "volume"
	cachetest.Serve(server, storage.WithResource("volumes"), "Volume", cachetest.NewAPI(volume))
	return &rest.Config{Host: "http://in-memory", Transport: server}, gateways
}

// bubble runs a test with a factory's life in it: no goroutine may be left.
func bubble(t *testing.T, test func(t *testing.T, ctx context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		test(t, ctx)
	})
}

func newClient(t *testing.T, config *rest.Config) *source.Client {
	t.Helper()
	client, err := source.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func keysOf(t *testing.T, list []runtime.Object) []string {
	t.Helper()
	var keys []string
	for _, obj := range list {
		key, err := cache.MetaNamespaceKeyFunc(obj)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Every resource is reached by its GroupVersionResource, over REST.
func TestForResource(t *testing.T) {
	bubble(t, func(t *testing.T, ctx context.Context) {
		config, _ := multigroupServer()
		f := informers.NewSharedInformerFactory(newClient(t, config), 0)
		ctx, stop := context.WithCancel(ctx)
		defer f.Shutdown()
		defer stop()
		listers := map[string]cache.GenericLister{}
		for _, name := range []string{
			"gateways.v1.networking.example.org", "gatewayclasses.v1.networking.example.org",
			"gateways.v1beta1.networking.example.org", "endpointses.v1beta1.networking.example.org",
			"interfaces.v1alpha1.networking.mesh.example.org", "diskclaims.v1.storage.example.org", "volumes.v1.storage.example.org",
		} {
			resource, _ := schema.ParseResourceArg(name)
			generic, err := f.ForResource(*resource)
			if err != nil {
				t.Fatal(err)
			}
			listers[name] = generic.Lister()
		}
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for name, lister := range listers {
			list, err := lister.List(labels.Everything())
			if err != nil {
				t.Fatal(err)
			}
			got[name] = fmt.Sprint(keysOf(t, list))
		}
		want := map[string]string{
			"gateways.v1.networking.example.org":              "[a/one b/two]",
			"gatewayclasses.v1.networking.example.org":        "[class]",
			"gateways.v1beta1.networking.example.org":         "[a/beta]",
			"endpointses.v1beta1.networking.example.org":      "[a/endpoints]",
			"interfaces.v1alpha1.networking.mesh.example.org": "[a/interface]",
			"diskclaims.v1.storage.example.org":               "[a/claim]",
			"volumes.v1.storage.example.org":                  "[volume]",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in the listers (-want +got):\n%s", diff)
		}
		if _, err := f.ForResource(schema.GroupVersionResource{Resource: "nothing"}); err == nil {
			t.Error("an informer for an unknown resource")
		}
	})
}

// A factory of one namespace, with typed handlers and the typed core below.
func TestTyped(t *testing.T) {
	bubble(t, func(t *testing.T, ctx context.Context) {
		config, api := multigroupServer()
		f := informers.NewSharedInformerFactoryWithOptions(newClient(t, config), 0, informers.WithNamespace("b"))
		ctx, stop := context.WithCancel(ctx)
		defer f.Shutdown()
		defer stop()
		gateways := f.Networking().V1().Gateways()
		classes := f.Networking().V1().GatewayClasses()
		if gateways.Informer() != f.Networking().V1().Gateways().TypedInformer() {
			t.Error("two informers of one type")
		}

		informer, ok := clientgocache.Core[*networkingv1.Gateway](gateways.Informer())
		if !ok {
			t.Fatal("no typed informer below")
		}
		recorder := &cachetest.Recorder[*networkingv1.Gateway]{}
		if _, err := informer.AddHandler(recorder, core.HandlerOptions{}); err != nil {
			t.Fatal(err)
		}
		var deleted []string
		if _, err := gateways.TypedInformer().AddTypedEventHandler(networkinginformers.GatewayHandlerFuncs{
			DeleteFunc: func(gone networkinginformers.DeletedGateway) { deleted = append(deleted, gone.GetKey()) },
		}); err != nil {
			t.Fatal(err)
		}
		classes.Informer() // asking for it adds it to the factory
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := api.Create(&networkingv1.Gateway{ObjectMeta: named("b", "three")}); err != nil {
			t.Fatal(err)
		}
		if _, err := api.Delete(types.NamespacedName{Namespace: "b", Name: "two"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, err := gateways.Lister().Gateways("b").Get("three"); err != nil || got.Name != "three" {
			t.Errorf("Get: %v, %v", got, err)
		}
		if all, err := gateways.Lister().List(labels.Everything()); err != nil || len(all) != 1 {
			t.Errorf("List: %v, %v", all, err)
		}
		if class, err := classes.Lister().Get("class"); err != nil || class.Name != "class" {
			t.Errorf("cluster-scoped Get: %v, %v", class, err)
		}
		if err := recorder.Err(); err != nil || len(recorder.View()) != 1 {
			t.Errorf("recorder: %v, %v", recorder.View(), err)
		}
		if !slices.Equal(deleted, []string{"b/two"}) {
			t.Errorf("deleted: %v", deleted)
		}
	})
}

// What can't be got by name has an informer without a lister, which a foreign
// informer can stand for as well.
func TestInformerOnly(t *testing.T) {
	config, _ := multigroupServer()
	f := informers.NewSharedInformerFactory(newClient(t, config), 0)
	endpoints := f.Networking().V1beta1().Endpointses()
	if v1beta1informers.ToTypedEndpointsInformer(endpoints) != endpoints {
		t.Error("a typed informer was wrapped")
	}
	typed := v1beta1informers.ToTypedEndpointsInformer(untypedEndpoints{endpoints.Informer()})
	if err := typed.TypedInformer().GetStore().Add(&networkingv1beta1.Endpoints{ObjectMeta: named("a", "one")}); err != nil {
		t.Fatal(err)
	}
	found, err := endpoints.TypedInformer().GetTypedIndexer().ByTypedIndex(cache.NamespaceIndex, "a")
	if err != nil || len(found) != 1 || typed.Informer() != endpoints.Informer() {
		t.Errorf("found %v, %v", found, err)
	}
}

type untypedEndpoints struct{ informer cache.SharedIndexInformer }

func (a untypedEndpoints) Informer() cache.SharedIndexInformer { return a.informer }
