package source

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// What counts as discovery's own word that a resource is not served, and what does not.
func TestServed(t *testing.T) {
	widgets := schema.GroupVersionResource{Group: "shop.example.com", Version: "v1", Resource: "widgets"}
	const (
		group    = "/apis/shop.example.com/v1"
		html     = "<html><body>404 Not Found</body></html>"
		with     = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"shop.example.com/v1","resources":[{"name":"widgets"},{"name":"widgets/status"}]}`
		without  = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"shop.example.com/v1","resources":[{"name":"widgets/status"},{"name":"gadgets"}]}`
		another  = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"shop.example.com/v2","resources":[]}`
		groups   = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1"}]}]}`
		itself   = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"shop.example.com","versions":[{"groupVersion":"shop.example.com/v1"}]}]}`
		corePods = `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods"}]}`
	)
	for _, test := range []struct {
		name     string
		resource schema.GroupVersionResource
		// answers are the bodies of the answers with status 200, by path; the others are
		// 404s with a text.
		answers map[string]string
		served  bool
		err     string
	}{
		{name: "it is listed", resource: widgets, answers: map[string]string{group: with}, served: true},
		{name: "its group version is served without it", resource: widgets, answers: map[string]string{group: without}},
		{name: "its group version is not listed", resource: widgets, answers: map[string]string{"/apis": groups}},
		{name: "its group version is listed, and not found", resource: widgets, answers: map[string]string{"/apis": itself}, err: "shop.example.com/v1 is listed and not found"},
		{name: "nothing is found", resource: widgets, err: "could not find"},
		{name: "a proxy's page", resource: widgets, answers: map[string]string{group: html, "/apis": html}, err: "not one of discovery"},
		{name: "an empty object", resource: widgets, answers: map[string]string{group: "{}"}, err: `kind "" in place of "APIResourceList"`},
		{name: "an empty object in place of the groups", resource: widgets, answers: map[string]string{"/apis": "{}"}, err: `kind "" in place of "APIGroupList"`},
		{name: "the document of another group version", resource: widgets, answers: map[string]string{group: another}, err: `group version "shop.example.com/v2" in place of "shop.example.com/v1"`},
		{name: "a core resource", resource: pods, answers: map[string]string{"/api/v1": corePods}, served: true},
		{name: "no core resources", resource: pods, answers: map[string]string{"/api": `{"kind":"APIVersions","versions":["v2"]}`}},
		{name: "nothing under /api", resource: pods, err: "could not find"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				// Below a path, as behind a gateway.
				answer, ok := test.answers[strings.TrimPrefix(r.URL.Path, "/cluster-1")]
				if !ok {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(answer))
			}))
			defer server.Close()
			client, err := NewClient(&rest.Config{Host: server.URL + "/cluster-1"})
			if err != nil {
				t.Fatal(err)
			}
			served, err := client.Objects(nil, test.resource, "").Describe().Served(t.Context())
			if served != test.served || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %v, %v; want %v, %q", served, err, test.served, test.err)
			}
		})
	}
}
