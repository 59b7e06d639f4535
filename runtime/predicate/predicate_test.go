package predicate_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/predicate"
)

type thing = metav1.PartialObjectMetadata

func TestPredicates(t *testing.T) {
	now := metav1.NewTime(time.Unix(1, 0))
	owners := predicate.FieldChanged(func(obj *thing) []metav1.OwnerReference { return obj.OwnerReferences })
	size := predicate.FieldChanged(func(obj *thing) string { return obj.Annotations["size"] })
	grace := predicate.FieldChanged(func(obj *thing) *int64 { return obj.DeletionGracePeriodSeconds })
	all := map[string]func(old, obj *thing) bool{
		"generation": predicate.GenerationChanged[*thing], "labels": predicate.LabelsChanged[*thing],
		"annotations": predicate.AnnotationsChanged[*thing], "deletion": predicate.DeletionStarted[*thing],
		"owners": owners, "size": size, "grace": grace,
	}
	old := func() *thing {
		seconds := int64(30)
		return &thing{ObjectMeta: metav1.ObjectMeta{
			Name: "a", Generation: 1, Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"size": "1"},
			DeletionGracePeriodSeconds: &seconds,
		}}
	}
	for _, test := range []struct {
		name   string
		change func(*thing)
		want   map[string]bool
	}{
		{"a resync", func(*thing) {}, nil},
		{"a status", func(obj *thing) { obj.ResourceVersion = "2" }, nil},
		{"a spec", func(obj *thing) { obj.Generation++ }, map[string]bool{"generation": true}},
		{"a label", func(obj *thing) { obj.Labels["app"] = "other" }, map[string]bool{"labels": true}},
		{"an annotation", func(obj *thing) { obj.Annotations["note"] = "" }, map[string]bool{"annotations": true}},
		{"the annotation", func(obj *thing) { obj.Annotations["size"] = "2" }, map[string]bool{"annotations": true, "size": true}},
		{"a deletion with finalizers", func(obj *thing) { obj.DeletionTimestamp, obj.Generation = &now, 2 }, map[string]bool{"generation": true, "deletion": true}},
		{"a finalizer", func(obj *thing) { obj.Finalizers = nil }, nil},
		{"an empty slice for nil", func(obj *thing) { obj.OwnerReferences = []metav1.OwnerReference{} }, nil},
		{"an owner", func(obj *thing) { obj.OwnerReferences = []metav1.OwnerReference{{Name: "b"}} }, map[string]bool{"owners": true}},
		{"what a pointer refers to", func(obj *thing) { *obj.DeletionGracePeriodSeconds = 0 }, map[string]bool{"grace": true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			obj := old()
			test.change(obj)
			for name, changed := range all {
				if got := changed(old(), obj); got != test.want[name] {
					t.Errorf("%s: got %v", name, got)
				}
				if changed(obj, obj) {
					t.Errorf("%s: true for an object and itself", name)
				}
			}
		})
	}
}

// The deletion of an object starts once.
func TestDeletionStarted(t *testing.T) {
	now := metav1.Now()
	deleting := &thing{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}
	if predicate.DeletionStarted(deleting, deleting.DeepCopy()) {
		t.Error("true for an object that is being deleted")
	}
}
