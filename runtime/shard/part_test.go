package shard

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// A server that sends an object that was not requested does not filter. One that never does is known to
// filter after some objects. Each resource has its own.
func TestFilteredBy(t *testing.T) {
	half, _ := Of(0, 2)
	pods, nodes := schema.GroupVersionResource{Resource: "pods"}, schema.GroupVersionResource{Resource: "nodes"}
	s := New(UID, half)
	p := newPart(context.Background(), s, pods, half)
	send := func(requested bool) {
		for i := range 100 {
			if obj := (&metav1.ObjectMeta{UID: types.UID(fmt.Sprint(i))}); half.Contains(UID.Hash(obj)) == requested && p.has(obj) != requested {
				t.Errorf("object %s is taken: %v", obj.UID, !requested)
			}
		}
	}
	for _, step := range []struct {
		requested bool
		want      string
	}{{true, byServer}, {false, byClient}, {true, byServer}} {
		send(step.requested)
		if got := s.FilteredBy(pods); got != step.want {
			t.Errorf("objects that were requested: %v: filtered by %q, want %q", step.requested, got, step.want)
		}
	}
	if got := s.FilteredBy(nodes); got != "" {
		t.Errorf("other resource is filtered by %q", got)
	}
	if got := New(ByFunc("name", metav1.Object.GetName), half).FilteredBy(pods); got != byClient {
		t.Errorf("what no server knows is filtered by %q", got)
	}
}

// All objects of a response together show that the server filters, also if a single one does not: the ranges
// are large, or the selector has more.
func TestEvidence(t *testing.T) {
	for _, ranges := range []Ranges{All(), {{0, largest - 1}}} {
		s := New(UID, ranges)
		p := newPart(context.Background(), s, schema.GroupVersionResource{}, ranges)
		for i := range 1000 {
			p.has(&metav1.ObjectMeta{UID: types.UID(fmt.Sprint(i))})
		}
		if got := s.FilteredBy(schema.GroupVersionResource{}); got != "" {
			t.Errorf("%v: filtered by %q", ranges, got)
		}
	}
}

// Objects that are dropped before they are decoded are reported with their versions, once.
func TestBeforeDecoding(t *testing.T) {
	half, _ := Of(0, 2)
	var leftOut []string
	ctx := decoding.With(context.Background(), decoding.Request{LeftOut: func(version string) { leftOut = append(leftOut, version) }})
	outer := newPart(ctx, New(UID, half), schema.GroupVersionResource{}, half)
	inner := newPart(outer.beforeDecoding(ctx), New(Namespace, half), schema.GroupVersionResource{}, half)
	wanted := decoding.From(inner.beforeDecoding(outer.beforeDecoding(ctx))).Wanted
	in, out := valueIn(half), valueIn(half.complement())
	for i, test := range []struct {
		uid, namespace string
		want           bool
	}{{in, in, true}, {out, in, false}, {in, out, false}, {out, out, false}} {
		before := len(leftOut)
		if got := wanted([]byte(test.uid), []byte(test.namespace), []byte(fmt.Sprint(i))); got != test.want {
			t.Errorf("%d: wanted %v", i, got)
		}
		if got := leftOut[before:]; len(got) > 1 || len(got) == 1 == test.want || len(got) == 1 && got[0] != fmt.Sprint(i) {
			t.Errorf("%d: left out %q", i, got)
		}
	}
}

// valueIn returns a value whose hash is in ranges.
func valueIn(ranges Ranges) string {
	for i := 0; ; i++ {
		if value := fmt.Sprint(i); ranges.Contains(Hash(value)) {
			return value
		}
	}
}
