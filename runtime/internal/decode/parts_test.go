package decode

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

// However many different values there are, the tables do not grow beyond their bounds.
func TestBounded(t *testing.T) {
	shared := NewShared()
	n, alive := nodeOf(reflect.TypeFor[map[string]string]()), new([64]byte)
	for i := range 500_000 {
		text := fmt.Appendf(nil, "a value that is another one each time: %d", i)
		for range 2 {
			_, l, found := shared.parts.find(n, formatJSON, text)
			if found {
				t.Fatalf("found: %s", text)
			}
			if l.again {
				shared.parts.add(&l, part{at: unsafe.Pointer(alive)})
			}
		}
	}
	runtime.KeepAlive(alive)
	entries, seen := 0, 0
	for i := range shards {
		table := shared.parts.shards[i].table.Load()
		entries += len(table.entries)
		seen += len(table.seen)
	}
	if entries != shards*mostParts || seen != shards*mostSeen {
		t.Errorf("%d parts, %d fingerprints: want tables of their full size", entries, seen)
	}
}

// A part is found by its type and its text, not by one of them.
func TestIdentity(t *testing.T) {
	shared := NewShared()
	maps, slices := nodeOf(reflect.TypeFor[map[string]string]()), nodeOf(reflect.TypeFor[[]string]())
	alive := new([64]byte)
	text := []byte("some text")
	for range 2 {
		if _, l, _ := shared.parts.find(maps, formatJSON, text); l.again {
			shared.parts.add(&l, part{unsafe.Pointer(alive), 7})
		}
	}
	if found, _, ok := shared.parts.find(maps, formatJSON, text); !ok || found != (part{unsafe.Pointer(alive), 7}) {
		t.Errorf("found %v %v", found, ok)
	}
	for name, find := range map[string]func() (part, lookup, bool){
		"another type":   func() (part, lookup, bool) { return shared.parts.find(slices, formatJSON, text) },
		"another format": func() (part, lookup, bool) { return shared.parts.find(maps, formatJSON+1, text) },
		"another text":   func() (part, lookup, bool) { return shared.parts.find(maps, formatJSON, []byte("some tex")) },
	} {
		if _, _, ok := find(); ok {
			t.Errorf("found with %s", name)
		}
	}
	runtime.KeepAlive(alive)
}
