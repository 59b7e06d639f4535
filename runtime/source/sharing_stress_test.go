package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// updatesOf returns watch events with the i-th change of the first n deployed pods.
func updatesOf(t *testing.T, n, i int, frame func(testing.TB, string, kruntime.Object) []byte) (body []byte) {
	t.Helper()
	for p := range n {
		pod := deployedPod(t, p)
		pod.ResourceVersion = fmt.Sprint(1_000_000 + i*n + p)
		pod.Status.Conditions[2].Status = corev1.ConditionStatus([]string{"True", "False"}[i%2])
		pod.Status.Conditions[2].LastTransitionTime = metav1.NewTime(time.Date(2026, 2, 1, 0, 0, i*n+p, 0, time.UTC))
		pod.Annotations["revision"] = fmt.Sprint("revision ", i)
		body = append(body, frame(t, "MODIFIED", pod)...)
	}
	return body
}

// receive decodes watch events, and passes on their pods.
func receive(body []byte, c *codec, contentType string, each func(*corev1.Pod)) error {
	r := newResponse(io.NopCloser(bytes.NewReader(body)), decoder{codec: c, gv: pods.GroupVersion(), limit: defaultMaxObjectBytes})
	w := r.watcher(context.Background(), func(error) {})
	for {
		event, err := w.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		each(event.Object.(*corev1.Pod))
	}
}

// Updates for as long as one likes take no more memory than the first: what objects no longer
// have in common is not kept.
func TestSharingKeepsHeapFlat(t *testing.T) {
	const n, rounds = 200, 10
	for contentType, frame := range map[string]func(testing.TB, string, kruntime.Object) []byte{jsonType: jsonFrame, protoType: protoFrame} {
		t.Run(contentType, func(t *testing.T) {
			c := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
			store := map[string]*corev1.Pod{}
			heap := func() uint64 {
				runtime.GC()
				runtime.GC() // what weak pointers pointed to
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			empty := heap()
			var early uint64
			for i := range rounds {
				if err := receive(updatesOf(t, n, i, frame), c, contentType, func(pod *corev1.Pod) { store[pod.Name] = pod }); err != nil {
					t.Fatal(err)
				}
				if i == 3 {
					early = heap() - empty
				}
			}
			late := heap() - empty
			t.Logf("%d KiB after 4 updates of each of %d pods, %d after %d", early>>10, n, late>>10, rounds)
			if late > early+early/20 {
				t.Errorf("%d bytes after 4 updates of each pod, %d after %d", early, late, rounds)
			}
			if !anyShares(podsIn(store)[:100]) {
				t.Error("no two pods share memory: the test is about nothing")
			}
			runtime.KeepAlive(store)
		})
	}
}

func podsIn(store map[string]*corev1.Pod) (all []*corev1.Pod) {
	for _, pod := range store {
		all = append(all, pod)
	}
	return all
}

// Whoever changes a deep copy changes no other object, while others read and decode: under the
// race detector this finds a shared part that DeepCopy does not copy.
func TestSharedPartsAreChangedInCopies(t *testing.T) {
	const n, rounds = 60, 6
	c := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
	var bodies [][]byte
	for i := range rounds {
		bodies = append(bodies, updatesOf(t, n, i, jsonFrame))
	}
	want := map[string]*corev1.Pod{}
	if err := receive(bodies[rounds-1], newCodec(reflect.TypeFor[*corev1.Pod](), nil), jsonType, func(pod *corev1.Pod) { want[pod.Name] = pod }); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	store := map[string]*corev1.Pod{}
	stored := func() []*corev1.Pod {
		mu.Lock()
		defer mu.Unlock()
		return podsIn(store)
	}
	done := make(chan struct{}) // closed when all was decoded
	var users sync.WaitGroup
	for range 2 {
		users.Go(func() { // a controller that writes
			for !isClosed(done) {
				for _, pod := range stored() {
					scribble(reflect.ValueOf(pod.DeepCopy()))
				}
			}
		})
		users.Go(func() { // and one that reads
			for !isClosed(done) {
				for _, pod := range stored() {
					if _, err := pod.Marshal(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	var decoders sync.WaitGroup
	for range 2 {
		decoders.Go(func() {
			for _, body := range bodies {
				if err := receive(body, c, jsonType, func(pod *corev1.Pod) {
					mu.Lock()
					defer mu.Unlock()
					store[pod.Name] = pod
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	decoders.Wait()
	close(done)
	users.Wait()
	if !anyShares(stored()) {
		t.Error("no two pods share memory: the test is about nothing")
	}
	for name, pod := range want {
		if !reflect.DeepEqual(store[name], pod) {
			t.Errorf("pod %s was changed", name)
		}
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// scribble changes all memory that a value refers to.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String && v.Len() > 0 {
			v.SetMapIndex(reflect.ValueOf("scribbled").Convert(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		}
	case reflect.String:
		v.SetString("scribbled")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() ^ 1)
	}
}
