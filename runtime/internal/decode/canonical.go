package decode

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// formatMemory is how a value in memory is written down to be identified.
const formatMemory format = 3

// Canonical makes parts of an object that other objects have too one with theirs, after
// it was decoded by somebody else. The object must be the caller's alone.
func (s *Shared) Canonical(object any) {
	v := reflect.ValueOf(object)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return
	}
	c := canonicals.Get().(*canonical)
	defer c.put()
	c.shared, c.strings = s, interners.Get().(*interner)
	defer interners.Put(c.strings)
	c.visit(layoutOf(v.Type().Elem()), v.UnsafePointer(), root)
}

// canonical is the walk through one object: what it has seen is written down, so that
// what belongs to a part is a range of it.
type canonical struct {
	shared  *Shared
	strings *interner
	written []byte
	depth   int
}

var canonicals = sync.Pool{New: func() any { return new(canonical) }}

func (c *canonical) put() {
	c.shared, c.strings, c.depth = nil, nil, 0
	if cap(c.written) <= 1<<20 {
		c.written = c.written[:0]
		canonicals.Put(c)
	}
}

// deepest is how deep values may be nested: one that refers to itself has no end.
const deepest = 1 << 10

// visit writes the value at p down, and replaces the parts that are known. It reports whether
// all of it could be: what could not is not shared, nor is what holds it.
func (c *canonical) visit(l *layout, p unsafe.Pointer, at level) bool {
	switch l.kind {
	case plainLayout:
		c.written = append(c.written, unsafe.Slice((*byte)(p), l.size)...)
		return l.typ.Kind() < reflect.Chan || l.typ.Kind() == reflect.Struct
	case stringLayout:
		s := (*string)(p)
		if len(*s) <= longestString {
			*s = c.strings.string(unsafe.Slice(unsafe.StringData(*s), len(*s)))
		}
		c.length(len(*s))
		c.written = append(c.written, *s...)
		return true
	}
	if c.depth == deepest {
		return false
	}
	c.depth++
	defer func() { c.depth-- }()
	switch l.kind {
	case structLayout:
		return c.fields(l, p, at)
	case arrayLayout:
		return c.elements(l.elem, p, l.typ.Len())
	case interfaceLayout:
		return c.dynamic(l, p)
	}
	if *(*unsafe.Pointer)(p) == nil {
		c.written = append(c.written, 0)
		return true
	}
	begin := len(c.written)
	c.written = append(c.written, 1)
	if !c.content(l, p) {
		return false
	}
	c.share(l, p, c.written[begin:])
	return true
}

func (c *canonical) length(n int) { c.written = binary.AppendUvarint(c.written, uint64(n)) }

// content writes down what a pointer, slice or map refers to.
func (c *canonical) content(l *layout, p unsafe.Pointer) bool {
	switch l.kind {
	case pointerLayout:
		return c.visit(l.elem, *(*unsafe.Pointer)(p), below)
	case sliceLayout:
		s := (*slice)(p)
		c.length(s.length)
		return c.elements(l.elem, s.at, s.length)
	default:
		return c.entries(l, p)
	}
}

// share replaces what is known by that text.
func (c *canonical) share(l *layout, p unsafe.Pointer, text []byte) {
	if len(text) < minimumPart || !l.shares || l.kind == sliceLayout && (*slice)(p).length == 0 {
		return
	}
	if look, ok := c.shared.reuse(l.node, formatMemory, text, p); !ok {
		c.shared.keep(&look, l.node, p)
	}
}

// fields visits a struct. Nothing is shared of that of a root's metadata as a whole.
func (c *canonical) fields(l *layout, p unsafe.Pointer, at level) bool {
	all := true
	for _, f := range l.fields {
		if !c.visit(f.layout, unsafe.Add(p, f.offset), below) {
			all = false
		}
		if at == root {
			c.written = c.written[:0] // belongs to no part
		}
	}
	return all
}

func (c *canonical) elements(l *layout, array unsafe.Pointer, n int) bool {
	if l.kind == plainLayout && n > 0 {
		c.written = append(c.written, unsafe.Slice((*byte)(array), uintptr(n)*l.size)...)
		return l.typ.Kind() < reflect.Chan || l.typ.Kind() == reflect.Struct
	}
	for i := range n {
		if !c.visit(l, unsafe.Add(array, uintptr(i)*l.size), below) {
			return false
		}
	}
	return true
}

// entries visits a map with keys of the kind string, in the order of its keys.
func (c *canonical) entries(l *layout, p unsafe.Pointer) bool {
	if l.key.kind != stringLayout {
		return false
	}
	m := reflect.NewAt(l.typ, p).Elem()
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	c.length(len(keys))
	elem := reflect.New(l.elem.typ)
	memory := unsafe.Slice((*byte)(elem.UnsafePointer()), l.elem.size)
	var before []byte
	for _, key := range keys {
		c.length(key.Len())
		c.written = append(c.written, key.String()...)
		elem.Elem().Set(m.MapIndex(key))
		before = append(before[:0], memory...)
		if !c.visit(l.elem, elem.UnsafePointer(), below) {
			return false
		}
		if !bytes.Equal(before, memory) {
			m.SetMapIndex(key, elem.Elem()) // which refers to what is known now
		}
	}
	return true
}

// dynamic visits a value in a field of type any, as objects without Go types have them.
func (c *canonical) dynamic(l *layout, p unsafe.Pointer) bool {
	if l.typ.NumMethod() > 0 {
		isNil := reflect.NewAt(l.typ, p).Elem().IsNil()
		c.written = append(c.written, 0)
		return isNil
	}
	value := (*any)(p)
	switch v := (*value).(type) {
	case nil:
		c.written = append(c.written, 0)
	case bool:
		c.written = strconv.AppendBool(append(c.written, 1), v)
	case int64:
		c.written = binary.LittleEndian.AppendUint64(append(c.written, 2), uint64(v))
	case float64:
		c.written = binary.LittleEndian.AppendUint64(append(c.written, 3), math.Float64bits(v))
	case string:
		c.written = append(c.written, 4)
		c.length(len(v))
		c.written = append(c.written, v...)
	case map[string]any:
		c.written = append(c.written, 5)
		before := reflect.ValueOf(v).Pointer()
		ok := c.visit(anyLayouts().object, unsafe.Pointer(&v), below)
		if reflect.ValueOf(v).Pointer() != before {
			*value = v
		}
		return ok
	case []any:
		c.written = append(c.written, 6)
		before := unsafe.SliceData(v)
		ok := c.visit(anyLayouts().array, unsafe.Pointer(&v), below)
		if unsafe.SliceData(v) != before {
			*value = v
		}
		return ok
	default:
		return false
	}
	return true
}

// anyLayouts are those of objects and arrays without a Go type.
var anyLayouts = sync.OnceValue(func() (l struct{ object, array *layout }) {
	l.object, l.array = layoutOf(reflect.TypeFor[map[string]any]()), layoutOf(reflect.TypeFor[[]any]())
	return l
})
