package cachetest

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
)

// TestGeneration: what the test itself writes has a generation and a
// creationTimestamp, as if a client had written it.
func TestGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		created := time.Now()
		time.Sleep(time.Hour)
		for _, step := range []struct {
			name       string
			change     func(*testv1.Carp)
			generation int64
		}{
			{"nothing", func(*testv1.Carp) {}, 1},
			{"labels", func(c *testv1.Carp) { c.Labels = map[string]string{"k": "v"} }, 1},
			{"status", func(c *testv1.Carp) { c.Status.Phase = "up" }, 1},
			{"spec", func(c *testv1.Carp) { c.Spec.NodeName = "n" }, 2},
			{"another object", func(c *testv1.Carp) { *c = *on("m", carp("a/one")) }, 3},
			{"generation", func(c *testv1.Carp) { c.Generation = 9 }, 9},
		} {
			obj := must(api.Get(key("a/one")))(t)
			step.change(obj)
			got := must(api.Update(obj))(t)
			if got.Generation != step.generation || !got.CreationTimestamp.Time.Equal(created) {
				t.Errorf("%s: got generation %d, created %v; want %d, %v", step.name, got.Generation, got.CreationTimestamp, step.generation, created)
			}
		}
	})
}

// TestSameSpec: fields other than metadata and status count.
func TestSameSpec(t *testing.T) {
	of := func(content map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: content}
	}
	for _, test := range []struct {
		name string
		x, y any
		want bool
	}{
		{"status and metadata", of(map[string]any{"spec": int64(1), "status": int64(1)}), of(map[string]any{"spec": int64(1), "metadata": map[string]any{}}), true},
		{"spec", of(map[string]any{"spec": int64(1)}), of(map[string]any{"spec": int64(2)}), false},
		{"a field that one lacks", of(map[string]any{"data": int64(1)}), of(map[string]any{}), false},
		{"name and labels", carp("a/one"), carp("b/two", "k=v"), true},
		{"spec of a typed object", carp("a/one"), on("n", carp("a/one")), false},
		{"another type", carp("a/one"), of(nil), false},
	} {
		if got := sameSpec(test.x, test.y); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
