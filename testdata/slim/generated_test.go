// Package slim_test lists and watches full objects into slim types, over HTTP.
package slim_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/slim/api"
	"github.com/informer-gen/informer-gen/testdata/slim/generated/informers"
)

// fullPod is a pod as a server has it.
func fullPod(name string) *corev1.Pod {
	seconds, started := int64(30), metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	env := make([]corev1.EnvVar, 10)
	for i := range env {
		env[i] = corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", i), Value: "value for " + name}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Labels: map[string]string{"app": "shop"}},
		Spec: corev1.PodSpec{
			NodeName: "node-1", NodeSelector: map[string]string{"disk": "ssd"}, ServiceAccountName: "shop", RestartPolicy: "Always", TerminationGracePeriodSeconds: &seconds,
			Containers: []corev1.Container{{
				Name: "server", Image: "registry.example.com/server:1", Args: []string{"--listen=:8080"}, Env: env,
				Ports:        []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}},
				Resources:    corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}},
				VolumeMounts: []corev1.VolumeMount{{Name: "key", MountPath: "/etc/" + name}},
			}},
			Volumes:     []corev1.Volume{{Name: "key", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "key"}}}},
			Tolerations: []corev1.Toleration{{Key: "spot", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}},
		},
		Status: corev1.PodStatus{
			Phase: "Running", StartTime: &started, PodIP: "10.0.0.1", PodIPs: []corev1.PodIP{{IP: "10.0.0.1"}},
			Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True", LastTransitionTime: started, Message: "about " + name}},
		},
	}
}

// slimmed returns what a slim type should hold of an object, by way of its JSON.
func slimmed[T any](t testing.TB, full any) *T {
	t.Helper()
	text, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	slim := new(T)
	if err := json.Unmarshal(text, slim); err != nil {
		t.Fatal(err)
	}
	return slim
}

// connect returns a connection to a server of full pods and orders.
func connect(t testing.TB, pods *cachetest.API[*corev1.Pod], orders *cachetest.API[*v1alpha1.Order]) *source.Client {
	t.Helper()
	server := cachetest.NewServer()
	cachetest.Serve(server, corev1.SchemeGroupVersion.WithResource("pods"), "Pod", pods)
	cachetest.Serve(server, v1alpha1.GroupVersion.WithResource("orders"), "Order", orders)
	client, err := source.NewClient(&rest.Config{Host: "http://in-memory", Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Lists and watches of full pods give slim ones.
func TestListAndWatchIntoSlimPods(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pods := cachetest.NewAPI(fullPod("one"), fullPod("two"))
		factory := informers.NewSharedInformerFactory(connect(t, pods, cachetest.NewAPI[*v1alpha1.Order]()), 0)
		defer factory.Shutdown()
		lister := factory.Core().V1().Pods().Lister()
		factory.StartWithContext(t.Context())
		if err := factory.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		check := func(names ...string) {
			t.Helper()
			synctest.Wait()
			all, err := lister.List(labels.Everything())
			if err != nil || len(all) != len(names) {
				t.Errorf("listed %d, %v; want %v", len(all), err, names)
			}
			for _, name := range names {
				want, err := pods.Get(types.NamespacedName{Namespace: "team", Name: name})
				if err != nil {
					t.Fatal(err)
				}
				got, err := lister.Pods("team").Get(name)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(slimmed[api.Pod](t, want), got); diff != "" || got.Spec.NodeName != "node-1" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		}
		check("one", "two")
		if found, err := lister.Pods("team").ByNodeName("node-1"); err != nil || len(found) != 2 {
			t.Errorf("by node: %v, %v", found, err)
		}

		moved := fullPod("two")
		moved.Status.Phase = corev1.PodFailed
		if _, err := pods.Update(moved); err != nil {
			t.Fatal(err)
		}
		if _, err := pods.Create(fullPod("three")); err != nil {
			t.Fatal(err)
		}
		if _, err := pods.Delete(types.NamespacedName{Namespace: "team", Name: "one"}); err != nil {
			t.Fatal(err)
		}
		check("two", "three")
	})
}

// A slim type may be called otherwise than the kind, and have fields that a transform sets.
func TestSlimTypeOfAnotherName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		order := &v1alpha1.Order{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "first"},
			Spec:       v1alpha1.OrderSpec{Customer: "somebody", Warehouse: "north", Items: []v1alpha1.OrderItem{{SKU: "book", Quantity: 2}, {SKU: "pen", Quantity: 3}}},
		}
		orders := cachetest.NewAPI(order)
		total := func(obj any) (any, error) {
			if summary, ok := obj.(*api.OrderSummary); ok {
				for _, item := range summary.Spec.Items {
					summary.Total += item.Quantity
				}
			}
			return obj, nil
		}
		client := connect(t, cachetest.NewAPI[*corev1.Pod](), orders)
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(total))
		defer factory.Shutdown()
		lister := factory.Shop().V1alpha1().Orders().Lister().Orders("team")
		factory.StartWithContext(t.Context())
		if err := factory.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int64{5, 9} {
			synctest.Wait()
			got, err := lister.Get("first")
			if err != nil || got.Total != want || got.Spec.Customer != "somebody" {
				t.Errorf("got %+v, %v; want a total of %d", got, err, want)
			}
			order = order.DeepCopy()
			order.Spec.Items[0].Quantity = 6
			if _, err := orders.Update(order); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A deep copy equals the object, and shares no memory with it that could be written to.
func TestDeepCopiesShareNothing(t *testing.T) {
	t.Parallel()
	pod := slimmed[api.Pod](t, fullPod("one"))
	order := slimmed[api.OrderSummary](t, &v1alpha1.Order{Spec: v1alpha1.OrderSpec{Items: []v1alpha1.OrderItem{{SKU: "book"}}}})
	for _, obj := range []apiruntime.Object{pod, order} {
		copied := obj.DeepCopyObject()
		if diff := cmp.Diff(obj, copied); diff != "" {
			t.Errorf("%T (-original +copy):\n%s", obj, diff)
		}
		seen := map[uintptr]string{}
		walk(reflect.ValueOf(obj), fmt.Sprintf("%T", obj), func(at uintptr, path string) { seen[at] = path })
		if len(seen) < 2 {
			t.Errorf("%T: nothing to share", obj)
		}
		walk(reflect.ValueOf(copied), "copy", func(at uintptr, path string) {
			if original := seen[at]; original != "" {
				t.Errorf("%s is shared with %s", path, original)
			}
		})
	}
	if (*api.Pod)(nil).DeepCopy() != nil || (*api.Pod)(nil).DeepCopyObject() != nil {
		t.Error("a copy of nil")
	}
}

// walk calls f for the memory of each pointer, map and slice of a value.
func walk(v reflect.Value, path string, f func(at uintptr, path string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*time.Location]() { // which nobody writes to
			f(v.Pointer(), path)
			walk(v.Elem(), path, f)
		}
	case reflect.Map:
		if !v.IsNil() {
			f(v.Pointer(), path)
		}
		for entries := v.MapRange(); entries.Next(); {
			walk(entries.Value(), path+"."+fmt.Sprint(entries.Key()), f)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			f(v.Pointer(), path)
		}
		for i := range v.Len() {
			walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	}
}

// leanPod has the node and the phase of a pod alone, and its metadata.
type leanPod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase corev1.PodPhase `json:"phase"`
	} `json:"status"`
}

func (in *leanPod) DeepCopyObject() apiruntime.Object { out := *in; return &out }

// BenchmarkHeap measures the heap of 10,000 pods that a source has listed: of those of
// k8s.io/api, of slim ones, and of those with a node and a phase.
func BenchmarkHeap(b *testing.B) {
	const count = 10_000
	all := make([]*corev1.Pod, count)
	for i := range all {
		all[i] = fullPod(fmt.Sprintf("pod-%05d", i))
	}
	client := connect(b, cachetest.NewAPI(all...), cachetest.NewAPI[*v1alpha1.Order]())
	b.Run("full", func(b *testing.B) { benchmarkHeap[corev1.Pod](b, client, count) })
	b.Run("slim", func(b *testing.B) { benchmarkHeap[api.Pod](b, client, count) })
	b.Run("lean", func(b *testing.B) { benchmarkHeap[leanPod](b, client, count) })
}

func benchmarkHeap[T any, P interface {
	*T
	apiruntime.Object
}](b *testing.B, client *source.Client, count int) {
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	heap := 0.0
	for b.Loop() {
		list := make([]P, 0, count)
		before := heapInUse()
		_, err := source.New[P](client, pods, "").List(b.Context(), metav1.ListOptions{}, func(pod any, err error) {
			if err != nil {
				b.Error(err)
			}
			list = append(list, pod.(P))
		})
		if err != nil || len(list) != count {
			b.Fatalf("listed %d: %v", len(list), err)
		}
		heap += heapInUse() - before
		runtime.KeepAlive(list)
	}
	b.ReportMetric(heap/float64(b.N)/float64(count), "B/pod")
}

// heapInUse is the size of all objects that are reachable.
func heapInUse() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
