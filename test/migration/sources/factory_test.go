package sources

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	metadatafake "k8s.io/client-go/metadata/fake"
)

func node(name string) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "web"}}}
}

func TestFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := pod("a", "other", "n2")
		other.Labels["app"] = "db"
		client := fake.NewClientset(node("n1"), node("n2"), pod("a", "one", "n1"), other)
		s, err := NewSpread(client)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if empty, err := s.Empty(); err != nil || !slices.Equal(empty, []string{"n2"}) {
			t.Errorf("empty nodes: %v, %v", empty, err)
		}
		if _, err := client.CoreV1().Pods("a").Create(ctx, pod("a", "two", "n2"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if empty, err := s.Empty(); err != nil || len(empty) > 0 {
			t.Errorf("empty nodes: %v, %v", empty, err)
		}
		if set, err := s.Labels("a", "two"); err != nil || set["app"] != "web" {
			t.Errorf("labels %v, %v", set, err)
		}
		if _, err := s.Labels("a", "three"); !apierrors.IsNotFound(err) || err.Error() != `pods "three" not found` {
			t.Errorf("got %v, want that it is not found", err)
		}
		if _, err := s.nodes.Get("n3"); !apierrors.IsNotFound(err) || err.Error() != `node "n3" not found` {
			t.Errorf("got %v, want that it is not found", err)
		}
		cancel()
		s.Stop()
		if !s.pods.IsStopped() {
			t.Error("an informer runs")
		}
	})
}

func TestDynamicAndMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		metadataScheme := metadatafake.NewTestScheme()
		if err := metav1.AddMetaToScheme(metadataScheme); err != nil {
			t.Fatal(err)
		}
		partial := &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"},
		}
		names, err := Names(ctx,
			dynamicfake.NewSimpleDynamicClient(scheme.Scheme, pod("a", "one", ""), pod("b", "one", "")),
			metadatafake.NewSimpleMetadataClient(metadataScheme, partial),
			v1.SchemeGroupVersion.WithResource("pods"))
		if err != nil || !slices.Equal(names, []string{"a/one", "a/one"}) {
			t.Errorf("listed %v, %v", names, err)
		}
		cancel()
		synctest.Wait()
	})
}
