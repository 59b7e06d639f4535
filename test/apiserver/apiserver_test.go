package apiserver

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var thingResource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}

// A server serves what a definition defines, closes the initial events of a
// watch-list with a bookmark, answers 410 after a compaction when nothing else
// remembers the history, and leaves nothing behind. All of it works twice in
// one process.
func TestServer(t *testing.T) {
	for _, options := range []Options{{}, {DisableWatchCache: true}} {
		t.Run(fmt.Sprintf("DisableWatchCache=%v", options.DisableWatchCache), func(t *testing.T) {
			began := time.Now()
			server, err := Start(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			defer server.Stop()
			t.Logf("Kubernetes %s started in %v", server.Version(), time.Since(began).Round(time.Millisecond))
			if err := server.CreateCRDs(t.Context(), things()); err != nil {
				t.Fatal(err)
			}
			t.Logf("resource served after %v", time.Since(began).Round(time.Millisecond))

			client, err := dynamic.NewForConfig(server.Config())
			if err != nil {
				t.Fatal(err)
			}
			resource := client.Resource(thingResource).Namespace("default")
			first := create(t, resource, "first")
			create(t, resource, "second")
			create(t, resource, "third")
			if server.WatchList() {
				wantWatchList(t, resource, 3)
			}

			if err := server.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			if options.DisableWatchCache {
				wantGone(t, resource, first.GetResourceVersion())
			}

			began = time.Now()
			server.Stop()
			t.Logf("stopped in %v", time.Since(began).Round(time.Millisecond))
			if _, err := os.Stat(server.dir); !os.IsNotExist(err) {
				t.Errorf("directory %s: got %v, want that it is gone", server.dir, err)
			}
		})
	}
}

// Only the holder of the token may use the API.
func TestServerNeedsToken(t *testing.T) {
	server, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	client, err := dynamic.NewForConfig(rest.AnonymousClientConfig(server.Config()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")).List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsUnauthorized(err) && !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want unauthorized or forbidden", err)
	}
}

// A context that has ended stops the start and leaves nothing behind.
func TestStartCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if server, err := Start(ctx, Options{}); err == nil {
		server.Stop()
		t.Error("got a server, want an error")
	}
}

// A program that does not serve is an error that has its name and what it says.
func TestProgramFails(t *testing.T) {
	t.Setenv(Program, "false")
	server, err := Start(t.Context(), Options{})
	if err == nil {
		server.Stop()
	}
	if want := "API server: false: no address: EOF\n"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func things() *apiextensionsv1.CustomResourceDefinition {
	preserve := true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: thingResource.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &preserve,
				}},
			}},
		},
	}
}

func create(t *testing.T, resource dynamic.ResourceInterface, name string) *unstructured.Unstructured {
	t.Helper()
	thing := &unstructured.Unstructured{}
	thing.SetAPIVersion("example.com/v1")
	thing.SetKind("Thing")
	thing.SetName(name)
	thing, err := resource.Create(t.Context(), thing, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return thing
}

// wantWatchList opens a watch-list and wants so many objects and then the
// bookmark that closes them.
func wantWatchList(t *testing.T, resource dynamic.ResourceInterface, want int) {
	t.Helper()
	sendInitialEvents := true
	w, err := resource.Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents:    &sendInitialEvents,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	got := 0
	for event := range w.ResultChan() {
		switch event.Type {
		case watch.Added:
			got++
			continue
		case watch.Bookmark:
			bookmark := event.Object.(*unstructured.Unstructured)
			if bookmark.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
				continue
			}
		default:
			t.Errorf("got %s %v, want objects and a bookmark", event.Type, event.Object)
		}
		break
	}
	if got != want {
		t.Errorf("got %d objects before the bookmark, want %d", got, want)
	}
}

// wantGone watches from a resourceVersion and wants 410, as the answer or as
// the first event.
func wantGone(t *testing.T, resource dynamic.ResourceInterface, resourceVersion string) {
	t.Helper()
	w, err := resource.Watch(t.Context(), metav1.ListOptions{ResourceVersion: resourceVersion})
	if err == nil {
		defer w.Stop()
		event := <-w.ResultChan()
		err = apierrors.FromObject(event.Object)
	}
	if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		t.Errorf("watch from %s: got %v, want 410", resourceVersion, err)
	}
}
