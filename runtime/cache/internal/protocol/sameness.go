package protocol

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// Sameness is the rule by which two objects count as the same state of one object.
type Sameness uint8

const (
	// SameVersion compares the UID and resourceVersion. It needs a server whose versions come from etcd
	// (KEP-5504), where another state has another version.
	SameVersion Sameness = iota
	// SameContent also compares the content. It is for all other servers: aggregated APIs may keep no
	// versions at all, and fakes the same one for ever. An object that is not readable is never the same:
	// handlers get an update, as client-go's do for every object of a list.
	SameContent
)

// Of reports whether both are the same state of the same object. An object without a resourceVersion, or
// without metadata, has no version to compare. Other goroutines may read stored. Only the caller has obj.
func (s Sameness) Of(stored, obj Received) bool {
	if stored.Sent == obj.Sent && samePointer(stored.Object, obj.Object) {
		return true
	}
	origin := obj.Origin()
	if stored.Origin() != origin {
		return false
	}
	if s == SameVersion {
		return origin.ResourceVersion != ""
	}
	return decoding.Readable(stored.Object) && reflect.DeepEqual(stored.Object, withTypeMetaOf(stored.Object, obj.Object))
}

// withTypeMetaOf returns obj with the TypeMeta of stored if only one of the two has one. client-go's typed
// clients leave it in the items of lists, and clear it in watch events. The result is then a shallow copy.
func withTypeMetaOf(stored, obj any) any {
	from, to := typeMetaOf(stored), typeMetaOf(obj)
	if !from.IsValid() || !to.IsValid() || from.IsZero() == to.IsZero() {
		return obj
	}
	alike := reflect.New(reflect.TypeOf(obj).Elem())
	alike.Elem().Set(reflect.ValueOf(obj).Elem())
	typeMetaOf(alike.Interface()).Set(from)
	return alike.Interface()
}

// typeMetaOf returns the TypeMeta embedded in the struct of a pointer, if there is one.
func typeMetaOf(obj any) (none reflect.Value) {
	v := reflect.ValueOf(obj)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return none
	}
	field, ok := v.Type().Elem().FieldByName("TypeMeta")
	if !ok || field.Type != reflect.TypeFor[metav1.TypeMeta]() || len(field.Index) > 1 {
		return none
	}
	return v.Elem().FieldByIndex(field.Index)
}

func samePointer(a, b any) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	return va.Kind() == reflect.Pointer && vb.Kind() == reflect.Pointer && va.Pointer() == vb.Pointer()
}

// VersionSample decides by the first objects of a list whether another state always has another version, as
// on a server that keeps its objects in etcd. There no two objects have the same version, and none is later
// than the list. Aggregated APIs and tests may count for each object separately, or have one version for
// all.
type VersionSample struct {
	versions []string
}

const sampledVersions = 16

// Add notes the version of an object, if it is one of the first.
func (s *VersionSample) Add(obj any) {
	if len(s.versions) < sampledVersions {
		s.versions = append(s.versions, ResourceVersionOf(obj))
	}
}

// Sameness returns the rule for comparing later lists, after a list of the given version. decided is false
// if there were too few objects.
func (s *VersionSample) Sameness(listVersion string) (rule Sameness, decided bool) {
	slices.Sort(s.versions)
	for i, version := range s.versions {
		if Newer(version, listVersion) || i > 0 && version == s.versions[i-1] {
			return SameContent, true
		}
	}
	if len(s.versions) < 2 {
		return SameContent, false
	}
	return SameVersion, true
}
