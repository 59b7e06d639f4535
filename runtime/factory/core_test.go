package factory_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	. "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/generated"
)

// The informers of a resource have its indexes, also an informer of a source. An invalid index is left out.
func TestIndexesOfAResource(t *testing.T) {
	byNode := listers.Index[*v1.Pod]{Name: "byNode", Value: func(pod *v1.Pod) string { return pod.Spec.NodeName }}
	byImage := listers.Index[*v1.Pod]{Name: "byImage", Values: func(pod *v1.Pod) (images []string) {
		for _, container := range pod.Spec.Containers {
			images = append(images, container.Image)
		}
		return images
	}}
	resource := podResource
	resource.Indexes = listers.Untyped(byNode, byImage, listers.Index[*v1.Pod]{Name: "invalid"})
	informer := generated.ToTyped[*v1.Pod](NewInformer(resource, cachetest.NewAPI[*v1.Pod]().Source().Objects, InformerOptions{}))

	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1.PodSpec{NodeName: "n1", Containers: []v1.Container{{Image: "web:1"}, {Image: "log:1"}}}}
	if err := informer.GetIndexer().Add(pod); err != nil {
		t.Fatal(err)
	}
	if got := len(informer.GetIndexer().GetIndexers()); got != 2 {
		t.Errorf("%d indexes, want 2", got)
	}
	store := Core(informer).Store()
	for value, index := range map[string]listers.Index[*v1.Pod]{"n1": byNode, "web:1": byImage, "log:1": byImage} {
		if found, err := CoreIndex(index).Find(store, value); err != nil || len(found) != 1 || found[0] != pod {
			t.Errorf("%s by %s: %v, %v", value, index.Name, found, err)
		}
	}
}
