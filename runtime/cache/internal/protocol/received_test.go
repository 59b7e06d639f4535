package protocol

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

func madeOf(uid types.UID, version string) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: uid, ResourceVersion: version}
}

// What the server sent is kept beside an object if the object does not have it any more.
func TestTransformed(t *testing.T) {
	sent := Sent{Origin: Origin{"u", "5"}}
	deleting := madeOf("u", "5")
	deleting.DeletionTimestamp = &metav1.Time{}
	for _, test := range []struct {
		name  string
		obj   any
		plain bool
	}{
		{"nothing changed", madeOf("u", "5"), true},
		{"no version", madeOf("u", ""), false},
		{"another version", madeOf("u", "1"), false},
		{"no UID", madeOf("", "5"), false},
		{"a deletionTimestamp", deleting, false},
		{"no metadata", "a", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Transformed(test.obj, sent)
			if metadata, known := got.Metadata(); metadata != sent || !known || got.Origin() != sent.Origin {
				t.Errorf("got %v, %v and %v, want %v", metadata, known, got.Origin(), sent)
			}
			if got.Object != test.obj || (got.Sent == nil) != test.plain {
				t.Errorf("got %+v", got)
			}
		})
	}
	if allocated := testing.AllocsPerRun(100, func() { Transformed(deleting, Sent{Origin{"u", "5"}, true}) }); allocated > 0 {
		t.Errorf("%v allocations where nothing is changed", allocated)
	}
}

// Objects are compared by what the server sent of them.
func TestSamenessOfReceived(t *testing.T) {
	blank := func(version string) Received { return Transformed(madeOf("", ""), Sent{Origin: Origin{"u", version}}) }
	one := madeOf("u", "5")
	for _, test := range []struct {
		name           string
		stored, obj    Received
		version, equal bool
	}{
		{"a listed state of a transformed one", blank("5"), Received{Object: madeOf("u", "5")}, true, false},
		{"a later state", blank("5"), Received{Object: madeOf("u", "6")}, false, false},
		{"both transformed", blank("5"), blank("5"), true, true},
		{"both transformed, a later state", blank("5"), blank("6"), false, false},
		{"no versions", blank(""), blank(""), false, true},
		{"one object", Received{Object: one}, Received{Object: one}, true, true},
		{"one object that a transform returns for two states", Received{Object: one}, Transformed(one, Sent{Origin: Origin{"u", "6"}}), false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := SameVersion.Of(test.stored, test.obj); got != test.version {
				t.Errorf("same version: %v", got)
			}
			if got := SameContent.Of(test.stored, test.obj); got != test.equal {
				t.Errorf("same content: %v", got)
			}
		})
	}
}

// An event is compared with what the server sent of the stored object.
func TestJudgeTransformed(t *testing.T) {
	stored := func(uid types.UID, version string) func(types.NamespacedName) (Received, bool) {
		return func(types.NamespacedName) (Received, bool) {
			return Transformed(madeOf("", "1000"), Sent{Origin: Origin{uid, version}}), true
		}
	}
	for _, test := range []struct {
		name   string
		kind   watch.EventType
		cached func(types.NamespacedName) (Received, bool)
		want   Novelty
	}{
		{"an older state", watch.Modified, stored("u", "6"), Outdated},
		{"the same state", watch.Modified, stored("u", "5"), Fresh},
		{"a deletion of another object", watch.Deleted, stored("v", "6"), Superseded},
		{"of an object that had no UID", watch.Modified, stored("", "6"), Fresh},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := NewDelivered()
			if got := d.Judge(test.kind, madeOf("u", "5"), "9", test.cached); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
