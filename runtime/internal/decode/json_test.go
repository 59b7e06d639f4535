package decode

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// odd has fields that few API types have.
type odd struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Any     any                       `json:"any"`
	Free    map[string]any            `json:"free,omitempty"`
	Bytes   []byte                    `json:"bytes,omitempty"`
	Lists   [][]string                `json:"lists,omitempty"`
	Nested  map[string]map[string]int `json:"nested,omitempty"`
	Structs map[string]inner          `json:"structs,omitempty"`
	Pointer **inner                   `json:"pointer,omitempty"`
	Array   [2]int                    `json:"array"`
	Number  stdjson.Number            `json:"number,omitempty"`
	Keys    map[int]string            `json:"keys,omitempty"`
	Quoted  int                       `json:"-"`
	Small   int8
	Large   uint64
	Ratio   float32
	Raw     stdjson.RawMessage `json:"raw,omitempty"`
	// Whole and Wholes decode themselves, to values without a type.
	Whole   *unstructured.Unstructured           `json:"whole,omitempty"`
	Wholes  map[string]unstructured.Unstructured `json:"wholes,omitempty"`
	Opaque  kruntime.RawExtension                `json:"opaque,omitempty"`
	Empty   *struct{}                            `json:"empty,omitempty"`
	Empties []struct{}                           `json:"empties,omitempty"`
	inner
}

type inner struct {
	Name   string            `json:"innerName,omitempty"`
	Labels map[string]string `json:"innerLabels,omitempty"`
	List   []inner           `json:"list,omitempty"`
}

// decoder decodes texts into new values of one type, with sharing and as client-go does.
type decoder struct {
	typ    reflect.Type
	shared *Decoder
}

func newDecoder(t reflect.Type, shared *Shared) decoder {
	return decoder{t, NewDecoder(t, shared)}
}

func (d decoder) decode(text []byte) (any, bool) {
	v := reflect.New(d.typ)
	return v.Interface(), d.shared.scanned(text, v.UnsafePointer())
}

func (d decoder) reference(text []byte) (any, error) {
	v := reflect.New(d.typ)
	return v.Interface(), utiljson.Unmarshal(text, v.Interface())
}

var types = []reflect.Type{
	reflect.TypeFor[v1.Pod](), reflect.TypeFor[v1.ConfigMap](), reflect.TypeFor[v1.Secret](), reflect.TypeFor[v1.Node](),
	reflect.TypeFor[appsv1.Deployment](), reflect.TypeFor[networkingv1.Ingress](), reflect.TypeFor[odd](), reflect.TypeFor[map[string]any](),
}

// replacements are values that take the place of others.
var replacements = []string{
	"null", "true", "0", "-1", "-0", "1.0", "1e3", "1e400", "9223372036854775807", "9223372036854775808", "123456789012345678901234567890",
	`""`, `"x"`, `"12"`, `"1Gi"`, `"2024-01-02T03:04:05Z"`, `"2024-01-02T03:04:05.5+01:00"`, `"25%"`, `"aGVsbG8="`, `"aGVs\nbG8="`, `"\ud800x"`, "\"\xff\"", `"\u00e9é\\\""`, `"\b\f\n\r\t\u000a"`, `"\/"`, `"\ud83d\ude00"`,
	"[]", "{}", "[null]", "[{}]", `{"":null}`, `{"a":1,"a":{"b":2}}`, `[1,[2,{"x":3.5}]]`, ` [ 1 , { "a" : [ ] } , { } ] `, "{ }", "[\n]",
	`{"name":"a name that is long enough to be shared","value":"x"}`, `["a list that is long enough to be shared","b"]`,
	`{"a long key, so that the map can be shared":"value","k\u0065y":"v"}`,
}

var scalar = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9.]+(?:e[0-9]+)?|null|true|false|\[\]|\{\}`)

// edited returns a text with another value, name or container in some place.
func edited(rng *rand.Rand, text, other []byte) []byte {
	var places [][]int
	x := indexOf(text)
	if rng.Intn(2) == 0 && len(x) > 0 {
		begins := beginnings(text)
		i := rng.Intn(len(begins))
		places = [][]int{{begins[i], x[i].end}}
	} else {
		places = scalar.FindAllIndex(text, -1)
	}
	if len(places) == 0 {
		return text
	}
	place := places[rng.Intn(len(places))]
	with := []byte(replacements[rng.Intn(len(replacements))])
	if rng.Intn(3) == 0 {
		x := indexOf(other)
		if begins := beginnings(other); len(begins) > 0 {
			i := rng.Intn(len(begins))
			with = other[begins[i]:x[i].end]
		}
	}
	return []byte(string(text[:place[0]]) + string(with) + string(text[place[1]:]))
}

// beginnings returns where the containers of a text begin.
func beginnings(text []byte) (at []int) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = endOfString(text, i) - 1
		case '{', '[':
			at = append(at, i)
		}
	}
	return at
}

// pair is an object that was decoded with sharing, and the same without.
type pair struct {
	text      []byte
	got, want any
}

// play decodes random objects, edits of them and repetitions, with sharing. It compares each with
// client-go's result, at once and when all are decoded: shared parts have not changed.
func play(t *testing.T, seed int64) (accepted, refused int) {
	rng := rand.New(rand.NewSource(seed))
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rng, serializer.NewCodecFactory(kruntime.NewScheme())).NilChance(0.4).NumElements(1, 2).MaxDepth(9)
	shared := NewShared()
	decoders := map[reflect.Type]decoder{}
	for _, typ := range types {
		decoders[typ] = newDecoder(typ, shared)
	}
	texts := [][]byte{[]byte(`{"metadata":{"name":"first"}}`)}
	var kept []pair
	for range 60 {
		typ := types[rng.Intn(len(types))]
		text := texts[rng.Intn(len(texts))]
		switch rng.Intn(6) {
		case 0:
			text = randomObject(t, fill, typ)
		case 1, 2, 3:
			text = edited(rng, text, texts[rng.Intn(len(texts))])
		}
		if !stdjson.Valid(text) {
			continue
		}
		texts = append(texts, text)
		for _, typ := range append([]reflect.Type{typ}, types[rng.Intn(len(types))]) {
			got, ok := decoders[typ].decode(text)
			want, err := decoders[typ].reference(text)
			if !ok {
				if err == nil {
					refused++
				}
				continue
			}
			accepted++
			if err != nil {
				t.Fatalf("seed %d: %v: accepted, but not by client-go: %v\n%s", seed, typ, err, text)
			}
			kept = append(kept, pair{text, got, want})
			compare(t, seed, kept[len(kept)-1])
			if where := spare(reflect.ValueOf(got)); where != "" {
				t.Fatalf("seed %d: %v%s has spare capacity\n%s", seed, typ, where, text)
			}
		}
	}
	for _, p := range kept {
		compare(t, seed, p)
	}
	return accepted, refused
}

func compare(t *testing.T, seed int64, p pair) {
	t.Helper()
	if !reflect.DeepEqual(p.got, p.want) {
		t.Fatalf("seed %d: %T differs from client-go's (-want +got):\n%s\n%s", seed, p.got, cmp.Diff(p.want, p.got, cmp.AllowUnexported(odd{}, inner{})), p.text)
	}
}

// spare returns where in a value there is a slice with spare capacity, if there is one: what is
// appended to it may be in the memory of another object.
func spare(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return spare(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if where := spare(v.Field(i)); where != "" && (f.IsExported() || f.Anonymous) {
				return "." + f.Name + where
			}
		}
	case reflect.Slice:
		if v.Cap() > v.Len() {
			return fmt.Sprint(": ", v.Len(), " of ", v.Cap())
		}
		for i := range v.Len() {
			if where := spare(v.Index(i)); where != "" {
				return "[]" + where
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if where := spare(v.MapIndex(key)); where != "" {
				return fmt.Sprintf("[%q]%s", key, where)
			}
		}
	}
	return ""
}

// randomObject returns the text of an object with random content. The generator of
// apimachinery knows nothing of odd.
func randomObject(t *testing.T, fill interface{ Fill(any) }, typ reflect.Type) []byte {
	switch typ {
	case reflect.TypeFor[odd]():
		return []byte(`{"metadata":{"name":"o","labels":{"a":"b"}},"any":{"x":[1,2.5,"three",null,{"y":true}]},"free":{"deep":{"er":[{"a":"a string that is quite long"}]}},"bytes":"aGVsbG8=","lists":[["a"],null,[]],"nested":{"a":{"b":1},"c":null},"structs":{"k":{"innerName":"n","innerLabels":{"l":"m"},"list":[{"innerName":"x"},{"list":[]}]}},"pointer":{"innerName":"p"},"array":[1,2],"number":12.5,"keys":{"1":"a"},"Small":-8,"Large":18446744073709551615,"Ratio":0.5,"raw":{"a":[1 , 2]},"whole":{"kind":"K","list":[[1,2,3],2,{"x":[1,2,3,4,5]}]},"wholes":{"a":{"kind":"a kind that is long","list":[1,2,3]}},"opaque":{"kind":"K","x":[1,2,3]},"empty":{"unknown":"0123456789012345678901234567890123456789"},"empties":[{},{"unknown":"0123456789012345678901234567890123456789"}],"innerName":"embedded"}`)
	case reflect.TypeFor[map[string]any]():
		typ = types[0]
	}
	v := reflect.New(typ)
	fill.Fill(v.Interface())
	text, err := stdjson.Marshal(v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Decoding with sharing has client-go's results, and they do not change later.
func TestDecodeAsClientGo(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range int64(40) {
		a, r := play(t, seed)
		accepted, refused = accepted+a, refused+r
	}
	if accepted < 10*refused {
		t.Errorf("%d texts were accepted, and %d refused that client-go accepts", accepted, refused)
	}
}

func FuzzDecodeAsClientGo(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed int64) { play(t, seed) })
}

// podText is the JSON of a pod.
func podText(t testing.TB, pod *v1.Pod) []byte {
	t.Helper()
	text, err := stdjson.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func examplePod(name string) *v1.Pod {
	labels := map[string]string{"app": "example", "release": "a name that is long"}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: v1.PodSpec{
			NodeName:   name,
			Containers: []v1.Container{{Name: "main", Image: "example.com/image", Env: []v1.EnvVar{{Name: "A", Value: strings.Repeat("a", 40)}}}},
			Affinity:   &v1.Affinity{NodeAffinity: &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{Weight: 1}}}},
		},
	}
}

func decodePod(t testing.TB, j *Decoder, text []byte) *v1.Pod {
	t.Helper()
	pod := &v1.Pod{}
	if !j.scanned(text, unsafe.Pointer(pod)) {
		t.Fatalf("refused: %s", text)
	}
	return pod
}

// eventuallyShared decodes objects until two have in common what they should: which values
// share a place in a table, and forget each other, is random.
func eventuallyShared[T any](t *testing.T, next func(name string) T, common func(a, b T) bool) (rounds int) {
	t.Helper()
	all := []T{next("first")}
	for i := range 100 {
		all = append(all, next(fmt.Sprint("pod-", i)))
		if common(all[i], all[i+1]) {
			return i + 2
		}
	}
	t.Fatal("a hundred objects have nothing in common")
	return 0
}

// Parts that are equal are one from the third object on, in general: the first is noted, and
// the second held.
func TestPartsAreOne(t *testing.T) {
	j := NewDecoder(reflect.TypeFor[v1.Pod](), NewShared())
	rounds := eventuallyShared(t, func(name string) *v1.Pod { return decodePod(t, j, podText(t, examplePod(name))) }, func(a, b *v1.Pod) bool {
		return &a.Spec.Containers[0] == &b.Spec.Containers[0] && a.Spec.Affinity == b.Spec.Affinity &&
			reflect.ValueOf(a.Labels).Pointer() == reflect.ValueOf(b.Labels).Pointer()
	})
	if rounds < 3 {
		t.Error("what was seen once is held")
	}
	if parts, bytes := j.shared.Saved(); parts < 3 || bytes < 150 {
		t.Errorf("%d parts of %d bytes were found, want labels, containers and affinity", parts, bytes)
	}
}

// An update of the status costs no new spec.
func TestUpdateSharesTheRest(t *testing.T) {
	j := NewDecoder(reflect.TypeFor[v1.Pod](), NewShared())
	pod := examplePod("a")
	version := 0
	eventuallyShared(t, func(string) *v1.Pod {
		version++
		pod.ResourceVersion, pod.Status.Message = fmt.Sprint(version), fmt.Sprint("another one: ", version)
		parts, _ := j.shared.Saved()
		got := decodePod(t, j, podText(t, pod))
		if !reflect.DeepEqual(got, pod) {
			t.Errorf("after the update: %+v", got)
		}
		if after, _ := j.shared.Saved(); after-parts == 2 {
			got.Annotations = map[string]string{"labels and the spec as a whole": "found"}
		}
		return got
	}, func(a, b *v1.Pod) bool { return &a.Spec.Containers[0] == &b.Spec.Containers[0] && b.Annotations != nil })
}

// A user that is going to change an object gets all of it as its own.
func TestExclusive(t *testing.T) {
	j := NewDecoder(reflect.TypeFor[v1.Pod](), NewShared())
	text := podText(t, examplePod("a"))
	exclusive := func() *v1.Pod {
		pod := &v1.Pod{}
		if !j.scannedAs(text, decoding.Options{Exclusive: true}, unsafe.Pointer(pod)) {
			t.Fatalf("refused: %s", text)
		}
		return pod
	}
	var pods []*v1.Pod
	for range 3 {
		pods = append(pods, decodePod(t, j, text))
		own := exclusive()
		own.Labels["app"] = "changed"
		own.Spec.Containers[0].Env[0].Value = "changed"
		own.Spec.Affinity.NodeAffinity = nil
	}
	for i, pod := range pods {
		if !reflect.DeepEqual(pod, exclusive()) {
			t.Errorf("pod %d has changed: %+v", i, pod)
		}
	}
}

// What no object uses any more is garbage, and what was garbage is not found.
func TestPartsAreHeldWeakly(t *testing.T) {
	shared := NewShared()
	j := NewDecoder(reflect.TypeFor[v1.Pod](), shared)
	gone := make(chan struct{})
	eventuallyShared(t, func(name string) *v1.Pod { return decodePod(t, j, podText(t, examplePod(name))) }, func(a, b *v1.Pod) bool {
		if a.Spec.Affinity != b.Spec.Affinity {
			return false
		}
		runtime.AddCleanup(b.Spec.Affinity, func(struct{}) { close(gone) }, struct{}{})
		return true
	})
	for freed := false; !freed; {
		runtime.GC()
		select {
		case <-gone:
			freed = true
		default:
		}
	}
	before, _ := shared.Saved()
	runtime.GC()
	decodePod(t, j, podText(t, examplePod("x")))
	if after, _ := shared.Saved(); after != before {
		t.Error("a part was found that nobody uses")
	}
}

// Many goroutines may decode at once, and read what they share.
func TestConcurrently(t *testing.T) {
	shared := NewShared()
	var texts [][]byte
	for i := range 20 {
		texts = append(texts, podText(t, examplePod(fmt.Sprint("pod-", i))))
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			d := newDecoder(reflect.TypeFor[v1.Pod](), shared)
			for i := range 200 {
				text := texts[(i+g)%len(texts)]
				got, _ := d.decode(text)
				want, _ := d.reference(text)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("differs (-want +got):\n%s", cmp.Diff(want, got))
				}
				mine := got.(*v1.Pod).DeepCopy()
				mine.Labels["app"] = "changed"
				mine.Spec.Containers[0].Env[0].Value = "changed"
			}
		})
	}
	all.Wait()
}
