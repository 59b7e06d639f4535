package cachetest

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// TestDiscovery: client-go's client finds what is installed, and nothing else.
func TestDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := NewServer()
		carpAPI, pikeAPI, lakeAPI := NewAPI[*testv1.Carp](), NewAPI[*testv1.Carp](), NewAPI[*testv1.Carp]()
		Serve(server, carps, "Carp", carpAPI)
		Serve(server, schema.GroupVersionResource{Group: "pond.test", Version: "v1beta1", Resource: "carps"}, "Carp", carpAPI, ServeOptions{NoStatus: true})
		Serve(server, schema.GroupVersionResource{Version: "v1", Resource: "pikes"}, "Pike", pikeAPI)
		Serve(server, schema.GroupVersionResource{Group: "lake.test", Version: "v1", Resource: "lakes"}, "Lake", lakeAPI, ServeOptions{ClusterScoped: true})
		client := clientdiscovery.NewDiscoveryClientForConfigOrDie(&rest.Config{Host: "http://cachetest", Transport: server})

		found := func() map[string][]string {
			t.Helper()
			groups, lists, err := client.ServerGroupsAndResources()
			if err != nil {
				t.Fatal(err)
			}
			names := map[string][]string{}
			for _, group := range groups {
				names["groups"] = append(names["groups"], group.Name+"/"+group.PreferredVersion.Version)
			}
			for _, list := range lists {
				for _, resource := range list.APIResources {
					names[list.GroupVersion] = append(names[list.GroupVersion], resource.Name)
				}
			}
			return names
		}
		want := map[string][]string{
			"groups":            {"/v1", "lake.test/v1", "pond.test/v1"},
			"v1":                {"pikes", "pikes/status"},
			"lake.test/v1":      {"lakes", "lakes/status"},
			"pond.test/v1":      {"carps", "carps/status"},
			"pond.test/v1beta1": {"carps"},
		}
		if diff := cmp.Diff(want, found()); diff != "" {
			t.Errorf("all are installed (-want +got):\n%s", diff)
		}
		groups := must(restmapper.GetAPIGroupResources(client))(t)
		mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(schema.GroupKind{Group: "lake.test", Kind: "Lake"})
		if err != nil || mapping.Scope.Name() != "root" || mapping.Resource.Resource != "lakes" {
			t.Errorf("mapping of a lake is %v, %v", mapping, err)
		}

		carpAPI.Uninstall()
		pikeAPI.Uninstall()
		want = map[string][]string{"groups": {"lake.test/v1"}, "lake.test/v1": {"lakes", "lakes/status"}}
		if diff := cmp.Diff(want, found()); diff != "" {
			t.Errorf("one is installed (-want +got):\n%s", diff)
		}
		carpAPI.Install()
		if got := found()["pond.test/v1beta1"]; !cmp.Equal(got, []string{"carps"}) {
			t.Errorf("resources are %v after Install", got)
		}
	})
}

// TestDiscoveryDocuments: what is served at each path, and what is not.
func TestDiscoveryDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := served()
		check := func(method, path string, code int, want string) {
			t.Helper()
			got, body := do(t, client, method, "http://cachetest"+path, "")
			if got != code || body != want {
				t.Errorf("%s %s is %d %s\nwant %d %s", method, path, got, body, code, want)
			}
		}
		const notFound = "404 page not found\n"
		const version = `{"groupVersion":"pond.test/v1","version":"v1"}`
		const group = `"name":"pond.test","versions":[` + version + `],"preferredVersion":` + version + `}`
		check("GET", "/apis", http.StatusOK, `{"kind":"APIGroupList","apiVersion":"v1","groups":[{`+group+`]}`)
		check("GET", "/apis/pond.test", http.StatusOK, `{"kind":"APIGroup","apiVersion":"v1",`+group)
		_, body := do(t, client, "GET", carpsPath, "")
		if want := `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"pond.test/v1","resources":[{"name":"carps","singularName":"carp","namespaced":true,"kind":"Carp","verbs":[`; len(body) < len(want) || body[:len(want)] != want {
			t.Errorf("resources are %s", body)
		}
		for _, path := range []string{"/", "/version", "/api", "/api/v1", "/apis/pond.test/v2", "/apis/lake.test", "/apis/lake.test/v1"} {
			check("GET", path, http.StatusNotFound, notFound)
		}
		if code, _ := do(t, client, "POST", "http://cachetest/apis", "{}"); code != http.StatusMethodNotAllowed {
			t.Errorf("POST is %d", code)
		}
		api.Uninstall()
		check("GET", "/apis", http.StatusOK, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
		check("GET", "/apis/pond.test", http.StatusNotFound, notFound)
		check("GET", "/apis/pond.test/v1", http.StatusNotFound, notFound)
	})
}
