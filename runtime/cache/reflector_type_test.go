package cache

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An informer of an interface takes objects of any type that implements it, whichever came before.
func TestTypeOfObjects(t *testing.T) {
	of := reflector{of: reflect.TypeFor[metav1.Object]()}
	for _, c := range []struct {
		obj  any
		want string
	}{
		{&corev1.Pod{}, ""},
		{&corev1.Pod{}, ""},
		{&corev1.Node{}, ""},
		{"pod", "is a string, not a v1.Object"},
		{nil, "is a <nil>, not a v1.Object"},
		{&corev1.Pod{}, ""},
	} {
		got := ""
		if err := of.checkType(c.obj); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%T: %q, want %q", c.obj, got, c.want)
		}
	}
}
