package cachetest

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// selection is which objects a list or a watch is about.
type selection struct {
	// namespace is empty for all.
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

// parseSelection validates options by the rules of the real server and returns
// what they select. WatchList says whether the server supports watch-lists.
func parseSelection(namespace string, options metav1.ListOptions, watchList bool) (selection, error) {
	var parsed internalversion.ListOptions
	if err := internalversion.Convert_v1_ListOptions_To_internalversion_ListOptions(&options, &parsed, nil); err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	if errs := validation.ValidateListOptions(&parsed, watchList); len(errs) > 0 {
		return selection{}, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	s := selection{namespace: namespace, labels: labels.Everything(), fields: fields.Everything()}
	if parsed.LabelSelector != nil {
		s.labels = parsed.LabelSelector
	}
	if parsed.FieldSelector != nil {
		s.fields = parsed.FieldSelector
	}
	for _, r := range s.fields.Requirements() {
		if r.Field != "metadata.name" && r.Field != "metadata.namespace" {
			return selection{}, apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", r.Field))
		}
	}
	return s, nil
}

func (s selection) matches(m metav1.Object) bool {
	return (s.namespace == "" || s.namespace == m.GetNamespace()) &&
		(s.labels.Empty() || s.labels.Matches(labels.Set(m.GetLabels()))) &&
		(s.fields.Empty() || s.fields.Matches(fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()}))
}

// selective says that there are selectors, with which a server does not count
// the items that remain.
func (s selection) selective() bool { return !s.labels.Empty() || !s.fields.Empty() }
