package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/tools/cache"
)

func TestFactsAreKnownAndPassedOn(t *testing.T) {
	over := overEvents[*corev1.Pod](nil)
	narrowed := func(src Source[*corev1.Pod]) Source[*corev1.Pod] { return Tweak(src, func(*metav1.ListOptions) {}) }
	onlyLists := FromListerWatcher[*corev1.Pod](clientgo.ToListWatcherWithWatchListSemantics(&clientgo.ListWatch{}, noWatchList{}), nil)
	for _, c := range []struct {
		name string
		src  Source[*corev1.Pod]
		want facts
	}{
		{"REST", New[*corev1.Pod](nil, pods, "shop"), facts{ordered: true, resource: pods, namespace: "shop"}},
		{"REST, all namespaces, tweaked", narrowed(New[*corev1.Pod](nil, pods, "")), facts{ordered: true, resource: pods}},
		{"clientset", over, facts{}},
		{"clientset with a target", WithTarget(over, pods, "shop"), facts{resource: pods, namespace: "shop"}},
		{"clientset with a target, tweaked", narrowed(WithTarget(over, pods, "shop")), facts{resource: pods, namespace: "shop"}},
		{"ListerWatcher without watch-lists", onlyLists, facts{noWatchList: true}},
		{"ListerWatcher without watch-lists, tweaked, with a target", WithTarget(narrowed(onlyLists), pods, ""), facts{noWatchList: true, resource: pods}},
	} {
		got := factsOf(c.src)
		got.served = nil // which can't be compared
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(facts{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
