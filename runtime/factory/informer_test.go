package factory_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	. "github.com/informer-gen/informer-gen/runtime/factory"
)

func TestResourceString(t *testing.T) {
	deployments := Resource{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}}
	for want, resource := range map[string]Resource{"pods.v1": podResource, "deployments.v1.apps": deployments} {
		if got := resource.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
