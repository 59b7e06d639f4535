package reader

import (
	"fmt"
	"testing"
	"unsafe"
)

type thing struct{ name string }

func (t *thing) String() string { return t.name }

// asThing is a form of words that are pointers to a thing.
type asThing struct{}

func (asThing) Unpack(word unsafe.Pointer) any { return (*thing)(word) }

func (asThing) Only(example any) bool { _, ok := example.(*thing); return ok }

// Objects come out with the type that they are asked for, and those that are pointers
// without a copy.
func TestSlice(t *testing.T) {
	a, b := &thing{"a"}, &thing{"b"}
	objects := Objects{Words: []unsafe.Pointer{unsafe.Pointer(a), unsafe.Pointer(b)}, Form: asThing{}}
	pointers := Slice[*thing](objects)
	if len(pointers) != 2 || pointers[0] != a || pointers[1] != b {
		t.Errorf("pointers: %v", pointers)
	}
	if unsafe.Pointer(unsafe.SliceData(pointers)) != unsafe.Pointer(unsafe.SliceData(objects.Words)) {
		t.Error("pointers were copied")
	}
	if got := Slice[fmt.Stringer](objects); len(got) != 2 || got[0] != fmt.Stringer(a) || got[1] != fmt.Stringer(b) {
		t.Errorf("interfaces: %v", got)
	}
	if got := Slice[any](objects); len(got) != 2 || got[0] != any(a) || got[1] != any(b) {
		t.Errorf("any: %v", got)
	}
	if _, ok := Pointers[fmt.Stringer](objects.Words, objects.Form); ok {
		t.Error("interfaces are taken for pointers")
	}
	if got := Slice[*thing](Objects{}); got != nil {
		t.Errorf("nothing: %v", got)
	}
}

// Nothing, and an object of another type, is the zero value.
func TestAs(t *testing.T) {
	a := &thing{"a"}
	if got := As[*thing](a); got != a {
		t.Errorf("a pointer: %v", got)
	}
	if got := As[fmt.Stringer](a); got != fmt.Stringer(a) {
		t.Errorf("an interface: %v", got)
	}
	if got := As[any](a); got != any(a) {
		t.Errorf("any: %v", got)
	}
	if got := As[*thing](nil); got != nil {
		t.Errorf("nothing: %v", got)
	}
	if got := As[*thing]("a string"); got != nil {
		t.Errorf("another type: %v", got)
	}
	if got := As[string]("a string"); got != "a string" {
		t.Errorf("a value: %q", got)
	}
}
