package footprint

import (
	"reflect"
	"slices"
	"unsafe"
)

const (
	// sampled is the number of allocations that are counted one by one. With that many, the error of the
	// sum is less than one percent.
	sampled = 1 << 17
	// deepest limits the length of a chain of references between allocations. API objects have a dozen.
	deepest = 1000
	// most limits the bytes of an allocation with everything that it refers to. If it refers to another one
	// twice, that one counts twice, and 60 such steps in a row would overflow a number.
	most = 1 << 40
)

// walk visits objects and counts their memory.
type walk struct {
	tally  tally
	shapes map[reflect.Type]*shape
	paths  []*path
	// open holds the allocations that are being walked, the outermost first.
	open []uintptr
	// unshared is the sum of all objects as if nothing were shared.
	unshared int64
}

func newWalk() *walk {
	w := &walk{tally: tally{limit: sampled, met: map[uintptr]allocation{}}, shapes: map[reflect.Type]*shape{}}
	w.paths = append(w.paths, &path{})
	return w
}

func (w *walk) object(v reflect.Value) {
	if v.IsValid() {
		w.unshared += w.visit(v, w.shapeOf(v.Type()), w.paths[0])
	}
}

// visit counts the memory that a value refers to, without the value's own, and returns how much it is, even
// if it was counted before.
func (w *walk) visit(v reflect.Value, of *shape, at *path) (bytes int64) {
	switch of.kind {
	case reflect.String:
		if s := v.String(); s != "" {
			return w.allocation(uintptr(unsafe.Pointer(unsafe.StringData(s))), int64(len(s)), at, nil)
		}
	case reflect.Pointer:
		return w.allocation(v.Pointer(), of.elem.size, at, func() int64 { return w.visit(v.Elem(), of.elem, at) })
	case reflect.Slice:
		if of.elem.refers {
			return w.allocation(v.Pointer(), of.elem.size*int64(v.Cap()), at, func() int64 { return w.elements(v, of.elem, at) })
		}
		return w.allocation(v.Pointer(), of.elem.size*int64(v.Cap()), at, nil)
	case reflect.Array:
		if of.refers {
			return w.elements(v, of.elem, at)
		}
	case reflect.Map:
		return w.allocation(v.Pointer(), sizeOfMap(v.Len(), of), at, func() int64 { return w.entries(v, of, at) })
	case reflect.Struct:
		for _, f := range of.fields {
			if value := v.Field(f.index); !f.of.nilable || !value.IsZero() {
				bytes += w.visit(value, f.of, w.below(at, f.name))
			}
		}
	case reflect.Interface:
		return w.dynamic(v, at)
	}
	return bytes
}

// allocation counts an allocation that was not counted yet, with the memory that it refers to.
func (w *walk) allocation(address uintptr, own int64, at *path, content func() int64) int64 {
	if address == 0 || own == 0 {
		return 0
	}
	if met, ok := w.tally.met[address]; ok {
		return met.all
	}
	own = rounded(own)
	all := own
	if content != nil {
		if len(w.open) == deepest || slices.Contains(w.open, address) {
			return 0 // it refers to itself
		}
		w.open = append(w.open, address)
		all = min(all+content(), most)
		w.open = w.open[:len(w.open)-1]
	}
	w.tally.add(address, allocation{own, all, at.index})
	return all
}

func (w *walk) elements(v reflect.Value, of *shape, at *path) (bytes int64) {
	for i := range v.Len() {
		bytes += w.visit(v.Index(i), of, at)
	}
	return bytes
}

func (w *walk) entries(v reflect.Value, of *shape, at *path) (bytes int64) {
	for entry := v.MapRange(); entry.Next(); {
		key, below := entry.Key(), at
		if of.names {
			below = w.below(at, key.String()) // an object without a Go type
		}
		bytes += w.visit(key, of.key, at)
		if of.elem.refers {
			bytes += w.visit(entry.Value(), of.elem, below)
		}
	}
	return bytes
}

// dynamic counts the value in an interface. Unless it is a pointer or a map, it has an allocation of its
// own.
func (w *walk) dynamic(v reflect.Value, at *path) int64 {
	value := v.Elem()
	if !value.IsValid() {
		return 0
	}
	of := w.shapeOf(value.Type())
	if of.kind == reflect.Pointer || of.kind == reflect.Map {
		return w.visit(value, of, at)
	}
	held := v.Interface()
	box := (*[2]uintptr)(unsafe.Pointer(&held))[1]
	return w.allocation(box, of.size, at, func() int64 { return w.visit(value, of, at) })
}
