package objectkey

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A key survives its joined form, with and without a namespace.
func TestString(t *testing.T) {
	for want, key := range map[string]types.NamespacedName{
		"ns/a": {Namespace: "ns", Name: "a"},
		"a":    {Name: "a"},
		"":     {},
	} {
		if got := String(key); got != want || Parse(got) != key {
			t.Errorf("%v: %q, and back %v", key, got, Parse(got))
		}
	}
}

// An object without metadata has no key.
func TestOf(t *testing.T) {
	key, err := Of(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}})
	if want := (types.NamespacedName{Namespace: "ns", Name: "a"}); key != want || err != nil {
		t.Errorf("%v, %v; want %v", key, err, want)
	}
	if _, err := Of(1); err == nil {
		t.Error("a number has a key")
	}
}
