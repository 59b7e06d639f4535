package decode

import (
	"encoding/binary"
	"math/rand"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// message has the methods that every type of k8s.io/api has.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

var messages = []reflect.Type{
	reflect.TypeFor[v1.Pod](), reflect.TypeFor[v1.Secret](), reflect.TypeFor[v1.ConfigMap](), reflect.TypeFor[v1.Node](), reflect.TypeFor[v1.Service](),
	reflect.TypeFor[appsv1.Deployment](), reflect.TypeFor[batchv1.Job](), reflect.TypeFor[networkingv1.Ingress](), reflect.TypeFor[rbacv1.ClusterRole](),
	reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](), reflect.TypeFor[authenticationv1.TokenReview](), reflect.TypeFor[v1.Event](),
}

// playProto is play for protobuf. Edits may damage a message: then both decoders have to
// refuse it, or agree.
func playProto(t *testing.T, seed int64) (accepted, refused int) {
	rng := rand.New(rand.NewSource(seed))
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rng, serializer.NewCodecFactory(kruntime.NewScheme())).NilChance(0.4).NumElements(1, 3).MaxDepth(12)
	shared := NewShared()
	decoders := map[reflect.Type]*Decoder{}
	for _, typ := range messages {
		if decoders[typ] = NewDecoder(typ, shared); decoders[typ].root.wire != messageWire {
			t.Fatalf("%v: no decoder", typ)
		}
	}
	texts := map[reflect.Type][][]byte{}
	var kept []pair
	for range 60 {
		typ := messages[rng.Intn(len(messages))]
		if all := texts[typ]; len(all) == 0 || rng.Intn(5) == 0 {
			v := reflect.New(typ)
			fill.Fill(v.Interface())
			text, err := v.Interface().(message).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			texts[typ] = append(all, text)
		}
		text := texts[typ][rng.Intn(len(texts[typ]))]
		if rng.Intn(2) == 0 {
			text = editedProto(rng, text)
			texts[typ] = append(texts[typ], text)
		}
		got, want := reflect.New(typ), reflect.New(typ)
		ok := decoders[typ].Proto(text, decoding.Options{}, got.UnsafePointer())
		err := want.Interface().(message).Unmarshal(text)
		if !ok {
			if err == nil {
				refused++
			}
			continue
		}
		accepted++
		if err != nil {
			t.Fatalf("seed %d: %v: accepted, but not by its Unmarshal: %v\n%x", seed, typ, err, text)
		}
		kept = append(kept, pair{text, got.Interface(), want.Interface()})
		compareProto(t, seed, kept[len(kept)-1])
		if where := spare(got); where != "" {
			t.Fatalf("seed %d: %v%s has spare capacity\n%x", seed, typ, where, text)
		}
	}
	for _, p := range kept {
		compareProto(t, seed, p)
	}
	return accepted, refused
}

func compareProto(t *testing.T, seed int64, p pair) {
	t.Helper()
	if !reflect.DeepEqual(p.got, p.want) {
		t.Fatalf("seed %d: %T differs from its Unmarshal (-want +got):\n%s\n%x", seed, p.got, cmp.Diff(p.want, p.got), p.text)
	}
}

// editedProto changes bytes of a message, cuts it, or repeats a part of it.
func editedProto(rng *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	if len(text) == 0 {
		return text
	}
	at := rng.Intn(len(text))
	switch rng.Intn(4) {
	case 0:
		return text[:at]
	case 1:
		return slices.Insert(text, at, text[at:min(len(text), at+1+rng.Intn(40))]...)
	default:
		text[at] = byte(rng.Intn(256))
		return text
	}
}

func TestDecodeProtoAsUnmarshal(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range int64(50) {
		a, r := playProto(t, seed)
		accepted, refused = accepted+a, refused+r
	}
	if accepted < 10*refused {
		t.Errorf("%d messages were accepted, and %d refused that the types accept", accepted, refused)
	}
}

func FuzzDecodeProtoAsUnmarshal(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed int64) { playProto(t, seed) })
}

// Equal fields are one, be they lists or maps.
func TestProtoPartsAreOne(t *testing.T) {
	p := NewDecoder(reflect.TypeFor[v1.Pod](), NewShared())
	var text []byte
	eventuallyShared(t, func(name string) *v1.Pod {
		var err error
		if text, err = examplePod(name).Marshal(); err != nil {
			t.Fatal(err)
		}
		pod := &v1.Pod{}
		if !p.Proto(text, decoding.Options{}, unsafe.Pointer(pod)) {
			t.Fatal("refused")
		}
		return pod
	}, func(a, b *v1.Pod) bool {
		return &a.Spec.Containers[0] == &b.Spec.Containers[0] && reflect.ValueOf(a.Labels).Pointer() == reflect.ValueOf(b.Labels).Pointer()
	})
}

// A field has a number from 1 on, as an int32: generated code fails otherwise.
func TestIllegalTags(t *testing.T) {
	p := NewDecoder(reflect.TypeFor[v1.Pod](), NewShared())
	spec := protowire.AppendTag(nil, 2, protowire.BytesType)
	for number, accepted := range map[uint64]bool{0: false, 1 << 30: true, 1<<31 - 1: true, 1 << 31: false, 1<<32 - 1: false, 1 << 32: false, 1<<61 - 1: false} {
		field := append(binary.AppendUvarint(nil, number<<3|uint64(protowire.VarintType)), 7)
		for where, text := range map[string][]byte{"in the object": field, "in its spec": append(append(slices.Clone(spec), byte(len(field))), field...)} {
			if err := new(v1.Pod).Unmarshal(text); (err == nil) != accepted {
				t.Fatalf("field %d %s: %v by Unmarshal", number, where, err)
			}
			if ok := p.Proto(text, decoding.Options{}, unsafe.Pointer(new(v1.Pod))); ok != accepted {
				t.Errorf("field %d %s: accepted %v, want %v", number, where, ok, accepted)
			}
		}
	}
}
