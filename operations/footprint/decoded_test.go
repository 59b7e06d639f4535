package footprint_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/operations/footprint"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	slim "github.com/informer-gen/informer-gen/testdata/slim/api"
)

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// server serves pods of deployments, a hundred each, whose pods have a good deal in common.
func server() *rest.Config {
	var objects []*v1.Pod
	for i := range n {
		pod := pod(i / 100)
		pod.Namespace, pod.Name = "default", fmt.Sprint("pod-", i)
		pod.Labels["pod-index"] = fmt.Sprint(i)
		pod.Spec.Containers[0].Image = fmt.Sprintf("registry.example.com/deployment-%d:1.2.3", i/100)
		pod.Status = v1.PodStatus{Phase: v1.PodRunning, PodIP: fmt.Sprint("10.0.0.", i), HostIP: fmt.Sprint("192.168.0.", i%50)}
		objects = append(objects, pod)
	}
	server := cachetest.NewServer()
	cachetest.Serve(server, podsResource, "Pod", cachetest.NewAPI(objects...))
	return &rest.Config{Transport: server, QPS: -1}
}

// list returns what a client has decoded.
func list[T runtime.Object](t *testing.T, client *source.Client) (all []T) {
	t.Helper()
	_, err := source.New[T](client, podsResource, "").List(t.Context(), metav1.ListOptions{}, func(item any, err error) {
		obj, _ := item.(T)
		if err != nil {
			t.Error(err)
		}
		all = append(all, obj)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The estimate is within a fifth of what the heap holds, also for objects that are decoded by
// a client, with and without parts in common.
func TestDecoded(t *testing.T) {
	cfg := server()
	for name, disabled := range map[string]bool{"shared": false, "unshared": true} {
		client, err := source.NewClientWithOptions(cfg, source.ClientOptions{DisableSharing: disabled})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name+"/typed", func(t *testing.T) { compareDecoded[*v1.Pod](t, client, !disabled) })
		t.Run(name+"/unstructured", func(t *testing.T) { compareDecoded[*unstructured.Unstructured](t, client, !disabled) })
		t.Run(name+"/slim", func(t *testing.T) { compareDecoded[*slim.Pod](t, client, !disabled) })
	}
}

func compareDecoded[T runtime.Object](t *testing.T, client *source.Client, shared bool) {
	list[T](t, client) // what a client keeps for itself is there from now on
	var report footprint.Report
	compare(t, func() []T { return list[T](t, client) }, &report)
	if shared != (report.Shared > report.Bytes/2) {
		t.Errorf("%d bytes, and %d more if nothing were shared", report.Bytes, report.Shared)
	}
}
