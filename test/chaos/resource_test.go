package chaos

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// object has the methods that every API type has.
type object interface {
	metav1.Object
	runtime.Object
}

func keyOf(obj metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// versionOf is the resourceVersion, which is a number in a cluster.
func versionOf(obj metav1.Object) uint64 { return number(obj.GetResourceVersion()) }

func number(resourceVersion string) uint64 {
	n, _ := strconv.ParseUint(resourceVersion, 10, 64)
	return n
}

// resource is one that the API server serves.
type resource struct {
	schema.GroupVersionResource
	kind       string
	namespaced bool
	definition string // the file that defines it
	// content returns a valid object beside its metadata; n varies it.
	content func(n int) map[string]any
}

var (
	shopDefinitions   = filepath.FromSlash("../../testdata/kubebuilder/config/crd/bases/shop.example.com_")
	sampleDefinitions = filepath.FromSlash("../e2e/testdata/crds/samplecontroller.example.com_")

	shopVersion   = schema.GroupVersion{Group: "shop.example.com", Version: "v1alpha1"}
	sampleVersion = schema.GroupVersion{Group: "samplecontroller.example.com", Version: "v1alpha1"}

	orders = resource{shopVersion.WithResource("orders"), "Order", true, shopDefinitions + "orders.yaml", func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{
			"customer": "somebody", "items": []any{map[string]any{"sku": "book", "quantity": int64(n + 1)}},
		}}
	}}
	shipments = resource{shopVersion.WithResource("shipments"), "Shipment", true, shopDefinitions + "shipments.yaml", func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{"order": "some", "carrier": fmt.Sprint("carrier", n)}}
	}}
	warehouses = resource{shopVersion.WithResource("warehouses"), "Warehouse", false, shopDefinitions + "warehouses.yaml", func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{"location": "north", "capacity": int64(n)}}
	}}
	foos = resource{sampleVersion.WithResource("foos"), "Foo", true, sampleDefinitions + "foos.yaml", func(n int) map[string]any {
		return map[string]any{"spec": map[string]any{"deploymentName": "web", "replicas": int64(n)}}
	}}

	resources = []resource{orders, shipments, warehouses, foos}
)

// client returns the client of one namespace, or of the cluster.
func (r resource) client(c dynamic.Interface, namespace string) dynamic.ResourceInterface {
	if !r.namespaced {
		return c.Resource(r.GroupVersionResource)
	}
	return c.Resource(r.GroupVersionResource).Namespace(namespace)
}

// object is the state n of an object.
func (r resource) object(namespace, name string, n int) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: r.content(n)}
	obj.SetAPIVersion(r.GroupVersion().String())
	obj.SetKind(r.kind)
	if r.namespaced {
		obj.SetNamespace(namespace)
	}
	obj.SetName(name)
	obj.SetLabels(map[string]string{shardLabel: strconv.Itoa(n % 7)})
	obj.SetAnnotations(map[string]string{stateAnnotation: strconv.Itoa(n), payloadAnnotation: payload(name, n)})
	return obj
}

const (
	// shardLabel is the label that indexes follow.
	shardLabel = "chaos/shard"
	// stateAnnotation and payloadAnnotation make a mixture of two objects, or of
	// two states of one, show.
	stateAnnotation   = "chaos/state"
	payloadAnnotation = "chaos/payload"
)

// payload is a few bytes to a few kilobytes.
func payload(name string, n int) string {
	return strings.Repeat(fmt.Sprintf("%s at %d, ", name, n), 1+n%200)
}

// genuine reports whether a test wrote that object.
func genuine(obj metav1.Object) bool {
	n, err := strconv.Atoi(obj.GetAnnotations()[stateAnnotation])
	return err == nil && obj.GetLabels()[shardLabel] == strconv.Itoa(n%7) &&
		obj.GetAnnotations()[payloadAnnotation] == payload(obj.GetName(), n)
}
