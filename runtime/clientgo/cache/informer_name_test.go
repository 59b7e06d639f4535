package cache

import (
	"context"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
)

func TestInformerName(t *testing.T) {
	widget := schema.GroupVersionKind{Group: "apps.example.com", Version: "v1alpha1", Kind: "Widget"}
	unstructuredWidget := &unstructured.Unstructured{}
	unstructuredWidget.SetGroupVersionKind(widget)
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(widget)
	var noName *toolscache.InformerName
	pods := noName.WithResource(v1.SchemeGroupVersion.WithResource("pods"))
	widgets := noName.WithResource(widget.GroupVersion().WithResource("widgets"))
	for name, test := range map[string]struct {
		example     runtime.Object
		description string
		identifier  InformerNameAndResource
		want        string
	}{
		"description":              {unstructuredWidget, "my widgets", widgets, "my widgets"},
		"resource":                 {unstructuredWidget, "", widgets, "widgets.v1alpha1.apps.example.com"},
		"resource of the core":     {&v1.Pod{}, "", pods, "pods.v1"},
		"unstructured":             {unstructuredWidget, "", InformerNameAndResource{}, "Widget.v1alpha1.apps.example.com"},
		"metadata":                 {metadata, "", InformerNameAndResource{}, "Widget.v1alpha1.apps.example.com"},
		"typed with its kind":      {&v1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}, "", InformerNameAndResource{}, "Pod.v1"},
		"typed":                    {&v1.Pod{}, "", InformerNameAndResource{}, "k8s.io/api/core/v1.Pod"},
		"unstructured of any kind": {&unstructured.Unstructured{}, "", InformerNameAndResource{}, "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.Unstructured"},
		"nil pointer":              {(*v1.Pod)(nil), "", InformerNameAndResource{}, "k8s.io/api/core/v1.Pod"},
		"no example":               {nil, "", InformerNameAndResource{}, "objects of any type"},
	} {
		t.Run(name, func(t *testing.T) {
			informer := NewSharedIndexInformerWithOptions(&ListWatch{}, test.example, SharedIndexInformerOptions{
				ObjectDescription: test.description,
				Identifier:        test.identifier,
			})
			if status, ok := StatusOf(informer); !ok || status.Name != test.want {
				t.Errorf("shared: status of %q, want %q", status.Name, test.want)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := informer.(interface{ WaitForSync(context.Context) error }).WaitForSync(ctx)
			if err == nil || !strings.Contains(err.Error(), `informer "`+test.want+`"`) {
				t.Errorf("WaitForSync: %v", err)
			}
			if test.description != "" {
				return
			}
			unshared := newUnshared(InformerOptions{ListerWatcher: &ListWatch{}, ObjectType: test.example, Identifier: test.identifier})
			if status, ok := StatusOf(unshared.informer); !ok || status.Name != test.want {
				t.Errorf("not shared: status of %q, want %q", status.Name, test.want)
			}
		})
	}
}

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
