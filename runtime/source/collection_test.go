package source

import (
	"strings"
	"testing"
)

func TestCollectionIn(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/pods":                                  "v1 pods",
		"/api/v1/namespaces/shop/pods":                  "v1 pods in shop",
		"/api/v1/namespaces":                            "v1 namespaces",
		"/apis/example.com/v1/widgets":                  "example.com/v1 widgets",
		"/apis/example.com/v1/namespaces/shop/widgets/": "example.com/v1 widgets in shop",
		"/k8s/clusters/c-1/api/v1/pods":                 "v1 pods",
		"/api/clusters/c-1/apis/apps/v1/deployments":    "apps/v1 deployments",
		"/api/proxy/apis/example.com/v1/widgets":        "example.com/v1 widgets",
		"/api/v1/namespaces/shop":                       "",
		"/api/v1/namespaces/shop/pods/a":                "",
		"/api/v1/namespaces/shop/pods/a/log":            "",
		"/api/v1/nodes/a":                               "",
		"/api/v1/watch/pods":                            "",
		"/api":                                          "",
		"/apis":                                         "",
		"/apis/example.com/v1":                          "",
		"/version":                                      "",
		"":                                              "",
	} {
		c, ok := collectionIn(path)
		got := strings.TrimPrefix(strings.TrimSpace(c.Group+"/"+c.Version+" "+c.Resource), "/")
		if c.Namespace != "" {
			got += " in " + c.Namespace
		}
		if ok != (want != "") || got != want {
			t.Errorf("%q: %v %v, want %q", path, got, ok, want)
		}
	}
}
