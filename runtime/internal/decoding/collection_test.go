package decoding

import "testing"

func TestNamesOfCollections(t *testing.T) {
	for want, c := range map[string]Collection{
		"pods.v1":                    {Version: "v1", Resource: "pods"},
		"deployments.apps":           {Group: "apps", Resource: "deployments"},
		"pods.v1/blue":               {Version: "v1", Resource: "pods", Namespace: "blue"},
		"orders.v1.example.com":      {Group: "example.com", Version: "v1", Resource: "orders"},
		"orders.v1.example.com/blue": {Group: "example.com", Version: "v1", Resource: "orders", Namespace: "blue"},
	} {
		if got := c.String(); got != want {
			t.Errorf("%+v: got %q, want %q", c, got, want)
		}
	}
}
