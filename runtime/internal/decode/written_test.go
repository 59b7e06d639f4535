package decode

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// measured has values whose methods write to them in all places that a type can have them.
type measured struct {
	Value   sized                          `json:"value"`
	Pointer *resource.Quantity             `json:"pointer,omitempty"`
	List    []resource.Quantity            `json:"sizes,omitempty"`
	Map     map[string]resource.Quantity   `json:"map,omitempty"`
	Structs map[string]sized               `json:"structs,omitempty"`
	Deep    map[string]*sized              `json:"deep,omitempty"`
	Lists   map[string][]resource.Quantity `json:"lists,omitempty"`
	Lazy    *lazy                          `json:"lazy,omitempty"`
	Lazies  map[string]lazy                `json:"lazies,omitempty"`
	Hidden  *hidden                        `json:"hidden,omitempty"`
	Self    *measured                      `json:"self,omitempty"`
	inner
}

type sized struct {
	Name string            `json:"name,omitempty"`
	Size resource.Quantity `json:"size"`
	Note struct {
		Text string `json:"text"`
	} `json:"note"`
}

// lazy decodes itself, and parses what it has when it is asked.
type lazy struct{ content *lazyContent }

type lazyContent struct {
	text   string
	parsed map[string]any
}

func (l *lazy) UnmarshalJSON(text []byte) error {
	l.content = &lazyContent{text: string(text)}
	return nil
}

func (l lazy) Parsed() map[string]any {
	if l.content.parsed == nil {
		l.content.parsed = map[string]any{}
		_ = stdjson.Unmarshal([]byte(l.content.text), &l.content.parsed)
	}
	return l.content.parsed
}

// hidden has a cache that only its methods know.
type hidden struct {
	Name   string `json:"name"`
	length *int
}

func (h *hidden) Len() int {
	if h.length == nil {
		n := len(h.Name)
		h.length = &n
	}
	return *h.length
}

const measuredText = `{"value":{"name":"a name that is long enough for a copy of the struct to be worth it","size":"1000m","note":{"text":"a text of some length, at least as long as that of a struct that is copied, which is a hundred and twenty-eight"}},
"pointer":"2048","sizes":["1024Mi","1.5Gi"],"map":{"a-resource":"1000m","another-resource":"1.5Gi"},
"structs":{"of-some-length":{"name":"a struct in a map","size":"1000m"}},"deep":{"of-some-length":{"name":"a pointer in a map","size":"1000m"}},"lists":{"of-some-length":["1000m"]},
"lazy":{"a":"a text that is long enough"},"lazies":{"of-some-length":{"a":"a text that is long enough"}},"hidden":{"name":"a name that is long enough"},
"self":{"pointer":"2048","value":{"size":"1.5Gi"}},"innerName":"a name","innerLabels":{"a-label":"of some length"}}`

// use calls the methods of all values that a user of an object can call them of.
func use(v reflect.Value) {
	if v.CanInterface() && v.CanAddr() {
		switch u := v.Addr().Interface().(type) {
		case *resource.Quantity:
			_ = u.String()
			_ = u.AsDec()
			return
		case *hidden:
			u.Len()
			return
		}
	}
	if l, ok := v.Interface().(lazy); ok {
		l.Parsed()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			use(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				use(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			use(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			use(v.MapIndex(key))
		}
	}
}

// measuredPod has quantities behind pointers, by value, and in maps.
func measuredPod() *v1.Pod {
	pod := examplePod("a")
	size := resource.MustParse("1024Mi")
	pod.Spec.Volumes = []v1.Volume{{Name: "a volume in memory", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{Medium: v1.StorageMediumMemory, SizeLimit: &size}}}}
	container := &pod.Spec.Containers[0]
	container.Resources.Limits = v1.ResourceList{"cpu": resource.MustParse("1000m"), "memory": resource.MustParse("1.5Gi")}
	container.Env = append(container.Env, v1.EnvVar{Name: "LIMIT", ValueFrom: &v1.EnvVarSource{ResourceFieldRef: &v1.ResourceFieldSelector{Resource: "limits.cpu", Divisor: resource.MustParse("1000m")}}})
	return pod
}

func measuredAutoscaler() *autoscalingv2.HorizontalPodAutoscaler {
	value := resource.MustParse("1000m")
	return &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: examplePod("a").ObjectMeta, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{{
		Type: autoscalingv2.PodsMetricSourceType,
		Pods: &autoscalingv2.PodsMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: "a metric of some name"}, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &value}},
	}}}}
}

// Methods that only read an object may write to it nevertheless. No other object has that
// memory, and none is made of it.
func TestWrittenMemoryIsNotShared(t *testing.T) {
	pod, autoscaler := measuredPod(), measuredAutoscaler()
	for name, text := range map[string]struct {
		typ  reflect.Type
		json []byte
	}{
		"of every kind": {reflect.TypeFor[measured](), []byte(measuredText)},
		"pod":           {reflect.TypeFor[v1.Pod](), podText(t, pod)},
		"autoscaler":    {reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](), marshaled(t, autoscaler)},
	} {
		shared := NewShared()
		d := newDecoder(text.typ, shared)
		t.Run(name+" in JSON", func(t *testing.T) {
			decodeAndUse(t, func() any { got, _ := d.decode(text.json); return got }, func() any { want, _ := d.reference(text.json); return want })
			if parts, _ := shared.Saved(); parts == 0 {
				t.Error("nothing was shared: the test is about nothing")
			}
		})
	}
	for name, obj := range map[string]message{"pod": pod, "autoscaler": autoscaler} {
		typ := reflect.TypeOf(obj).Elem()
		p := NewDecoder(typ, NewShared())
		text, err := obj.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name+" in protobuf", func(t *testing.T) {
			decodeAndUse(t, func() any {
				v := reflect.New(typ)
				if !p.Proto(text, decoding.Options{}, v.UnsafePointer()) {
					t.Fatal("refused")
				}
				return v.Interface()
			}, func() any {
				v := reflect.New(typ)
				if err := v.Interface().(message).Unmarshal(text); err != nil {
					t.Fatal(err)
				}
				return v.Interface()
			})
		})
	}
}

func marshaled(t testing.TB, obj any) []byte {
	t.Helper()
	text, err := stdjson.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// decodeAndUse decodes a text again and again while the objects before are used.
func decodeAndUse(t *testing.T, decode, reference func() any) {
	t.Helper()
	var kept []any
	for i := range 20 {
		got, want := decode(), reference()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("object %d differs from client-go's (-want +got):\n%s", i, cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)))
		}
		use(reflect.ValueOf(got))
		kept = append(kept, got)
	}
	_ = kept // weak pointers point to them
}

func TestWrites(t *testing.T) {
	type array [2]sized
	type embedding struct{ inner }
	type recursive struct {
		Next *recursive
		List []recursive
	}
	for _, test := range []struct {
		of             any
		shares, writes bool
	}{
		{resource.Quantity{}, false, true},
		{sized{}, false, true},
		{array{}, false, true},
		{lazy{}, false, true},
		{hidden{}, false, true},
		{v1.ResourceFieldSelector{}, false, true},
		{[]sized{}, false, false},
		{&sized{}, false, false},
		{map[string]sized{}, true, false},
		{v1.ResourceList{}, true, false},
		{v1.EmptyDirVolumeSource{}, true, false},
		{v1.PodSpec{}, true, false},
		{recursive{}, true, false},
		{embedding{}, true, false},
		{&metav1.Time{}, true, false},
		{&metav1.MicroTime{}, true, false},
		{&metav1.Duration{}, true, false},
		{&metav1.FieldsV1{}, true, false},
		{&intstr.IntOrString{}, true, false},
		{[]kruntime.RawExtension{}, true, false},
		{[]stdjson.Number{}, true, false},
	} {
		n := nodeOf(reflect.TypeOf(test.of))
		if n.shares != test.shares || n.writes.Itself != test.writes {
			t.Errorf("%T: shares %v, writes %v; want %v, %v", test.of, n.shares, n.writes.Itself, test.shares, test.writes)
		}
	}
}
