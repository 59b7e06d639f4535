package collect

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The table of methods is what API objects must have.
func TestObjectMethods(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	qualifier := regexp.MustCompile(`[a-z0-9]+\.`)
	for _, of := range []reflect.Type{reflect.TypeFor[metav1.Object](), reflect.TypeFor[runtime.Object]()} {
		for i := range of.NumMethod() {
			method := of.Method(i)
			want[method.Name] = qualifier.ReplaceAllString(strings.TrimPrefix(method.Type.String(), "func"), "")
		}
	}
	if diff := cmp.Diff(want, objectMethods); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for typ, of := range map[string]reflect.Type{
		"ObjectMeta": reflect.TypeFor[*metav1.ObjectMeta](), "Object": reflect.TypeFor[metav1.Object](), "TypeMeta": reflect.TypeFor[*metav1.TypeMeta](),
		"ListMeta": reflect.TypeFor[*metav1.ListMeta](), "ListInterface": reflect.TypeFor[metav1.ListInterface](),
	} {
		got, _ := metaMethods(typ)
		slices.Sort(got)
		has := slices.DeleteFunc(slices.Sorted(maps.Keys(objectMethods)), func(name string) bool {
			_, ok := of.MethodByName(name)
			return !ok
		})
		if diff := cmp.Diff(has, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", typ, diff)
		}
	}
}
