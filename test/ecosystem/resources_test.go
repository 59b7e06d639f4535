package ecosystem

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"

	"github.com/informer-gen/informer-gen/runtime/clientgo/dynamicinformer"
	"github.com/informer-gen/informer-gen/runtime/clientgo/metadatainformer"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// resourceFactory has the methods that the dynamic and the metadata factory share.
type resourceFactory interface {
	ForResource(schema.GroupVersionResource) informers.GenericInformer
	StartWithContext(context.Context)
	WaitForSyncOrStuck(context.Context) error
	Release(schema.GroupVersionResource) <-chan struct{}
	Shutdown()
}

// An informer of a resource whose definition comes late says that it waits for it, and syncs when it is
// there. The informer is released when the definition goes. When it is asked for again, the definition is
// back, and the informer starts from nothing.
func TestDefinitionComesAndGoes(t *testing.T) {
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	metadataClient, err := metadata.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	sourceClient, err := source.NewClient(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	for name, factory := range map[string]resourceFactory{
		"dynamic":         dynamicinformer.New(client, dynamicinformer.Options{}),
		"metadata":        metadatainformer.New(metadataClient, metadatainformer.Options{}),
		"source-dynamic":  dynamicinformer.NewForClient(sourceClient, dynamicinformer.Options{}),
		"source-metadata": metadatainformer.NewForClient(sourceClient, metadatainformer.Options{}),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer factory.Shutdown()
			defer stop()
			crd := definition(name)
			resource := schema.GroupVersionResource{Group: crd.Spec.Group, Version: "v1", Resource: crd.Spec.Names.Plural}
			things := client.Resource(resource).Namespace("default")

			first := factory.ForResource(resource)
			factory.StartWithContext(ctx)
			eventually(t, func(ctx context.Context) error {
				ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
				defer cancel()
				if err := factory.WaitForSyncOrStuck(ctx); err == nil || !strings.Contains(err.Error(), "could not find the requested resource") {
					return fmt.Errorf("got %v, want that the resource is not found", err)
				}
				return nil
			})
			if err := server.CreateCRDs(t.Context(), crd); err != nil {
				t.Fatal(err)
			}
			if err := factory.WaitForSyncOrStuck(ctx); err != nil {
				t.Fatal(err)
			}
			create(t, things, "before")
			wantListed(t, first, "before")

			deleteDefinition(t, client, crd.Name)
			<-factory.Release(resource)
			if err := server.CreateCRDs(t.Context(), crd); err != nil {
				t.Fatal(err)
			}
			defer deleteDefinition(t, client, crd.Name)
			second := factory.ForResource(resource)
			factory.StartWithContext(ctx)
			if err := factory.WaitForSyncOrStuck(ctx); err != nil {
				t.Fatal(err)
			}
			create(t, things, "after")
			wantListed(t, second, "after")
			if !first.Informer().IsStopped() {
				t.Error("the released informer runs")
			}
		})
	}
}

// definition defines a resource of any content.
func definition(singular string) *apiextensionsv1.CustomResourceDefinition {
	kind := strings.ToUpper(singular[:1]) + singular[1:]
	preserve := true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: singular + "s.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: singular + "s", Singular: singular, Kind: kind, ListKind: kind + "List"},
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

// deleteDefinition deletes a definition and its objects.
func deleteDefinition(t *testing.T, client dynamic.Interface, name string) {
	t.Helper()
	definitions := client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
	if err := definitions.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		_, err := definitions.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("definition is still there: %w", err)
	})
}

// create creates a thing of the kind that the resource has.
func create(t *testing.T, things dynamic.ResourceInterface, name string) {
	t.Helper()
	list, err := things.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	thing := &unstructured.Unstructured{}
	thing.SetAPIVersion(list.GetAPIVersion())
	thing.SetKind(strings.TrimSuffix(list.GetKind(), "List"))
	thing.SetName(name)
	if _, err := things.Create(t.Context(), thing, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// wantListed waits until a lister has one object, of that name.
func wantListed(t *testing.T, informer informers.GenericInformer, want string) {
	t.Helper()
	eventually(t, func(context.Context) error {
		var names []string
		for _, obj := range informer.Informer().GetStore().List() {
			accessor, err := meta.Accessor(obj)
			if err != nil {
				return err
			}
			names = append(names, accessor.GetName())
		}
		if _, err := informer.Lister().ByNamespace("default").Get(want); err != nil || len(names) != 1 {
			return fmt.Errorf("listed %v, want %s: %w", names, want, err)
		}
		return nil
	})
}
