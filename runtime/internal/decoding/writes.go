package decoding

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
)

// Writes says to which memory methods of a type may write although their callers only read. Such memory
// belongs to one object alone, and only users of the object may read it. The value of a map is never
// written to: the language copies it before a method is called. Memory behind pointers, slices and maps is
// not considered.
type Writes struct {
	// Itself means that methods may write to the value itself.
	Itself bool
	// Opaque means that methods may write to memory behind the value, in a way that only the methods know:
	// the type decodes itself, or has unexported fields.
	Opaque bool
	// Known means that the type is not Opaque, since its methods were read.
	Known bool
}

// known holds the types that decode themselves and whose methods were read. They are listed by name so that
// no package is imported for the list.
var known = map[string]Writes{
	// String caches the text, and Cmp and AsDec convert the value. They replace pointers of the value, and never
	// write to the memory behind them.
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

// WritesOf returns to which memory methods of t may write.
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

// isScalar reports whether a value of t refers to no other memory.
func isScalar(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}
