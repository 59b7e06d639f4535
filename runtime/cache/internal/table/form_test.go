package table

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

type named struct{ name string }

func (n *named) String() string { return n.name }

type value struct{ a, b int }

func (v value) String() string { return fmt.Sprint(v.a, v.b) }

// Unpack returns the packed object, whatever its type.
func TestForms(t *testing.T) {
	check(t, "pointers", &named{"a"}, &named{"b"}, (*named)(nil))
	check(t, "values", value{1, 2}, value{3, 4}, value{})
	check(t, "small values", 1, 2, 3)
	check(t, "strings", "a", "", "c")
	check(t, "structs of a pointer", struct{ *named }{&named{"a"}}, struct{ *named }{nil})
	check(t, "functions", func() {}, (func())(nil))
	check(t, "maps", map[string]int{"a": 1}, map[string]int(nil))
	check(t, "nothing", nil, nil)
}

func check(t *testing.T, name string, objects ...any) {
	t.Run(name, func(t *testing.T) {
		form := FormOf(objects[0])
		var packed []Object
		for _, obj := range objects {
			if !form.Holds(protocol.Received{Object: obj}) {
				t.Fatalf("does not hold %v", obj)
			}
			packed = append(packed, form.Pack(protocol.Received{Object: obj}))
		}
		runtime.GC() // what is packed is reachable
		for i, obj := range objects {
			if got := form.Unpack(packed[i]); fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", obj) {
				t.Errorf("got %#v, want %#v", got, obj)
			}
		}
	})
}

// A form for one Go type says of others that it does not hold them; a boxed one holds
// everything.
func TestFormOfOneType(t *testing.T) {
	form, box := FormOf(&named{"a"}), Boxed()
	for _, other := range []any{value{1, 2}, nil, "a"} {
		if form.Holds(protocol.Received{Object: other}) {
			t.Errorf("holds %v", other)
		}
		if got := box.Unpack(box.Pack(protocol.Received{Object: other})); got != other {
			t.Errorf("got %v, want %v", got, other)
		}
	}
	if form.HoldsAny() || !box.HoldsAny() {
		t.Error("HoldsAny is wrong")
	}
}

// What the server sent of an object is held with it, in a form that is made for that.
func TestFormOfTransformed(t *testing.T) {
	form, box := FormOf(&named{"a"}), Boxed()
	changed := protocol.Transformed(&named{"a"}, protocol.Sent{Origin: protocol.Origin{UID: "u", ResourceVersion: "5"}})
	if form.Holds(changed) || !box.Holds(changed) {
		t.Errorf("held: %v, boxed: %v", form.Holds(changed), box.Holds(changed))
	}
	word := box.Pack(changed)
	if got := box.Received(word); got != changed || box.Unpack(word) != changed.Object {
		t.Errorf("got %v, want %v", got, changed)
	}
	plain := protocol.Received{Object: &named{"b"}}
	if got := form.Received(form.Pack(plain)); got != plain {
		t.Errorf("got %v, want %v", got, plain)
	}
}
