package cachetest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// version is one immutable state of an object. meta is its metadata.
type version struct {
	object runtime.Object
	meta   metav1.Object
}

// snapshot is the state at a resourceVersion, ordered by key.
type snapshot struct {
	rv       uint64
	versions []*version
}

// ingest copies an object from outside.
func ingest(obj runtime.Object) (*version, error) {
	if v := reflect.ValueOf(obj); obj == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, apierrors.NewBadRequest("object is nil")
	}
	copied := obj.DeepCopyObject()
	if reflect.TypeOf(copied) != reflect.TypeOf(obj) {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("deep copy of %T is of another type", obj))
	}
	if _, err := meta.Accessor(copied); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return newVersion(copied), nil
}

// newVersion wraps an object that ingest has seen, or a copy of it.
func newVersion(obj runtime.Object) *version {
	m, _ := meta.Accessor(obj)
	return &version{object: obj, meta: m}
}

func (v *version) key() types.NamespacedName {
	return types.NamespacedName{Namespace: v.meta.GetNamespace(), Name: v.meta.GetName()}
}

func (v *version) copy() runtime.Object { return v.object.DeepCopyObject() }

// copyAt returns a copy with another resourceVersion.
func (v *version) copyAt(rv uint64) runtime.Object {
	copied := newVersion(v.copy())
	copied.meta.SetResourceVersion(formatVersion(rv))
	return copied.object
}

// inherit copies from the old state the fields that an update need not repeat.
func (v *version) inherit(old *version) {
	v.meta.SetUID(old.meta.GetUID())
	v.meta.SetResourceVersion(old.meta.GetResourceVersion())
	if created := v.meta.GetCreationTimestamp(); created.IsZero() {
		v.meta.SetCreationTimestamp(old.meta.GetCreationTimestamp())
	}
	if generation := old.meta.GetGeneration(); v.meta.GetGeneration() == 0 || v.meta.GetGeneration() == generation {
		if !sameSpec(v.object, old.object) {
			generation++
		}
		v.meta.SetGeneration(generation)
	}
}

// sameSpec reports whether two objects differ at most in metadata and status, so that they have the same
// generation.
func sameSpec(x, y any) bool { return equality.Semantic.DeepEqual(specOf(x), specOf(y)) }

// specOf returns the fields of an object that count for its generation. An object without a JSON form is
// returned as it is.
func specOf(obj any) any {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return obj
	}
	return without(content, "apiVersion", "kind", "metadata", statusSubresource)
}

// without returns content without some of its fields.
func without(content map[string]any, fields ...string) map[string]any {
	rest := maps.Clone(content)
	for _, name := range fields {
		delete(rest, name)
	}
	return rest
}

func compareKeys(x, y types.NamespacedName) int {
	return cmp.Or(strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Name, y.Name))
}

// shuffled returns a comparison of keys whose order depends on the seed. For 0 it is compareKeys.
func shuffled(seed uint64) func(x, y types.NamespacedName) int {
	if seed == 0 {
		return compareKeys
	}
	place := func(key types.NamespacedName) uint64 {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(key.String()))
		return rand.NewPCG(seed, hash.Sum64()).Uint64()
	}
	return func(x, y types.NamespacedName) int {
		return cmp.Or(cmp.Compare(place(x), place(y)), compareKeys(x, y))
	}
}

// shuffle returns the versions, which are ordered by key, in the order of a seed.
func shuffle(versions []*version, seed uint64) []*version {
	if seed == 0 {
		return versions
	}
	compare := shuffled(seed)
	return slices.SortedFunc(slices.Values(versions), func(x, y *version) int { return compare(x.key(), y.key()) })
}

func formatVersion(rv uint64) string { return strconv.FormatUint(rv, 10) }

func parseVersion(rv string) (uint64, error) {
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("resourceVersion %q: not a decimal number", rv))
	}
	return n, nil
}
