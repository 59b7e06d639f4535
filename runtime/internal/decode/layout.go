package decode

import (
	"reflect"
	"sync"
)

// layoutKind is what a type is in memory.
type layoutKind uint8

const (
	// plainLayout has no pointers, or such that stand for themselves.
	plainLayout layoutKind = iota
	stringLayout
	pointerLayout
	sliceLayout
	mapLayout
	structLayout
	arrayLayout
	interfaceLayout
)

// layout says where in a type there is memory to share. Unlike a node it knows all fields,
// since two values are one only if all of them are equal.
type layout struct {
	*node
	kind   layoutKind
	size   uintptr
	elem   *layout
	key    *layout
	fields []layoutField
}

type layoutField struct {
	*layout
	offset uintptr
}

var layouts struct {
	mu sync.Mutex
	of map[reflect.Type]*layout
}

func layoutOf(t reflect.Type) *layout {
	layouts.mu.Lock()
	defer layouts.mu.Unlock()
	if layouts.of == nil {
		layouts.of = map[reflect.Type]*layout{}
	}
	return layoutLocked(t)
}

func layoutLocked(t reflect.Type) *layout {
	if l := layouts.of[t]; l != nil {
		return l
	}
	l := &layout{node: nodeOf(t), size: t.Size()}
	layouts.of[t] = l
	switch t.Kind() {
	case reflect.String:
		l.kind = stringLayout
	case reflect.Interface:
		l.kind = interfaceLayout
	case reflect.Pointer:
		l.kind, l.elem = pointerLayout, layoutLocked(t.Elem())
	case reflect.Slice:
		l.kind, l.elem = sliceLayout, layoutLocked(t.Elem())
	case reflect.Map:
		l.kind, l.key, l.elem = mapLayout, layoutLocked(t.Key()), layoutLocked(t.Elem())
	case reflect.Array:
		l.kind, l.elem = arrayLayout, layoutLocked(t.Elem())
	case reflect.Struct:
		if t == timeType {
			break // its pointer is to a time zone
		}
		l.kind = structLayout
		for i := range t.NumField() {
			l.fields = append(l.fields, layoutField{layoutLocked(t.Field(i).Type), t.Field(i).Offset})
		}
	}
	return l
}
