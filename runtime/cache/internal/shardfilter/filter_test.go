package shardfilter

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// objects returns n objects, and how many of them are in ranges.
func objects(n int, ranges shard.Ranges) (all []*metav1.PartialObjectMetadata, in int) {
	for i := range n {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: types.UID(fmt.Sprint(i))}}
		if ranges.Contains(shard.UID.Hash(obj)) {
			in++
		}
		all = append(all, obj)
	}
	return all, in
}

// A server that sends what was not requested does not filter. One that never does is known to
// filter after some objects.
func TestFilteredBy(t *testing.T) {
	half := must(t)(shard.Of(0, 2))
	all, in := objects(100, half)
	reports := 0
	f := New(shard.UID, half, func() { reports++ })
	f.Request(metav1.ListOptions{})
	for _, obj := range all {
		if half.Contains(shard.UID.Hash(obj)) && !f.Wants(obj) {
			t.Errorf("object %s of the shard is not wanted", obj.UID)
		}
	}
	if by := f.FilteredBy(); by != "server" || in < 30 {
		t.Errorf("%d objects, all of the shard: filtered by %q", in, by)
	}
	wanted := 0
	for _, obj := range all {
		if f.Wants(obj) {
			wanted++
		}
	}
	if by := f.FilteredBy(); by != "client" || wanted != in || reports != 1 {
		t.Errorf("filtered by %q, %d objects wanted of %d, reported %d times", by, wanted, in, reports)
	}
}

// A filter whose ranges become fewer wants no more of what it has requested.
func TestLimit(t *testing.T) {
	all, _ := objects(100, nil)
	f := New(shard.UID, must(t)(shard.Of(0, 2)), func() { t.Error("reported") })
	f.Request(metav1.ListOptions{})
	quarter := must(t)(shard.Of(0, 4))
	f.Limit(quarter)
	for _, obj := range all {
		if hash := shard.UID.Hash(obj); f.Has(obj) != quarter.Contains(hash) {
			t.Errorf("object %s: has %v", obj.UID, f.Has(obj))
		}
	}
}

// Without a filter everything is taken.
func TestNil(t *testing.T) {
	var f *Filter
	options := metav1.ListOptions{Limit: 1}
	if got := f.Request(options); got != options || !f.Wants(nil) || !f.Has(nil) || f.FilteredBy() != "" {
		t.Errorf("requests %v, filtered by %q", got, f.FilteredBy())
	}
}

func must(t *testing.T) func(shard.Ranges, error) shard.Ranges {
	return func(ranges shard.Ranges, err error) shard.Ranges {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return ranges
	}
}
