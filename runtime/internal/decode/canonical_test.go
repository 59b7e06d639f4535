package decode

import (
	"reflect"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Fields that JSON does not show count too.
func TestCanonicalComparesAllFields(t *testing.T) {
	type hidden struct {
		Name   string `json:"name"`
		Secret int    `json:"-"`
		inner  *int
	}
	type object struct{ Part *hidden }
	shared := NewShared()
	one, two := 1, 2
	makers := []func() *object{
		func() *object { return &object{&hidden{Name: "a name that is long enough to be shared", Secret: 1}} },
		func() *object { return &object{&hidden{Name: "a name that is long enough to be shared", Secret: 2}} },
		func() *object { return &object{&hidden{Name: "a name that is long enough to be shared", inner: &one}} },
		func() *object { return &object{&hidden{Name: "a name that is long enough to be shared", inner: &two}} },
	}
	var kept []*object
	for range 20 {
		for i, made := range makers {
			obj := made()
			shared.Canonical(obj)
			if !reflect.DeepEqual(obj, makers[i]()) {
				t.Fatalf("object %d has become %+v", i, obj.Part)
			}
			kept = append(kept, obj)
		}
	}
	if parts, _ := shared.Saved(); parts == 0 {
		t.Error("nothing was shared")
	}
	if kept[len(kept)-1].Part == kept[len(kept)-2].Part {
		t.Error("different parts are one")
	}
}

// Quantities have several forms of one value.
func TestCanonicalQuantities(t *testing.T) {
	shared := NewShared()
	for range 10 {
		for _, text := range []string{"1", "1000m", "1e3", "1k", "0.5", "500m", "123456789012345678901234567890"} {
			limited := func() *v1.ResourceRequirements {
				return &v1.ResourceRequirements{Limits: v1.ResourceList{"cpu": resource.MustParse(text), "example.com/a-long-name-of-a-resource": resource.MustParse("1")}}
			}
			got := limited()
			shared.Canonical(got)
			if !reflect.DeepEqual(got, limited()) {
				t.Fatalf("%s has become %v", text, got.Limits)
			}
		}
	}
}

func TestCanonicalConcurrently(t *testing.T) {
	shared := NewShared()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				pod, want := examplePod("a"), examplePod("a")
				shared.Canonical(pod)
				if !reflect.DeepEqual(pod, want) {
					t.Errorf("pod has become %+v", pod)
				}
			}
		})
	}
	all.Wait()
}

// What is not on the heap can be part of an object too: a transform may set it.
var (
	globalNumber = 7
	globalNames  = []string{"a name that is long enough", "to be shared"}
	globalArray  [4]string
)

func TestCanonicalWithGlobals(t *testing.T) {
	type object struct {
		Number **int
		Names  []string
		Part   []string
	}
	shared := NewShared()
	for range 10 {
		number := &globalNumber
		obj := &object{&number, globalNames, globalArray[:]}
		shared.Canonical(obj)
		if !reflect.DeepEqual(obj, &object{&number, globalNames, globalArray[:]}) {
			t.Errorf("object has become %+v", obj)
		}
	}
}
