package controller

import (
	"errors"
	"math/big"
	"net/netip"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

type thing = metav1.PartialObjectMetadata

func TestPredicates(t *testing.T) {
	now := metav1.NewTime(time.Unix(1, 0))
	owners := FieldChanged(func(obj *thing) []metav1.OwnerReference { return obj.OwnerReferences })
	size := FieldChanged(func(obj *thing) string { return obj.Annotations["size"] })
	grace := FieldChanged(func(obj *thing) *int64 { return obj.DeletionGracePeriodSeconds })
	all := map[string]func(old, obj *thing) bool{
		"generation": GenerationChanged[*thing], "labels": LabelsChanged[*thing],
		"annotations": AnnotationsChanged[*thing], "deletion": DeletionStarted[*thing],
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

// Fields of any type can be compared.
func TestFieldsOfAnyType(t *testing.T) {
	type hidden struct{ a []int }
	type nested struct {
		At    time.Time
		Other *hidden
	}
	now := time.Unix(1_700_000_000, 0)
	elsewhere := now.In(time.FixedZone("elsewhere", 3600))
	quantity := resource.MustParse("1Gi")
	for name, test := range map[string]struct{ a, same, other any }{
		"nothing":             {nil, nil, 1},
		"time":                {now, elsewhere, now.Add(1)},
		"pointer to a time":   {&now, &elsewhere, new(time.Time)},
		"time of the API":     {metav1.NewTime(now), metav1.NewTime(elsewhere), metav1.Time{}},
		"nested time":         {nested{At: now}, nested{At: elsewhere}, nested{}},
		"unexported field":    {hidden{[]int{1}}, hidden{[]int{1}}, hidden{[]int{2}}},
		"nested pointer":      {nested{Other: &hidden{[]int{1}}}, nested{Other: &hidden{[]int{1}}}, nested{Other: &hidden{}}},
		"uncomparable":        {map[string]any{"a": []any{1}}, map[string]any{"a": []any{1}}, map[string]any{"a": []any{2}}},
		"other types":         {any(1), any(1), any("1")},
		"address":             {netip.MustParseAddr("::1"), netip.MustParseAddr("::1"), netip.Addr{}},
		"large number":        {big.NewInt(1), big.NewInt(1), big.NewInt(2)},
		"quantity":            {quantity, resource.MustParse("1024Mi"), resource.Quantity{}},
		"error":               {errors.New("a"), errors.New("a"), errors.New("b")},
		"selector, not there": {struct{ S labels.Selector }{}, struct{ S labels.Selector }{}, struct{ S labels.Selector }{labels.Everything()}},
	} {
		t.Run(name, func(t *testing.T) {
			changed := FieldChanged(func(v any) any { return v })
			if changed(test.a, test.same) || !changed(test.a, test.other) || !changed(test.other, test.a) {
				t.Errorf("of %v: %v changed is %v, %v changed is %v", test.a, test.same, changed(test.a, test.same), test.other, changed(test.a, test.other))
			}
		})
	}
}

// Objects need not be pointers.
func TestMattersOfUncomparableObjects(t *testing.T) {
	type object struct{ Version, Spec []int }
	specs := FieldChanged(func(obj object) []int { return obj.Spec })
	old := object{[]int{1}, []int{1}}
	for name, test := range map[string]struct {
		obj  object
		want bool
	}{
		"resync": {old, true},
		"status": {object{[]int{2}, []int{1}}, false},
		"spec":   {object{[]int{2}, []int{2}}, true},
	} {
		if got := updateMatters(old, test.obj, specs); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// The deletion of an object starts once.
func TestDeletionStarted(t *testing.T) {
	now := metav1.Now()
	deleting := &thing{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}
	if DeletionStarted(deleting, deleting.DeepCopy()) {
		t.Error("true for an object that is being deleted")
	}
}
