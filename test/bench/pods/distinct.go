package pods

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// distinguish changes all values of the i-th pod, so that none occurs twice, in this pod
// or in any other. The namespace stays, and so do values of two or three states. Strings
// keep their length if it is enough.
func distinguish(pod *v1.Pod, i int) {
	const most = 1_000 // more than the values of a pod
	d := distinguisher{next: i * most}
	namespace := pod.Namespace
	d.change(reflect.ValueOf(pod).Elem())
	pod.Namespace = namespace
}

// distinguisher has a number for each value.
type distinguisher struct{ next int }

func (d *distinguisher) number() int {
	d.next++
	return d.next
}

func (d *distinguisher) change(v reflect.Value) {
	switch value := v.Interface().(type) {
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.NewTime(epoch.Add(time.Duration(d.number()) * time.Second))))
		return
	case resource.Quantity:
		v.Set(reflect.ValueOf(*resource.NewQuantity(int64(d.number()), resource.DecimalSI)))
		return
	case intstr.IntOrString:
		v.Set(reflect.ValueOf(intstr.FromString(d.text(value.StrVal))))
		return
	case metav1.TypeMeta:
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() > 0 {
			v.SetString(d.text(v.String()))
		}
	case reflect.Int32, reflect.Int64:
		if !v.IsZero() {
			v.SetInt(int64(d.number()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			d.change(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			d.change(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.change(v.Field(i))
		}
	case reflect.Map:
		if v.Len() > 0 {
			v.Set(d.entries(v))
		}
	}
}

// entries returns a map with other keys and other values.
func (d *distinguisher) entries(v reflect.Value) reflect.Value {
	changed := reflect.MakeMap(v.Type())
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, old := range keys {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(old)
		value.Set(v.MapIndex(old))
		d.change(key)
		d.change(value)
		changed.SetMapIndex(key, value)
	}
	return changed
}

// text returns a string that ends with a number instead of its own end.
func (d *distinguisher) text(s string) string {
	end := strconv.FormatInt(int64(d.number()), 36)
	return s[:max(0, len(s)-len(end))] + end
}
