package footprint_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/informer-gen/informer-gen/operations/footprint"
)

func pod(i int) *v1.Pod {
	var env []v1.EnvVar
	for e := range 20 {
		env = append(env, v1.EnvVar{Name: fmt.Sprintf("SETTING_%d", e), Value: fmt.Sprintf("the value of pod %d", i)})
	}
	labels := map[string]string{}
	for l := range 12 {
		labels[fmt.Sprintf("example.com/label-%d-%d", l, i)] = fmt.Sprint("value-", i)
	}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", i), Labels: labels},
		Spec: v1.PodSpec{Containers: []v1.Container{{
			Name: fmt.Sprint("main-", i), Env: env,
			Resources: v1.ResourceRequirements{Limits: v1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("1Gi")}},
		}}},
	}
}

// heapOf returns what make has made, and how much more the heap holds then.
func heapOf[T any](make func() T) (T, float64) {
	used := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := used()
	made := make()
	return made, used() - before
}

const n = 2000

func pods() []*v1.Pod {
	all := make([]*v1.Pod, n)
	for i := range all {
		all[i] = pod(i)
	}
	return all
}

func unstructuredPods() []*unstructured.Unstructured {
	all := make([]*unstructured.Unstructured, n)
	for i := range all {
		text, _ := json.Marshal(pod(i))
		all[i] = &unstructured.Unstructured{}
		if err := json.Unmarshal(text, &all[i].Object); err != nil {
			panic(err)
		}
	}
	return all
}

// The estimate is within a fifth of what the heap holds.
func TestOf(t *testing.T) {
	t.Run("typed", func(t *testing.T) { compareAll(t, pods) })
	t.Run("unstructured", func(t *testing.T) { compareAll(t, unstructuredPods) })
}

func compareAll[T any](t *testing.T, make func() []T) {
	var report footprint.Report
	compare(t, make, &report)
	for _, path := range []string{".spec.containers.env", ".metadata.labels"} {
		if !strings.Contains(fmt.Sprint(report.Fields[:8]), path) {
			t.Errorf("%s is not among the fields that take the most: %v", path, report.Fields[:8])
		}
	}
}

// compare compares the report of what make makes with what the heap holds.
func compare[T any](t *testing.T, make func() []T, report *footprint.Report) {
	t.Helper()
	all, heap := heapOf(make)
	*report = footprint.Of(slices.Values(all))
	ratio := float64(report.Bytes) / heap
	t.Logf("%.2f of the heap: %v", ratio, report)
	if math.Abs(ratio-1) > 0.2 {
		t.Errorf("estimated %d bytes, and the heap holds %.0f: %.2f times as many", report.Bytes, heap, ratio)
	}
	var sum int64
	for _, f := range report.Fields {
		sum += f.Bytes
	}
	if report.Objects != n || sum != report.Bytes || time.Since(report.Time) > time.Minute {
		t.Errorf("%d objects at %v; the fields have %d of %d bytes", report.Objects, report.Time, sum, report.Bytes)
	}
	runtime.KeepAlive(all)
}

// What several objects refer to counts once.
func TestShared(t *testing.T) {
	one := pod(1)
	alone := footprint.Of(slices.Values([]*v1.Pod{one}))
	if alone.Shared > alone.Bytes/2 {
		t.Errorf("a single object shares %d of %d bytes", alone.Shared, alone.Bytes)
	}
	var same []*v1.Pod
	for range 10 {
		copied := *one
		same = append(same, &copied)
	}
	ten := footprint.Of(slices.Values(same))
	if own := int64(10 * 1280); ten.Bytes > alone.Bytes+own || ten.Shared < 8*(alone.Bytes-1280) {
		t.Errorf("ten of one: %d bytes, %d shared; one has %d", ten.Bytes, ten.Shared, alone.Bytes)
	}
	twice := footprint.Of(slices.Values([]*v1.Pod{one, one}))
	if twice.Bytes != alone.Bytes {
		t.Errorf("an object that is there twice has %d bytes, want %d", twice.Bytes, alone.Bytes)
	}
}

// Values that refer to themselves, nil and other odd things have an end.
func TestOddValues(t *testing.T) {
	type ring struct{ Next *ring }
	circle := &ring{}
	circle.Next = circle
	if report := footprint.Of(slices.Values([]*ring{circle, nil})); report.Bytes != 8 {
		t.Errorf("a ring of 8 bytes: %+v", report)
	}
	if report := footprint.Of(maps.Keys(map[any]bool{})); report.Bytes != 0 || report.Objects != 0 {
		t.Errorf("nothing: %+v", report)
	}
	odd := struct {
		F func()
		C chan int
		M map[int]string
		A [2]*int
	}{F: func() {}, C: make(chan int), M: map[int]string{1: "a"}}
	if report := footprint.Of(slices.Values([]any{odd, &odd, 7, nil})); report.Objects != 4 {
		t.Errorf("odd values: %+v", report)
	}
}

// node refers to others twice.
type node struct{ A, B *node }

// What an object refers to in circles, or again and again, counts once.
func TestCircles(t *testing.T) {
	circle := &node{}
	circle.A, circle.B = circle, circle
	lattice := &node{}
	for range 99 {
		lattice = &node{A: lattice, B: lattice}
	}
	pair := &node{A: &node{}, B: &node{}}
	pair.A.A, pair.A.B, pair.B.A, pair.B.B = pair, pair.B, pair, pair.A
	for _, test := range []struct {
		of    *node
		nodes int64
	}{{circle, 1}, {pair, 3}, {lattice, 100}} {
		if report := footprint.Of(slices.Values([]*node{test.of})); report.Bytes != test.nodes*int64(unsafe.Sizeof(node{})) {
			t.Errorf("%d nodes: %+v", test.nodes, report)
		}
	}
}

// opaque has what belongs to its methods, or to the whole program.
type opaque struct {
	Name   string
	hidden *[100000]byte
	any    any
}

func TestFieldsThatAreNotExported(t *testing.T) {
	object := &struct{ Part *opaque }{&opaque{"a name", new([100000]byte), new([100000]byte)}}
	if report := footprint.Of(slices.Values([]any{object})); report.Bytes > 100 {
		t.Errorf("an object of less than 100 bytes: %+v", report)
	}
}
