package differential

import (
	"context"
	"fmt"
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/test/apiserver"
)

// server is the real one, which serves all tests of the package.
var server *apiserver.Server

// thing is a resource with a status subresource, and note one without.
var (
	thing = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}
	note  = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "notes"}
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx := context.Background()
	var err error
	if server, err = apiserver.Start(ctx, apiserver.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Stop()
	status := &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	if err := server.CreateCRDs(ctx, definition("thing", status), definition("note", nil)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// definition defines things that have the fields of Thing.
func definition(name string, subresources *apiextensionsv1.CustomResourceSubresources) *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	number := apiextensionsv1.JSONSchemaProps{Type: "integer"}
	list := apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &text}}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	root := object(map[string]apiextensionsv1.JSONSchemaProps{
		"spec":   object(map[string]apiextensionsv1.JSONSchemaProps{"size": number, "color": text, "tags": list}),
		"status": object(map[string]apiextensionsv1.JSONSchemaProps{"ready": number, "phase": text}),
	})
	kind := string(name[0]-'a'+'A') + name[1:]
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: name + "s.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: name + "s", Singular: name, Kind: kind, ListKind: kind + "List"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: subresources,
			}},
		},
	}
}
