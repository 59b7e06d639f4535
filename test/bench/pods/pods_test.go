package pods

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func encode(t *testing.T, pod *v1.Pod) []byte {
	t.Helper()
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Pods are as large as the benchmarks say, and survive both encodings.
func TestPod(t *testing.T) {
	const size = 1_000
	for name, p := range map[string]Population{
		"replicas": {Size: size}, "fixed volumes": {Size: size, FixedVolumes: true}, "distinct": {Size: size, Distinct: true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := p.Pod(size - 1)
			text := encode(t, pod)
			if len(text) < 12_600 || len(text) > 13_800 {
				t.Errorf("%d bytes of JSON", len(text))
			}
			var fromJSON, fromProtobuf v1.Pod
			if err := json.Unmarshal(text, &fromJSON); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text, encode(t, &fromJSON)); diff != "" {
				t.Errorf("JSON: (-want +got)\n%s", diff)
			}
			binary, err := pod.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			if err := fromProtobuf.Unmarshal(binary); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text, encode(t, &fromProtobuf)); diff != "" {
				t.Errorf("protobuf: (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(text, encode(t, p.Pod(size-1))); diff != "" {
				t.Errorf("the same pod again: (-want +got)\n%s", diff)
			}
		})
	}
}

// No two pods have the same name.
func TestNames(t *testing.T) {
	for _, distinct := range []bool{false, true} {
		p := Population{Size: 2_000, Distinct: distinct}
		seen := map[string]int{}
		for i := range p.Size {
			name := p.Pod(i).Name
			if j, ok := seen[name]; ok {
				t.Errorf("distinct %v: pods %d and %d are both %s", distinct, i, j, name)
			}
			seen[name] = i
		}
	}
}

// Replicas have the same containers, but for the name of a volume that the API server
// chooses.
func TestReplicas(t *testing.T) {
	for fixed, same := range map[bool]bool{false: false, true: true} {
		p := Population{Size: 200, FixedVolumes: fixed}
		a, b := p.Pod(0), p.Pod(1)
		if got := reflect.DeepEqual(a.Spec.Containers, b.Spec.Containers); got != same {
			t.Errorf("FixedVolumes %v: same containers: got %v, want %v", fixed, got, same)
		}
		if !reflect.DeepEqual(a.Spec.Containers[0].Env, b.Spec.Containers[0].Env) {
			t.Errorf("FixedVolumes %v: different environments", fixed)
		}
		if other := p.Pod(100); other.Labels["pod-template-hash"] == a.Labels["pod-template-hash"] {
			t.Error("pods of two deployments have the same hash")
		}
	}
}

// Distinct pods have no string and no number but zero in common.
func TestDistinct(t *testing.T) {
	p := Population{Size: 200, Distinct: true}
	seen := map[string]string{}
	for _, i := range []int{0, 1, 199} {
		pod := p.Pod(i)
		pod.Namespace, pod.Generation, pod.ManagedFields = "", 0, slices.DeleteFunc(pod.ManagedFields, func(metav1.ManagedFieldsEntry) bool { return true })
		var value any
		if err := json.Unmarshal(encode(t, pod), &value); err != nil {
			t.Fatal(err)
		}
		eachLeaf("", value, func(path string, leaf any) {
			text := fmt.Sprint(leaf)
			if _, ok := leaf.(bool); ok || leaf == nil || leaf == 0.0 {
				return
			}
			if other, ok := seen[text]; ok {
				t.Errorf("%v is both at %s and at %s", leaf, other, path)
			}
			seen[text] = fmt.Sprintf("%d%s", i, path)
		})
	}
}

func eachLeaf(path string, value any, do func(string, any)) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			eachLeaf(path+"."+name, inner, do)
		}
	case []any:
		for i, inner := range v {
			eachLeaf(fmt.Sprintf("%s[%d]", path, i), inner, do)
		}
	default:
		do(path, value)
	}
}

// A change is of a condition, the version and the time of the kubelet's fields. It
// happens to each pod in turn.
func TestChange(t *testing.T) {
	p := Population{Size: 200}
	before := map[string]*v1.Pod{}
	for i := range p.Size {
		pod := p.Pod(i)
		before[pod.Name] = pod
	}
	for i := range 2 * p.Size {
		after := p.Change(i)
		pod := before[after.Name]
		if after.ResourceVersion != p.ChangeVersion(i) || after.ResourceVersion <= pod.ResourceVersion {
			t.Errorf("change %d: version %s after %s", i, after.ResourceVersion, pod.ResourceVersion)
		}
		ready := pod.Status.Conditions[readyCondition]
		now := after.Status.Conditions[readyCondition]
		if ready.Type != v1.PodReady || now.Status == ready.Status || !now.LastTransitionTime.After(ready.LastTransitionTime.Time) {
			t.Errorf("change %d: condition %v after %v", i, now, ready)
		}
		before[after.Name] = after.DeepCopy()
		after.ResourceVersion = pod.ResourceVersion
		after.Status.Conditions[readyCondition] = ready
		after.ManagedFields[1].Time = pod.ManagedFields[1].Time
		if diff := cmp.Diff(pod, after); diff != "" {
			t.Fatalf("change %d: more has changed: (-before +after)\n%s", i, diff)
		}
	}
}
