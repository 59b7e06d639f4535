package source

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// fromText is fromJSON for a text that is scanned first.
func (c *codec) fromText(data []byte) (runtime.Object, error) {
	var s decode.Scanner
	text := bytes.TrimSpace(data)
	if _, err := s.Scan(text); err != nil {
		return nil, err
	}
	return c.fromJSON(text, s.Index(), decoding.Options{})
}

// same decodes data as client-go does and with a codec: what client-go's refuses must be refused
// by the codec, which must make the same of all the rest.
func same[E any, T interface {
	*E
	runtime.Object
}](t *testing.T, data []byte) {
	t.Helper()
	want := new(E)
	wantErr := utiljson.Unmarshal(data, want)
	if !json.Valid(data) {
		if wantErr == nil {
			t.Errorf("%T: invalid JSON is accepted by client-go", want)
		}
		return // does not get to a codec
	}
	got, err := newCodec(reflect.TypeFor[T](), decode.NewShared()).fromText(data)
	if (err != nil) != (wantErr != nil) {
		t.Errorf("%T: error %v, client-go's %v", got, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(got, T(want)) {
		t.Errorf("%T: codec differs from client-go's (-want +got):\n%s", got, cmp.Diff(T(want), got))
	}
}

// seeds are objects as they come, and ones that decoders may differ on.
func seeds(tb testing.TB) [][]byte {
	return [][]byte{
		mustJSON(tb, podNamed("seed")),
		[]byte(widgetJSON),
		[]byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},"data":{"a":"b","a":"c"},"binaryData":{"x":"AAEC\n"},"immutable":null}`),
		[]byte(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","deletionTimestamp":"2024-01-02T03:04:05.999Z"},"data":{"x":"AAEC","y":null,"z":""}}`),
		[]byte(`{"kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":3,"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}},"template":{"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":0.5}}}]}}}}`),
		[]byte(`{"metadata":{"labels":{"a":"1"},"finalizers":["x","y"]},"metadata":{"labels":{"b":"2"},"finalizers":["z"]}}`),
		[]byte(`{"spec":{"list":[{"size":1,"deep":"a"},{"size":2}],"list":[{"deep":"b"}],"pair":[1],"strings":null}}`),
		[]byte(`{"spec":{"size":1.0}}`),
		[]byte(`{"spec":{"big":9223372036854775808}}`),
		[]byte(`{"spec":{"any":-0,"free":{"a":1e2,"b":-0.0,"c":123456789012345678901234567890}}}`),
		[]byte(`{"spec":{"any":{"a":1},"any":{"b":2},"free":{"a":{"x":1}},"free":{"a":{"y":1}}}}`),
		[]byte(`{"spec":{"bytes":[1,2,3],"quoted":12,"flag":"true"}}`),
		[]byte("{\"metadata\":{\"name\":\"\xff\xfe\"}}"),
		[]byte(`{"METADATA":{"name":"upper"},"metadata":{"NAME":"x","name ":"y"}}`),
		[]byte(`null`),
		[]byte(`[]`),
		[]byte(`{"spec":`),
	}
}

// sameForAll compares the decoders for every type there is in this test.
func sameForAll(t *testing.T, data []byte) {
	t.Helper()
	same[corev1.Pod](t, data)
	same[corev1.ConfigMap](t, data)
	same[corev1.Secret](t, data)
	same[appsv1.Deployment](t, data)
	same[Widget](t, data)
}

func FuzzDecodeAsClientGo(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(sameForAll)
}

func FuzzJSONList(f *testing.F) {
	f.Add(mustJSON(f, podList(2)))
	f.Add([]byte(`{"items":[{"metadata":{"name":"a"}},null],"x":{"y":[{}]},"metadata":{"resourceVersion":"1"},"kind":"PodList"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		items := 0
		meta, err := (&decoder{codec: newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared()), limit: 1 << 20}).jsonList(bytes.NewReader(data), func(any, error) { items++ })
		if want := new(corev1.PodList); err == nil && utiljson.Unmarshal(data, want) == nil {
			if len(want.Items) != items || want.ResourceVersion != meta.ResourceVersion {
				t.Errorf("%d items at %q, want %d at %q", items, meta.ResourceVersion, len(want.Items), want.ResourceVersion)
			}
		}
		small := 0
		if _, smallErr := (&decoder{codec: newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared()), limit: 20}).jsonList(bytes.NewReader(data), func(any, error) { small++ }); err == nil && smallErr == nil && small != items {
			t.Errorf("%d items, and with a low limit %d", items, small)
		}
	})
}

// values that take the place of others.
var replacements = []string{
	"null", "true", "0", "-1", "-0", "1.0", "1e3", "1e400", "9223372036854775807", "9223372036854775808", "123456789012345678901234567890",
	`""`, `"x"`, `"12"`, `"1Gi"`, `"2024-01-02T03:04:05Z"`, `"2024-01-02T03:04:05.5+01:00"`, `"25%"`, `"aGVsbG8="`, `"aGVs\nbG8="`, `"\ud800x"`, "\"\xff\"",
	"[]", "{}", "[null]", "[{}]", `{"":null}`, `{"a":1,"a":{"b":2}}`, `[1,[2,{"x":3.5}]]`,
}

// TestDecodeMutatedAsClientGo is what a fuzzer of JSON would find first: other
// values, duplicate and misspelt names, damage.
func TestDecodeMutatedAsClientGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9.]+(?:e[0-9]+)?|null|true|false|\[\]|\{\}`)
	for _, seed := range seeds(t) {
		places := value.FindAllIndex(seed, -1)
		for range 120 {
			data := string(seed)
			for range 1 + rng.IntN(3) {
				if len(places) == 0 {
					break
				}
				at := places[rng.IntN(len(places))]
				if at[1] > len(data) {
					continue
				}
				found, with := data[at[0]:at[1]], replacements[rng.IntN(len(replacements))]
				switch rng.IntN(4) {
				case 0: // a name in another case
					with = strings.ToUpper(found)
				case 1: // a duplicate name, if it is one
					with = found + ":" + with + "," + found
				}
				data = data[:at[0]] + with + data[at[1]:]
			}
			if rng.IntN(10) == 0 && len(data) > 0 {
				at := rng.IntN(len(data))
				data = data[:at] + string(rune(rng.IntN(128))) + data[at+1:]
			}
			sameForAll(t, []byte(data))
			if t.Failed() {
				t.Fatalf("of %s", data)
			}
		}
	}
}

func TestIntegersStayIntegers(t *testing.T) {
	obj, err := newCodec(reflect.TypeFor[*Widget](), decode.NewShared()).fromText([]byte(widgetJSON))
	if err != nil {
		t.Fatal(err)
	}
	widget := obj.(*Widget)
	if got, ok := widget.Spec.Free["i"].(int64); !ok || got != 9007199254740993 {
		t.Errorf("spec.free.i: %T %v", widget.Spec.Free["i"], widget.Spec.Free["i"])
	}
	if widget.Spec.Size != 2 {
		t.Errorf("spec.size: %d, not the last of the duplicates", widget.Spec.Size)
	}
}

// anything is a named type of what has no Go type.
type anything any

// loose is of types that the fast decoder decodes as client-go's does, or leaves to it.
type loose struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Value   anything            `json:"value,omitempty"`
	Values  map[string]anything `json:"values,omitempty"`
	List    []anything          `json:"list,omitempty"`
	Pointer *anything           `json:"pointer,omitempty"`
	Quoted  struct {
		Number int      `json:"number,string"`
		Value  anything `json:"value,omitempty"`
	} `json:"quoted"`
	Extra int `json:"extra,omitempty,omitempty"`
	Other int `json:"other,'quoted'"`
}

func (l *loose) DeepCopyObject() runtime.Object { return l }

// Integers are int64 where there is no Go type, whoever decodes the object.
func TestIntegersOfNamedInterfaces(t *testing.T) {
	for name, text := range map[string]string{
		"by the fast decoder": `{"value":1,"values":{"a":9007199254740993,"b":1.5},"list":[2,[3]],"pointer":{"a":4}}`,
		"a quoted number":     `{"quoted":{"number":"7","value":8}}`,
		"a repeated name":     `{"value":{"a":1},"value":9007199254740993,"list":[5]}`,
		"invalid UTF-8":       "{\"value\":9007199254740993,\"values\":{\"a\":\"\xff\",\"b\":1}}",
		"odd tags":            `{"extra":1,"other":2}`,
	} {
		same[loose](t, []byte(text))
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// Items of an unstructured list get the kind and the apiVersion that they lack from the list, wherever
// in it these stand, and come in its order. What an item has of the two, it keeps.
func TestUnstructured(t *testing.T) {
	const (
		apiVersion = `"apiVersion":"example.com/v1"`
		kind       = `"kind":"WidgetList"`
		meta       = `"metadata":{"resourceVersion":"5"}`
		items      = `"items":[{"metadata":{"name":"a"},"n":1},{"kind":"Other","apiVersion":"o/v1","metadata":{"name":"b"}},` +
			`{"kind":"Other","metadata":{"name":"c"}},{"apiVersion":"o/v1","metadata":{"name":"d"}},"no object"]`
	)
	item := func(name, kind, apiVersion string) map[string]any {
		return map[string]any{"kind": kind, "apiVersion": apiVersion, "metadata": map[string]any{"name": name}}
	}
	want := []map[string]any{item("a", "Widget", "example.com/v1"), item("b", "Other", "o/v1"), item("c", "Other", "example.com/v1"), item("d", "Widget", "o/v1"), nil}
	want[0]["n"] = int64(1)
	for _, order := range [][]string{
		{kind, apiVersion, meta, items}, {apiVersion, items, kind, meta}, {kind, items, apiVersion}, {items, kind, apiVersion}, {meta, items, apiVersion, kind},
	} {
		cfg := serveBody(t, "application/json", "{"+strings.Join(order, ",")+"}")
		var got []map[string]any
		_, err := New[*unstructured.Unstructured](newClient(t, cfg), widgets, "").List(t.Context(), metav1.ListOptions{}, func(item any, err error) {
			if obj, _ := item.(*unstructured.Unstructured); obj != nil && err == nil {
				got = append(got, obj.Object)
			} else {
				got = append(got, nil)
			}
		})
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: items (-want +got):\n%s", order, diff)
		}
	}
}
