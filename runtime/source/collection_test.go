package source

import "testing"

func TestCollectionIn(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/pods":                                  "v1",
		"/api/v1/namespaces/shop/pods":                  "v1",
		"/api/v1/namespaces":                            "v1",
		"/apis/example.com/v1/widgets":                  "example.com/v1",
		"/apis/example.com/v1/namespaces/shop/widgets/": "example.com/v1",
		"/k8s/clusters/c-1/api/v1/pods":                 "v1",
		"/api/clusters/c-1/apis/apps/v1/deployments":    "apps/v1",
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
		gv, ok := collectionIn(path)
		if ok != (want != "") || gv.String() != want {
			t.Errorf("%q: %v %v, want %q", path, gv, ok, want)
		}
	}
}
