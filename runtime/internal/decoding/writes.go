package decoding

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
)

// Writes says where methods of a type may write to although their callers only read. Memory
// that is written to belongs to one object alone, and only users of the object may read it.
// The value of a map is never written to: the language copies it before a method is called.
// What is behind pointers, slices and maps is not looked at.
type Writes struct {
	// Itself is for types that may write to a value of theirs.
	Itself bool
	// Opaque is for types that may write to what a value refers to, in a way that only their
	// methods know: they decode themselves, or have unexported fields.
	Opaque bool
	// Known is for types that are not Opaque, as far as their methods were read.
	Known bool
}

// known has the types that decode themselves and whose methods were read. They are listed by
// name so that no package is imported for the list.
var known = map[string]Writes{
	// String caches the text, and Cmp and AsDec convert the value. They replace what it points
	// to, and never change that.
	"k8s.io/apimachinery/pkg/api/resource.Quantity": {Itself: true, Known: true},

	"encoding/json.RawMessage":                                       {Known: true},
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":  {Known: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                  {Known: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                  {Known: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                 {Known: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                      {Known: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.Unstructured": {Known: true},
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                   {Known: true},
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                {Known: true},
	"time.Time": {Known: true},
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

var found sync.Map // by type

// WritesOf returns where methods of t may write to.
func WritesOf(t reflect.Type) Writes {
	if w, ok := found.Load(t); ok {
		return w.(Writes)
	}
	w := analyze(t)
	found.Store(t, w)
	return w
}

func analyze(t reflect.Type) (w Writes) {
	if w, ok := known[t.PkgPath()+"."+t.Name()]; ok {
		return w
	}
	pointer := reflect.PointerTo(t)
	switch {
	case isScalar(t):
		return Writes{Known: true}
	case pointer.Implements(jsonUnmarshaler) || pointer.Implements(textUnmarshaler):
		return Writes{Itself: true, Opaque: true}
	case t.Kind() == reflect.Array:
		return Writes{Itself: WritesOf(t.Elem()).Itself}
	case t.Kind() != reflect.Struct:
		return Writes{}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous && f.Type.Size() > 0 {
			return Writes{Itself: true, Opaque: true}
		}
		w.Itself = w.Itself || WritesOf(f.Type).Itself
	}
	return w
}

// isScalar reports whether a value of t has no room for anything but itself.
func isScalar(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}
