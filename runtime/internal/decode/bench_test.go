package decode

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	v1 "k8s.io/api/core/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// revision is the text that the revision of an object replaces.
const revision = "revision-00000000"

// revisionOf writes a revision into a text, and returns that.
func revisionOf(text []byte, i int) []byte {
	at := bytes.Index(text, []byte("revision-"))
	copy(text[at:], fmt.Sprintf("revision-%08d", i))
	return text
}

// nested returns an object with so many levels, and a revision below them.
func nested(levels int) []byte {
	return []byte(`{"metadata":{"name":"a"},"spec":` + strings.Repeat(`{"a":`, levels) + `"` + revision + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", levels) + "}")
}

// crowded returns a pod with n containers. The first has the revision.
func crowded(n int) *v1.Pod {
	pod := examplePod("a")
	pod.Spec.Containers[0].Image = revision
	for i := range n {
		c := *examplePod("a").Spec.Containers[0].DeepCopy()
		c.Name, c.Args = fmt.Sprint("container-", i), []string{strings.Repeat("an argument ", 10)}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	}
	return pod
}

// What a tenant can put into an object costs about what it costs client-go's decoders.
func BenchmarkOddObjects(b *testing.B) {
	run := func(name string, text []byte, decode func([]byte) any) {
		b.Run(name, func(b *testing.B) {
			var last any
			for i := 0; b.Loop(); i++ {
				last = decode(revisionOf(text, i))
			}
			_ = last
		})
	}
	for name, text := range map[string][]byte{"5000 levels": nested(5000), "400 levels": nested(400), "10000 elements": podText(b, crowded(10_000))} {
		typ := reflect.TypeFor[v1.Pod]()
		if name != "10000 elements" {
			typ = reflect.TypeFor[map[string]any]()
		}
		d := newDecoder(typ, NewShared())
		run(name+"/shared", text, func(text []byte) any { obj, _ := d.decode(text); return obj })
		run(name+"/client-go", text, func(text []byte) any { obj, _ := d.reference(text); return obj })
	}
	message, err := crowded(10_000).Marshal()
	if err != nil {
		b.Fatal(err)
	}
	p := NewDecoder(reflect.TypeFor[v1.Pod](), NewShared())
	run("10000 elements in protobuf/shared", message, func(text []byte) any {
		pod := &v1.Pod{}
		p.Proto(text, decoding.Options{}, unsafe.Pointer(pod))
		return pod
	})
	run("10000 elements in protobuf/client-go", message, func(text []byte) any {
		pod := &v1.Pod{}
		_ = pod.Unmarshal(text)
		return pod
	})
}
