package shard

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestSelector(t *testing.T) {
	half, _ := Of(0, 2)
	others, _ := RangesOf(Range{1, 2}, Range{largest - 1, largest})
	owner := ByFunc("owner", metav1.Object.GetName)
	for _, test := range []struct {
		by     By
		ranges Ranges
		want   string
	}{
		{UID, All(), ""},
		{UID, nil, ""},
		{By{}, half, "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"},
		{Namespace, others, "shardRange(object.metadata.namespace, '0x0000000000000001', '0x0000000000000003') || " +
			"shardRange(object.metadata.namespace, '0xfffffffffffffffe', '0x10000000000000000')"},
		{owner, half, ""},
	} {
		if got := test.by.Selector(test.ranges); got != test.want {
			t.Errorf("%v %v: got %s, want %s", test.by, test.ranges, got, test.want)
		}
	}
}

func TestShard(t *testing.T) {
	first, _ := Of(0, 2)
	second, _ := Of(1, 2)
	s := New(By{}, first)
	_, changed := s.Ranges()
	object := &metav1.ObjectMeta{UID: types.UID("a")}
	in := first.Contains(Hash("a"))
	if s.Has(object) != in || s.By().String() != "UID" {
		t.Errorf("shard by %v of %v has the object: %v", s.By(), first, s.Has(object))
	}
	s.Set(first)
	select {
	case <-changed:
		t.Error("changed, but to what it was")
	default:
	}
	s.Set(second)
	<-changed
	if s.Has(object) == in {
		t.Error("object is in both halves or in none")
	}
}
