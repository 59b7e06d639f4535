package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

func TestDescriptionsArePassedOn(t *testing.T) {
	over := overEvents[*corev1.Pod](nil)
	narrowed := func(src cache.Source[*corev1.Pod]) cache.Source[*corev1.Pod] {
		return Tweak(src, func(options *metav1.ListOptions) { options.LabelSelector = "a" })
	}
	ofClient := ClientsetObjects[*corev1.Pod, *corev1.PodList](nil, pods, "shop", nil)
	onlyLists := FromListerWatcher[*corev1.Pod](struct {
		*toolscache.ListWatch
		noWatchList
	}{}, nil)
	selecting := metav1.ListOptions{LabelSelector: "a"}
	for _, c := range []struct {
		name string
		src  cache.Source[*corev1.Pod]
		want cache.SourceInfo
	}{
		{"REST", New[*corev1.Pod](nil, pods, "shop"), cache.SourceInfo{OrderedResourceVersions: true, Resource: pods, Namespace: "shop"}},
		{"REST, all namespaces, tweaked", narrowed(New[*corev1.Pod](nil, pods, "")), cache.SourceInfo{OrderedResourceVersions: true, Resource: pods, Selecting: selecting}},
		{"clientset", over, cache.SourceInfo{}},
		{"clientset, of a resource", cache.Source[*corev1.Pod]{Objects: ofClient}, cache.SourceInfo{Resource: pods, Namespace: "shop"}},
		{"clientset, of a resource, tweaked", narrowed(cache.Source[*corev1.Pod]{Objects: ofClient}), cache.SourceInfo{Resource: pods, Namespace: "shop", Selecting: selecting}},
		{"ListerWatcher without watch-lists", onlyLists, cache.SourceInfo{NoWatchList: true}},
		{"ListerWatcher without watch-lists, tweaked", narrowed(onlyLists), cache.SourceInfo{NoWatchList: true, Selecting: selecting}},
	} {
		got := c.src.Describe()
		got.Served, got.DecodedByClient, got.Type, got.Client = nil, nil, nil, nil // which can't be compared
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
