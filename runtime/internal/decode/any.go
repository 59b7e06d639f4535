package decode

import (
	"strconv"
	"unsafe"
)

var (
	anyMap   = &node{id: 1 << 8}
	anySlice = &node{id: 2 << 8}
)

// any decodes a value without a Go type: to a string, bool, int64, float64, nil,
// map[string]any or []any, as apimachinery's util/json does.
func (w *walk) any() (any, bool) {
	switch c := w.text[w.at]; {
	case c == '"':
		return w.string()
	case opens(c) && !w.own && w.containers[w.next].end-w.at >= minimumPart:
		return w.anyPart()
	case c == '{':
		return w.anyMap(below)
	case c == '[':
		return w.anySlice()
	}
	switch text := string(w.skip()); text {
	case "null":
		return nil, true
	case "true":
		return true, true
	case "false":
		return false, true
	default:
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, true
		}
		f, err := strconv.ParseFloat(text, 64)
		return f, err == nil
	}
}

// anyPart decodes a map or slice that may be shared.
func (w *walk) anyPart() (any, bool) {
	c := &w.containers[w.next]
	text := w.text[w.at:c.end]
	n := anySlice
	if text[0] == '{' {
		n = anyMap
	}
	found, l, ok := w.shared.parts.find(n, formatJSON, text)
	if ok {
		w.shared.found(len(text))
		w.at, w.next = c.end, c.next
		if n == anyMap {
			return *(*map[string]any)(unsafe.Pointer(&found.at)), true
		}
		return unsafe.Slice((*any)(found.at), found.elements), true
	}
	if n == anyMap {
		m, ok := w.anyMap(below)
		if ok && l.again {
			w.shared.parts.add(&l, part{at: *(*unsafe.Pointer)(unsafe.Pointer(&m))})
		}
		return m, ok
	}
	s, ok := w.anySlice()
	if ok && l.again && len(s) > 0 {
		w.shared.parts.add(&l, part{unsafe.Pointer(unsafe.SliceData(s)), len(s)})
	}
	return s, ok
}

func (w *walk) anyMap(at level) (map[string]any, bool) {
	members := w.open()
	m := make(map[string]any, members)
	for range members {
		key, ok := w.key()
		if !ok {
			return nil, false
		}
		if at == metadata && w.dropManagedFields && key == managedFields {
			w.skip()
			w.after()
			continue
		}
		var value any
		if at == root && key == "metadata" && w.text[w.at] == '{' {
			value, ok = w.anyMap(metadata)
		} else {
			value, ok = w.any()
		}
		if !ok {
			return nil, false
		}
		m[key] = value
		w.after()
	}
	return m, true
}

func (w *walk) anySlice() ([]any, bool) {
	s := make([]any, w.open())
	for i := range s {
		value, ok := w.any()
		if !ok {
			return nil, false
		}
		s[i] = value
		w.after()
	}
	return s, true
}
