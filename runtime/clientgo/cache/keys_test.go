package cache

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestKeysAreSplitAndJoined(t *testing.T) {
	for key, want := range map[string]types.NamespacedName{
		"":        {},
		"name":    {Name: "name"},
		"ns/name": {Namespace: "ns", Name: "name"},
		"a/b/c":   {Namespace: "a", Name: "b/c"},
		"/x":      {Name: "/x"},
		"/":       {Name: "/"},
		"//x":     {Name: "//x"},
		"ns/":     {Namespace: "ns"},
	} {
		got := splitKey(key)
		if got != want {
			t.Errorf("splitKey(%q) = %#v, want %#v", key, got, want)
		}
		if back := joinKey(got); back != key {
			t.Errorf("joinKey(splitKey(%q)) = %q", key, back)
		}
	}
}
