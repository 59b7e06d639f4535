package cache

import (
	"testing"
)

// A list is of a resource only if its path ends there, behind whatever a proxy puts before.
func TestNamesOfPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/pods":                 "pods.v1",
		"/api/v1/namespaces":           "namespaces.v1",
		"/api/v1/namespaces/blue/pods": "pods.v1/blue",
		"/apis/example.com/v1/orders":  "orders.v1.example.com",
		"/k8s/clusters/one/apis/example.com/v1/namespaces/blue/orders":  "orders.v1.example.com/blue",
		"/api/proxy/apis/example.com/v1/orders":                         "orders.v1.example.com",
		"/api/v1/namespaces/blue/pods/first":                            "",
		"/apis/example.com/v1":                                          "",
		"/version":                                                      "",
		"/apis/example.com/v1/namespaces/blue/orders/first/status":      "",
		"/apis/example.com/v1/namespaces/blue/orders/first/status/more": "",
	} {
		if got := nameOfPath(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
