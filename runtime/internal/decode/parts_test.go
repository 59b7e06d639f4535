package decode

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	v1 "k8s.io/api/core/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// However many different values there are, the tables do not grow beyond their bounds.
func TestBounded(t *testing.T) {
	shared := NewShared()
	n, alive := nodeOf(reflect.TypeFor[map[string]string]()), new([64]byte)
	for i := range 500_000 {
		text := fmt.Appendf(nil, "a value that is another one each time: %d", i)
		for range 2 {
			_, l, found := shared.find(n, formatJSON, text)
			if found {
				t.Fatalf("found: %s", text)
			}
			if l.again {
				shared.add(&l, part{at: unsafe.Pointer(alive)})
			}
		}
	}
	runtime.KeepAlive(alive)
	entries, seen := 0, 0
	for i := range shards {
		table := shared.shards[i].table.Load()
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
		if _, l, _ := shared.find(maps, formatJSON, text); l.again {
			shared.add(&l, part{unsafe.Pointer(alive), 7})
		}
	}
	if found, _, ok := shared.find(maps, formatJSON, text); !ok || found != (part{unsafe.Pointer(alive), 7}) {
		t.Errorf("found %v %v", found, ok)
	}
	for name, find := range map[string]func() (part, lookup, bool){
		"another type":   func() (part, lookup, bool) { return shared.find(slices, formatJSON, text) },
		"another format": func() (part, lookup, bool) { return shared.find(maps, formatJSON+1, text) },
		"another text":   func() (part, lookup, bool) { return shared.find(maps, formatJSON, []byte("some tex")) },
	} {
		if _, _, ok := find(); ok {
			t.Errorf("found with %s", name)
		}
	}
	runtime.KeepAlive(alive)
}

// entriesOf returns what is held of a type, and seenBy how many parts were looked up.
func entriesOf(s *Shared, n *node) (all []entry) {
	for i := range s.shards {
		for _, e := range s.shards[i].load().entries {
			if e.of == n {
				all = append(all, e)
			}
		}
	}
	return all
}

func seenBy(s *Shared) (parts int) {
	for i := range s.shards {
		seen := s.shards[i].load().seen
		for j := range seen {
			if seen[j].Load() != 0 {
				parts++
			}
		}
	}
	return parts
}

// The runtime goes through all weak pointers to one array to add another one.
func TestOneWeakPointerForEachArray(t *testing.T) {
	typ := reflect.TypeFor[v1.Pod]()
	pod := crowded(500)
	text := podText(t, pod)
	message, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	j, p := NewDecoder(typ, NewShared()), NewDecoder(typ, NewShared())
	for name, test := range map[string]struct {
		shared *Shared
		decode func(i int, pod *v1.Pod) bool
	}{
		"JSON": {j.shared, func(i int, pod *v1.Pod) bool { return j.scanned(revisionOf(text, i), unsafe.Pointer(pod)) }},
		"protobuf": {p.shared, func(i int, pod *v1.Pod) bool {
			return p.Proto(revisionOf(message, i), decoding.Options{}, unsafe.Pointer(pod))
		}},
	} {
		arrays := map[unsafe.Pointer]bool{}
		var pods [4]v1.Pod
		for i := range pods {
			if !test.decode(i, &pods[i]) {
				t.Fatalf("%s: refused", name)
			}
			arrays[unsafe.Pointer(&pods[i].Spec.Containers[0])] = true
		}
		held := entriesOf(test.shared, nodeOf(reflect.TypeFor[v1.Container]()))
		for _, e := range held {
			if found, ok := e.strong(); ok && !arrays[found.at] {
				t.Errorf("%s: a weak pointer into an array", name)
			}
		}
		if len(held) < 100 {
			t.Errorf("%s: %d containers are held, want most of 500", name, len(held))
		}
		runtime.KeepAlive(pods)
	}
}

// What is nested deeply is not hashed anew at each level.
func TestHashedBytesAreBounded(t *testing.T) {
	text := nested(400)
	j := NewDecoder(reflect.TypeFor[map[string]any](), NewShared())
	var decoded map[string]any
	if !j.scanned(text, unsafe.Pointer(&decoded)) {
		t.Fatal("refused")
	}
	if parts := seenBy(j.shared); parts == 0 || parts > hashedBytes {
		t.Errorf("%d parts of about 1 MB were hashed, want %d at most", parts, hashedBytes)
	}
}
