package cachetest

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// fieldManager keeps account of who set which fields, for server-side apply.
type fieldManager struct {
	kind    schema.GroupVersionKind
	manager *managedfields.FieldManager
}

// newFieldManager returns the manager for writes to a subresource, or to the
// resource itself if that is empty.
func newFieldManager(s strategy, converter managedfields.TypeConverter, subresource string) (fieldManager, error) {
	reset := map[fieldpath.APIVersion]fieldpath.Filter{}
	version := fieldpath.APIVersion(s.kind.GroupVersion().String())
	switch {
	case subresource == statusSubresource:
		reset[version] = fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec")))
	case s.status:
		reset[version] = fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie(statusSubresource)))
	}
	same := sameVersion{}
	manager, err := managedfields.NewDefaultCRDFieldManager(converter, same, same, same, s.kind, s.kind.GroupVersion(), subresource, reset)
	return fieldManager{kind: s.kind, manager: manager}, err
}

// update notes in obj what a manager changed in live, which is nil for an
// object that is new.
func (f fieldManager) update(live, obj *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	return f.content(f.manager.UpdateNoErrors(f.orEmpty(live), obj, manager))
}

// apply merges what a manager applies into live, which is nil for an object
// that is new.
func (f fieldManager) apply(live, applied *unstructured.Unstructured, manager string, force bool) (*unstructured.Unstructured, error) {
	merged, err := f.manager.Apply(f.orEmpty(live), applied, manager, force)
	if err != nil {
		return nil, err
	}
	return f.content(merged)
}

func (f fieldManager) orEmpty(live *unstructured.Unstructured) *unstructured.Unstructured {
	if live != nil {
		return live
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(f.kind)
	return empty
}

// content returns a merged object in the form of the others: a type converter
// may make a typed one of it.
func (f fieldManager) content(obj runtime.Object) (*unstructured.Unstructured, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u, nil
	}
	values, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: values}
	u.SetGroupVersionKind(f.kind)
	return u, nil
}

// sameVersion stands for the conversions of a server whose versions of a
// resource have the same fields.
type sameVersion struct{}

var (
	_ runtime.ObjectConvertor = sameVersion{}
	_ runtime.ObjectDefaulter = sameVersion{}
	_ runtime.ObjectCreater   = sameVersion{}
)

func (sameVersion) Convert(in, out, _ any) error {
	return fmt.Errorf("conversion from %T to %T: not supported", in, out)
}

func (sameVersion) ConvertToVersion(in runtime.Object, version runtime.GroupVersioner) (runtime.Object, error) {
	old := in.GetObjectKind().GroupVersionKind()
	kind, ok := version.KindForGroupVersionKinds([]schema.GroupVersionKind{old})
	if !ok || kind == old {
		return in, nil
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(kind)
	return out, nil
}

func (sameVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (sameVersion) Default(runtime.Object) {}

func (sameVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	return obj, nil
}

// managerOf returns the name of the manager of a request: what the client
// calls itself, or the beginning of its user agent.
func managerOf(r *http.Request, name string) string {
	if name != "" {
		return name
	}
	agent, _, _ := strings.Cut(r.UserAgent(), "/")
	agent = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, agent)
	return agent[:min(len(agent), validation.FieldManagerMaxLength)]
}

// unchanged says that two states differ at most in the times at which managed
// fields were set, so that there is nothing to store.
func unchanged(obj, old *unstructured.Unstructured) bool {
	obj, old = obj.DeepCopy(), old.DeepCopy()
	for _, u := range []*unstructured.Unstructured{obj, old} {
		entries := u.GetManagedFields()
		for i := range entries {
			entries[i].Time = &metav1.Time{}
		}
		u.SetManagedFields(entries)
	}
	return equality.Semantic.DeepEqual(obj.Object, old.Object)
}
