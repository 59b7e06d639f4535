package cache

import (
	"testing"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

func TestNamesOfCollections(t *testing.T) {
	for want, c := range map[string]decoding.Collection{
		"pods.v1":                    {Version: "v1", Resource: "pods"},
		"deployments.apps":           {Group: "apps", Resource: "deployments"},
		"pods.v1/blue":               {Version: "v1", Resource: "pods", Namespace: "blue"},
		"orders.v1.example.com":      {Group: "example.com", Version: "v1", Resource: "orders"},
		"orders.v1.example.com/blue": {Group: "example.com", Version: "v1", Resource: "orders", Namespace: "blue"},
	} {
		if got := nameOf(c); got != want {
			t.Errorf("%+v: got %q, want %q", c, got, want)
		}
	}
}
