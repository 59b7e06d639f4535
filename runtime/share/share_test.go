package share_test

import (
	"fmt"
	"reflect"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/share"
)

func pod(i int) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", i), Labels: map[string]string{"app": "shop", "release": "a name that is long"}},
		Spec: v1.PodSpec{
			NodeName:    fmt.Sprint("node-", i),
			Containers:  []v1.Container{{Name: "main", Image: "example.com/shop:1.2.3", Args: []string{"--one", "--two"}}},
			Tolerations: []v1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists"}},
		},
	}
}

// shared transforms objects until two neighbours have in common what they should: parts that
// share a place in a table forget each other, and which do is random.
func shared[T runtime.Object](t *testing.T, transform func(any) (any, error), next func(i int) T, common func(a, b T) bool) {
	t.Helper()
	var last T
	for i := range 100 {
		obj, want := next(i), next(i)
		out, err := transform(obj)
		if err != nil || out != any(obj) || !reflect.DeepEqual(obj, want) {
			t.Fatalf("transformed: %v, %v, want %v", out, err, want)
		}
		if i > 0 && common(last, obj) {
			return
		}
		last = obj
	}
	t.Fatal("a hundred objects have nothing in common")
}

func TestTransform(t *testing.T) {
	shared(t, share.New().Transform, pod, func(a, b *v1.Pod) bool {
		return &a.Spec.Containers[0] == &b.Spec.Containers[0] && &a.Spec.Tolerations[0] == &b.Spec.Tolerations[0] &&
			reflect.ValueOf(a.Labels).Pointer() == reflect.ValueOf(b.Labels).Pointer()
	})
}

// The same without Go types: dynamic clients decode into maps.
func TestTransformUnstructured(t *testing.T) {
	next := func(i int) *unstructured.Unstructured {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod(i))
		if err != nil {
			t.Fatal(err)
		}
		return &unstructured.Unstructured{Object: content}
	}
	at := func(u *unstructured.Unstructured, path ...string) uintptr {
		value, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
		return reflect.ValueOf(value).Pointer()
	}
	shared(t, share.New().Transform, next, func(a, b *unstructured.Unstructured) bool {
		return at(a, "metadata", "labels") == at(b, "metadata", "labels") && at(a, "spec", "containers") == at(b, "spec", "containers")
	})
}

// What another transform returns is shared; its errors are its own.
func TestAfter(t *testing.T) {
	parts := share.New()
	shared(t, parts.After(func(obj any) (any, error) { return obj, nil }), pod, func(a, b *v1.Pod) bool {
		return &a.Spec.Containers[0] == &b.Spec.Containers[0]
	})
	if saved, bytes := parts.Saved(); saved == 0 || bytes == 0 {
		t.Errorf("saved %d parts of %d bytes", saved, bytes)
	}
	fail := parts.After(func(any) (any, error) { return nil, fmt.Errorf("no good") })
	if obj, err := fail(pod(1)); obj != nil || err == nil {
		t.Errorf("after an error: %v, %v", obj, err)
	}
}

// A transform is also given what is no object, and objects that refer to themselves.
func TestTransformOfOtherThings(t *testing.T) {
	type ring struct{ next *ring }
	circle := &ring{}
	circle.next = circle
	parts := share.New()
	for _, thing := range []any{nil, 7, "a string", (*v1.Pod)(nil), cache.DeletedFinalStateUnknown{Key: "a"}, circle, map[int]string{1: "a"}, &struct{ f func() }{func() {}}} {
		for range 3 {
			if out, err := parts.Transform(thing); err != nil || !isSame(out, thing) {
				t.Errorf("%T: %v, %v", thing, out, err)
			}
		}
	}
}

func isSame(a, b any) bool {
	if reflect.ValueOf(a).Kind() == reflect.Map {
		return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
	}
	return a == b
}

// An informer of client-go, whose clientset decodes each object on its own.
func ExampleParts_Transform() {
	var objects []runtime.Object
	for i := range 50 {
		objects = append(objects, pod(i))
	}
	client := fake.NewClientset(objects...)
	parts := share.New()
	informer := cache.NewSharedIndexInformer(listWatchOf(client), &v1.Pod{}, 0, nil)
	if err := informer.SetTransform(parts.Transform); err != nil {
		panic(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	cache.WaitForCacheSync(stop, informer.HasSynced)
	saved, _ := parts.Saved()
	fmt.Println(len(informer.GetStore().List()), "pods;", saved > 0)
	// Output: 50 pods; true
}
