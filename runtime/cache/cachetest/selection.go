package cachetest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// selection says which objects a list or a watch selects.
type selection struct {
	// namespace is empty for all namespaces.
	namespace string
	labels    labels.Selector
	fields    fields.Selector
	shard     shardSelection
}

// parseSelection validates options by the rules of a real server and returns their selection.
func parseSelection(namespace string, options metav1.ListOptions, shards *atomic.Bool) (selection, error) {
	var parsed internalversion.ListOptions
	if err := internalversion.Convert_v1_ListOptions_To_internalversion_ListOptions(&options, &parsed, nil); err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	if errs := validation.ValidateListOptions(&parsed, true); len(errs) > 0 {
		return selection{}, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	s := selection{namespace: namespace, labels: labels.Everything(), fields: fields.Everything()}
	var err error
	if s.shard, err = parseShard(shardSelector(options), shards); err != nil {
		return selection{}, err
	}
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

// shardSelection says which hashes are selected. It has an effect only while the server filters by shard.
type shardSelection struct {
	field  func(metav1.Object) string
	ranges shard.Ranges
	on     *atomic.Bool
}

// shardTerm is a term of a shard selector (KEP-5866).
var shardTerm = regexp.MustCompile(`^shardRange\(object\.metadata\.(uid|namespace), '0x([0-9a-f]{16})', '0x([0-9a-f]{16}|10000000000000000)'\)$`)

// parseShard parses a shard selector like a real server with the feature gate. For a wrong selector, that
// returns an internal error.
func parseShard(selector string, on *atomic.Bool) (shardSelection, error) {
	if selector == "" || !on.Load() {
		return shardSelection{}, nil
	}
	s := shardSelection{on: on}
	var ranges []shard.Range
	field := ""
	for _, term := range strings.Split(selector, " || ") {
		parts := shardTerm.FindStringSubmatch(term)
		if parts == nil || field != "" && parts[1] != field {
			return s, apierrors.NewInternalError(fmt.Errorf("invalid shard selector: %q", term))
		}
		field = parts[1]
		first, _ := strconv.ParseUint(parts[2], 16, 64)
		end, _ := strconv.ParseUint(parts[3], 16, 64) // 2^64 is out of range, and becomes the largest number
		if len(parts[3]) == 16 {
			end--
		}
		ranges = append(ranges, shard.Range{First: first, Last: end})
	}
	s.field = func(m metav1.Object) string { return string(m.GetUID()) }
	if field == "namespace" {
		s.field = metav1.Object.GetNamespace
	}
	var err error
	if s.ranges, err = shard.RangesOf(ranges...); err != nil {
		return s, apierrors.NewInternalError(err)
	}
	return s, nil
}

func (s shardSelection) matches(m metav1.Object) bool {
	return s.field == nil || !s.on.Load() || s.ranges.Contains(shard.Hash(s.field(m)))
}

func (s selection) matches(m metav1.Object) bool {
	return (s.namespace == "" || s.namespace == m.GetNamespace()) &&
		(s.labels.Empty() || s.labels.Matches(labels.Set(m.GetLabels()))) &&
		(s.fields.Empty() || s.fields.Matches(fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()})) &&
		s.shard.matches(m)
}

// selective reports whether there are selectors. With selectors, a server does not count the remaining
// items.
func (s selection) selective() bool {
	return !s.labels.Empty() || !s.fields.Empty() || s.shard.field != nil
}
