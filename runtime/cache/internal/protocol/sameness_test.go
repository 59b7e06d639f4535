package protocol

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// circular refers to itself.
type circular struct {
	Next, Last *circular
	Name       string
}

func newCircle(name string) *circular {
	c := &circular{Name: name}
	c.Next, c.Last = c, &circular{Next: c, Last: c}
	return c
}

func TestSameContent(t *testing.T) {
	pod := func(limit, size string) *v1.Pod {
		p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.Unix(1, 0)}, Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c"}}}}
		p.Spec.Containers[0].Resources.Limits = v1.ResourceList{"cpu": resource.MustParse(limit)}
		if size != "" {
			quantity := resource.MustParse(size)
			p.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{SizeLimit: &quantity}}}}
		}
		return p
	}
	kind := func(kind, label string) *v1.ConfigMap {
		return &v1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: kind}, ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": label}}}
	}
	free := func(content any) any { return &unstructured.Unstructured{Object: map[string]any{"spec": content}} }
	for _, test := range []struct {
		name        string
		stored, obj any
		want        bool
	}{
		{"equal", pod("1", ""), pod("1", ""), true},
		{"a quantity in a map differs", pod("1", ""), pod("2", ""), false},
		{"a quantity that may be written to", pod("1", "1Gi"), pod("1", "1Gi"), false},
		{"one more", pod("1", ""), pod("1", "1Gi"), false},
		{"one less", pod("1", "1Gi"), pod("1", ""), false},
		{"without a type", free([]any{int64(1), "a", nil}), free([]any{int64(1), "a", nil}), true},
		{"without a type, differs", free([]any{int64(1)}), free([]any{int64(2)}), false},
		{"a listed object, and watched", kind("ConfigMap", "x"), kind("", "x"), true},
		{"a watched object, and listed", kind("", "x"), kind("ConfigMap", "x"), true},
		{"a listed object, and another state", kind("ConfigMap", "x"), kind("", "y"), false},
		{"another kind", kind("ConfigMap", "x"), kind("Map", "x"), false},
		{"raw", &runtime.RawExtension{Raw: []byte("{}")}, &runtime.RawExtension{Raw: []byte("{}")}, true},
		{"circles", newCircle("a"), newCircle("a"), true},
		{"circles that differ", newCircle("a"), newCircle("b"), false},
		{"nothing", nil, nil, true},
	} {
		if got := SameContent.Of(Received{Object: test.stored}, Received{Object: test.obj}); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if obj := kind("", "x"); !SameContent.Of(Received{Object: kind("ConfigMap", "x")}, Received{Object: obj}) || obj.Kind != "" {
		t.Errorf("comparing has changed the object: %v", obj.TypeMeta)
	}
}

// Users print what is stored while it is compared: under the race detector this finds a
// comparison of what they write to.
func TestSameContentWhileUsersPrint(t *testing.T) {
	size := resource.MustParse("1024Mi")
	stored := &v1.Pod{Spec: v1.PodSpec{
		Containers: []v1.Container{{Env: []v1.EnvVar{{ValueFrom: &v1.EnvVarSource{ResourceFieldRef: &v1.ResourceFieldSelector{Divisor: size}}}}}},
		Volumes:    []v1.Volume{{VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{SizeLimit: &size}}}},
	}}
	twin := stored.DeepCopy()
	var users sync.WaitGroup
	users.Go(func() { _ = fmt.Sprint(stored) })
	users.Go(func() { SameContent.Of(Received{Object: stored}, Received{Object: twin}) })
	users.Wait()
}

func TestVersionSample(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, strconv.Itoa(i+1))
	}
	for _, test := range []struct {
		name     string
		versions []string
		list     string
		want     Sameness
		// undecided is set if there are too few objects.
		undecided bool
	}{
		{"those of etcd", []string{"7", "12", "3"}, "12", SameVersion, false},
		{"of many, the first ones count", many, "100", SameVersion, false},
		{"one object decides nothing", []string{"7"}, "12", SameContent, true},
		{"nor does none", nil, "12", SameContent, true},
		{"one object that is later than its list", []string{"7"}, "5", SameContent, false},
		{"one object, and a list without a version", []string{"7"}, "", SameContent, false},
		{"one version for all", []string{"1", "1"}, "1", SameContent, false},
		{"each object is counted by itself", []string{"3", "8", "3"}, "9", SameContent, false},
		{"an object is later than its list", []string{"3", "8"}, "7", SameContent, false},
		{"the list has no version", []string{"3", "8"}, "", SameContent, false},
		{"an object has none", []string{"3", ""}, "9", SameContent, false},
		{"they are no numbers", []string{"a", "b"}, "c", SameContent, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s VersionSample
			for _, version := range test.versions {
				s.Add(&metav1.ObjectMeta{ResourceVersion: version})
			}
			if got, decided := s.Sameness(test.list); got != test.want || decided == test.undecided {
				t.Errorf("got %v, decided: %v, want %v", got, decided, test.want)
			}
		})
	}
}
