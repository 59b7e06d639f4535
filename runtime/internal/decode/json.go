package decode

import (
	"bytes"
	stdjson "encoding/json"
	"reflect"
	"sync"
	"unsafe"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// Decoder decodes objects of one Go type. It is safe for concurrent use.
type Decoder struct {
	root   *node
	shared *Shared
}

// NewDecoder returns the decoder of a type. Its objects share parts by way of shared; nil shares nothing.
// Exclusive objects share only strings.
func NewDecoder(t reflect.Type, shared *Shared) *Decoder { return &Decoder{nodeOf(t), shared} }

// JSON decodes a text into a zero value of the type that pointer points to. A Scanner must have accepted
// the text, from its first byte to its last, with its index. JSON returns false if another decoder must be
// used: then the value may be filled in part. It keeps no reference to the text.
func (d *Decoder) JSON(text []byte, x Index, how decoding.Options, pointer unsafe.Pointer) bool {
	if text[0] != '{' || d.root.kind != structKind && d.root.kind != anyMapKind {
		return false // what null means is not decided here
	}
	w := walks.Get().(*walk)
	defer w.put()
	w.session, w.index, w.text = d.begin(text, how, pointer), x, text
	if d.root.kind == structKind {
		return w.object(d.root, pointer, root)
	}
	content, ok := w.anyMap(root)
	*(*map[string]any)(pointer) = content
	return ok
}

// walk is the decoding of one text.
type walk struct {
	session
	index Index
	text  []byte
	at    int
	// next is the place in the index of the next container.
	next int
}

// level is the place of a struct or map in an object.
type level uint8

const (
	below level = iota
	// root is the object itself, and metadata its ObjectMeta. Neither is looked up, since no two objects
	// have the same.
	root
	metadata
)

const managedFields = "managedFields"

var walks = sync.Pool{New: func() any { return new(walk) }}

func (w *walk) put() {
	w.end()
	*w = walk{}
	walks.Put(w)
}

func (w *walk) space() {
	for isSpace(w.text[w.at]) {
		w.at++
	}
}

// value decodes the next value into a zero value.
func (w *walk) value(n *node, p unsafe.Pointer) bool {
	c := w.text[w.at]
	if c == 'n' && n.kind != unmarshalerKind && n.kind != foreign {
		w.at += len("null")
		return true
	}
	switch n.kind {
	case stringKind:
		s, ok := w.string()
		*(*string)(p) = s
		return ok
	case boolKind:
		return w.bool(p)
	case intKind, uintKind, floatKind:
		return w.number(n, p)
	case bytesKind:
		return w.bytes(p)
	case timeKind:
		return w.time(p)
	case anyKind:
		v, ok := w.any()
		*(*any)(p) = v
		return ok
	case unmarshalerKind:
		w.written.note(n.writes.Opaque)
		ok := reflect.NewAt(n.typ, p).Interface().(stdjson.Unmarshaler).UnmarshalJSON(w.skip()) == nil
		n.clip(p)
		return ok
	case foreign:
		w.written.note(!n.writes.Known)
		return utiljson.Unmarshal(w.skip(), reflect.NewAt(n.typ, p).Interface()) == nil
	case pointerKind:
		if !opens(c) {
			return w.pointer(n, p)
		}
	}
	if !opens(c) {
		return false
	}
	return w.part(n, p)
}

// part decodes a container that may be shared.
func (w *walk) part(n *node, p unsafe.Pointer) bool {
	c := &w.index[w.next]
	l, ok := w.find(n, formatJSON, w.text[w.at:c.end], p)
	if ok {
		w.at, w.next = c.end, c.next
		return true
	}
	before := w.written
	if !w.container(n, p) {
		return false
	}
	w.keep(&l, n, p, before)
	return true
}

// container decodes an object or array.
func (w *walk) container(n *node, p unsafe.Pointer) bool {
	object := w.text[w.at] == '{'
	switch n.kind {
	case structKind:
		return object && w.object(n, p, below)
	case pointerKind:
		return w.pointer(n, p)
	case stringMapKind:
		return object && w.stringMap(p)
	case anyMapKind:
		if !object {
			return false
		}
		m, ok := w.anyMap(below)
		*(*map[string]any)(p) = m
		return ok
	case mapKind:
		return object && w.mapping(n, p)
	case stringsKind:
		return !object && w.stringSlice(p)
	case sliceKind:
		return !object && w.slice(n, p)
	}
	return false
}

func (w *walk) pointer(n *node, p unsafe.Pointer) bool {
	value, base := w.newPointer(n, p), w.base
	w.base = value
	decode := w.value
	if opens(w.text[w.at]) && n.elem.kind != foreign && n.elem.kind != unmarshalerKind && n.elem.kind != anyKind {
		decode = w.container
	}
	ok := decode(n.elem, value)
	w.base = base
	return ok
}

// open enters the next container, and returns the number of its members.
func (w *walk) open() (members int) {
	members = w.index[w.next].members
	w.next++
	w.at++
	w.space()
	if members == 0 {
		w.at++
	}
	return members
}

// after moves past a member of a container.
func (w *walk) after() {
	w.space()
	w.at++ // the comma, or the end of the container
	if w.at < len(w.text) {
		w.space()
	}
}

// name reads the name of a field, which may have escapes, and moves to its value.
func (w *walk) name() []byte {
	end := endOfString(w.text, w.at)
	name := w.text[w.at+1 : end-1]
	w.at = end
	w.colon()
	return name
}

// key reads the name of a member as a string, and moves to its value.
func (w *walk) key() (string, bool) {
	key, ok := w.string()
	w.colon()
	return key, ok
}

func (w *walk) colon() {
	w.space()
	w.at++
	w.space()
}

// object decodes an object into a struct.
func (w *walk) object(n *node, p unsafe.Pointer, at level) bool {
	var seen uint64
	last := -1
	for range w.open() {
		name := w.name()
		i := n.field(name, last)
		switch {
		case at == metadata && w.dropManagedFields && string(name) == managedFields:
			w.skip()
		case i >= 0 && seen&(1<<i) == 0:
			seen |= 1 << i
			last = i
			if !w.field(&n.fields[i], p, at) {
				return false
			}
		case i >= 0 || bytes.IndexByte(name, '\\') >= 0:
			return false
		default:
			w.skip()
		}
		w.after()
	}
	return true
}

// field decodes a field of the struct at p.
func (w *walk) field(f *field, p unsafe.Pointer, at level) bool {
	p = unsafe.Add(p, f.offset)
	if at == root && f.name == "metadata" && f.node.kind == structKind && w.text[w.at] == '{' {
		return w.object(f.node, p, metadata)
	}
	return w.value(f.node, p)
}

func (w *walk) stringMap(p unsafe.Pointer) bool {
	members := w.open()
	m := make(map[string]string, members)
	*(*map[string]string)(p) = m
	for range members {
		key, ok := w.key()
		if !ok {
			return false
		}
		var value string
		if w.text[w.at] == 'n' {
			w.skip()
		} else if value, ok = w.string(); !ok {
			return false
		}
		m[key] = value
		w.after()
	}
	return true
}

func (w *walk) mapping(n *node, p unsafe.Pointer) bool {
	members := w.open()
	m := reflect.MakeMapWithSize(n.typ, members)
	reflect.NewAt(n.typ, p).Elem().Set(m)
	key := reflect.New(n.key).Elem()
	elem := reflect.New(n.elem.typ)
	base := w.base
	w.base = nil // elem is overwritten
	for range members {
		name, ok := w.key()
		if !ok {
			return false
		}
		key.SetString(name)
		elem.Elem().SetZero()
		if !w.value(n.elem, elem.UnsafePointer()) {
			return false
		}
		m.SetMapIndex(key, elem.Elem())
		w.after()
	}
	w.base = base
	return true
}

func (w *walk) stringSlice(p unsafe.Pointer) bool {
	all := make([]string, w.open())
	*(*[]string)(p) = all
	for i := range all {
		if w.text[w.at] == 'n' {
			w.skip()
		} else {
			s, ok := w.string()
			if !ok {
				return false
			}
			all[i] = s
		}
		w.after()
	}
	return true
}

func (w *walk) slice(n *node, p unsafe.Pointer) bool {
	members := w.open()
	array, size, base := w.newArray(n, members, p), n.elem.typ.Size(), w.base
	w.base = array
	for i := range members {
		if !w.value(n.elem, unsafe.Add(array, uintptr(i)*size)) {
			return false
		}
		w.after()
	}
	w.base = base
	return true
}

// skip moves past the next value, and returns its text.
func (w *walk) skip() []byte {
	begin := w.at
	switch c := w.text[begin]; {
	case opens(c):
		w.at, w.next = w.index[w.next].end, w.index[w.next].next
	case c == '"':
		w.at = endOfString(w.text, begin)
	default:
		for w.at < len(w.text) && !endsLiteral(w.text[w.at]) {
			w.at++
		}
	}
	return w.text[begin:w.at]
}

func endsLiteral(c byte) bool { return c == ',' || c == '}' || c == ']' || isSpace(c) }
