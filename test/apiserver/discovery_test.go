package apiserver

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

// A client that knows no more than the server's address finds the resources of definitions.
func TestDiscovery(t *testing.T) {
	server, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	if err := server.CreateCRDs(t.Context(), things()); err != nil {
		t.Fatal(err)
	}
	client, err := discovery.NewDiscoveryClientForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[schema.GroupKind]string{
		{Group: "example.com", Kind: "Thing"}:                             "things",
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: "customresourcedefinitions",
	} {
		// The controllers of the server that answer for a version are not those that serve it.
		err := poll(t.Context(), func() (bool, error) {
			groups, err := restmapper.GetAPIGroupResources(client)
			if err != nil {
				return false, err
			}
			mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(kind, "v1")
			return err == nil && mapping.Resource.Resource == want, nil
		})
		if err != nil {
			t.Errorf("%v: %v", kind, err)
		}
	}
}
