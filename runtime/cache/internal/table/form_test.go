package table

import (
	"fmt"
	"runtime"
	"testing"
)

type named struct{ name string }

func (n *named) String() string { return n.name }

type value struct{ a, b int }

func (v value) String() string { return fmt.Sprint(v.a, v.b) }

// What is packed is what is unpacked, whatever its type.
func TestForms(t *testing.T) {
	check(t, "pointers", &named{"a"}, &named{"b"}, nil)
	check[fmt.Stringer](t, "an interface of pointers", &named{"a"}, &named{"b"}, (*named)(nil))
	check[any](t, "an interface without methods", &named{"a"}, &named{"b"})
	check[any](t, "an interface of values", value{1, 2}, value{3, 4}, value{})
	check[any](t, "an interface of small values", 1, 2, 3)
	check[any](t, "an interface of strings", "a", "", "c")
	check(t, "structs", value{1, 2}, value{3, 4})
	check(t, "structs of a pointer", struct{ *named }{&named{"a"}}, struct{ *named }{nil})
	check(t, "strings", "a", "")
	check[any](t, "nothing", nil, nil)
}

func check[T comparable](t *testing.T, name string, objects ...T) {
	t.Run(name, func(t *testing.T) {
		form := FormOf(objects[0])
		var packed []Object
		for _, obj := range objects {
			if !form.Holds(obj) {
				t.Fatalf("does not hold %v", obj)
			}
			packed = append(packed, form.Pack(obj))
		}
		runtime.GC() // what is packed is reachable
		copied := make([]T, len(objects))
		form.Copy(copied, packed)
		for i, obj := range objects {
			if got := form.Unpack(packed[i]); got != obj || copied[i] != obj {
				t.Errorf("got %v and %v, want %v", got, copied[i], obj)
			}
		}
	})
}

// A form for one Go type says of others that it does not hold them; a boxed one holds
// everything.
func TestFormOfOneType(t *testing.T) {
	form, box, pointers := FormOf[fmt.Stringer](&named{"a"}), Boxed[fmt.Stringer](), FormOf(&named{})
	for _, other := range []fmt.Stringer{value{1, 2}, nil} {
		if form.Holds(other) {
			t.Errorf("holds %v", other)
		}
		if got := box.Unpack(box.Pack(other)); got != other {
			t.Errorf("got %v, want %v", got, other)
		}
	}
	if form.HoldsAny() || !box.HoldsAny() || !pointers.HoldsAny() {
		t.Error("HoldsAny is wrong")
	}
}
