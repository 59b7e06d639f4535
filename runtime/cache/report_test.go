package cache

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// targetedSource is a source of a resource in a namespace.
type targetedSource struct {
	Source[*thing]
	resource  schema.GroupVersionResource
	namespace string
}

func (s targetedSource) Target() (schema.GroupVersionResource, string) {
	return s.resource, s.namespace
}

func TestTargetOfASource(t *testing.T) {
	orders := schema.GroupVersionResource{Group: "shop.test", Version: "v1", Resource: "orders"}
	for _, c := range []struct {
		source Source[*thing]
		want   string
	}{
		{nil, "of the options"},
		{targetedSource{}, "of the options"},
		{targetedSource{resource: orders}, "orders.shop.test (version v1) in all namespaces"},
		{targetedSource{resource: orders, namespace: "a"}, `orders.shop.test (version v1) in namespace "a"`},
	} {
		r := &reflector[*thing]{source: c.source, options: &Options[*thing]{Name: "of the options"}}
		if got := r.target(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.source, got, c.want)
		}
	}
}
