package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

const testLimit = 64 << 10

// largePod is a pod of more than the limit whose strings are short.
func largePod() *corev1.Pod {
	pod := podNamed("large")
	for len(mustJSON(fataler{}, pod.Spec.Containers)) < 2*testLimit {
		pod.Spec.Containers = append(pod.Spec.Containers, pod.Spec.Containers...)
	}
	return pod
}

// fataler is a testing.TB for what cannot fail.
type fataler struct{ testing.TB }

func (fataler) Helper() {}

// limited returns a source of pods with the limit of the tests, whose server has
// one answer.
func limited(t *testing.T, contentType string, body []byte) cache.Source[*corev1.Pod] {
	t.Helper()
	return limitedTo(t, testLimit, contentType, body)
}

// limitedTo is limited with another limit.
func limitedTo(t *testing.T, limit int64, contentType string, body []byte) cache.Source[*corev1.Pod] {
	t.Helper()
	client, err := NewClientWithOptions(serveBody(t, contentType, string(body)), ClientOptions{MaxObjectBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	return New[*corev1.Pod](client, pods, "")
}

// isLarge reports whether err is that of the large pod, or of one without a name.
func isLarge(err error, name string) bool {
	var object *failure.ObjectError
	return errors.Is(err, ErrTooLarge) && errors.As(err, &object) && object.Object == name &&
		strings.Contains(err.Error(), fmt.Sprint(testLimit))
}

// A string of any length is skipped without being held.
func TestStringThatIsTooLargeIsLeftOut(t *testing.T) {
	pod := podNamed("large")
	pod.Annotations["x"] = strings.Repeat("x\n", 3*testLimit)
	list := podList(2)
	list.Items = append([]corev1.Pod{*pod}, list.Items...)
	got, failed, _, err := listAll(t, limited(t, jsonType, mustJSON(t, list)), metav1.ListOptions{})
	if err != nil || len(got) != 2 || len(failed) != 1 || !isLarge(failed[0], "default/large") {
		t.Errorf("list: %v, %d items, errors %v", err, len(got), failed)
	}
	w := openWatch(t, limited(t, jsonType, slices.Concat(jsonFrame(t, "ADDED", pod), jsonFrame(t, "ADDED", podNamed("a")))))
	if _, err := w.Next(); !isLarge(err, "default/large") {
		t.Errorf("watch: %v", err)
	}
	if event, err := w.Next(); err != nil || event.Object.(*corev1.Pod).Name != "a" {
		t.Errorf("watch: after it: %v", err)
	}
}

func TestItemThatIsTooLargeIsLeftOut(t *testing.T) {
	list := podList(3)
	list.Items = slices.Insert(list.Items, 1, *largePod())
	for _, contentType := range []string{jsonType, protoType} {
		got, failed, meta, err := listAll(t, limited(t, contentType, encoded(t, contentType, list)), metav1.ListOptions{})
		if err != nil || len(got) != 3 || got[1].Name != "pod-1" || meta.ResourceVersion != list.ResourceVersion {
			t.Errorf("%s: %v, %d items", contentType, err, len(got))
		}
		if len(failed) != 1 || !isLarge(failed[0], "default/large") {
			t.Errorf("%s: errors %v", contentType, failed)
		}
	}
}

func TestFrameThatIsTooLargeIsLeftOut(t *testing.T) {
	small, large := podNamed("a"), largePod()
	typeLast := `{"object":` + string(mustJSON(t, large)) + `,"type":"ADDED"}`
	for _, c := range []struct {
		name, contentType string
		frames            [][]byte
		object            string
	}{
		{"JSON", jsonType, [][]byte{jsonFrame(t, "ADDED", large), jsonFrame(t, "ADDED", small)}, "default/large"},
		{"JSON, type last", jsonType, [][]byte{[]byte(typeLast), jsonFrame(t, "ADDED", small)}, "default/large"},
		{"protobuf", protoType, [][]byte{protoFrame(t, "MODIFIED", large), protoFrame(t, "ADDED", small)}, "default/large"},
	} {
		w := openWatch(t, limited(t, c.contentType, bytes.Join(c.frames, nil)))
		if _, err := w.Next(); !isLarge(err, c.object) {
			t.Errorf("%s: %v", c.name, err)
		}
		if frame, err := w.Next(); err != nil || frame.Object.(*corev1.Pod).Name != "a" {
			t.Errorf("%s: after it: %v", c.name, err)
		}
	}
}

// The limit counts bytes, however much of a response is read at once: an object of the limit is read, and
// a longer one left out. What is no object may be longer than a tiny limit.
func TestLimitCountsBytes(t *testing.T) {
	list := podList(3)
	long := &list.Items[1]
	long.Annotations["x"] = strings.Repeat("x", 10<<10)
	frames := map[string][]byte{jsonType: jsonFrame(t, "ADDED", long), protoType: protoFrame(t, "ADDED", long)}
	item := map[string]int{jsonType: len(mustJSON(t, long)), protoType: long.Size()}
	frame := map[string]int{jsonType: len(frames[jsonType]) - len("}\n"), protoType: len(frames[protoType]) - 4}
	for _, contentType := range []string{jsonType, protoType} {
		for _, c := range []struct{ limit, left int }{{4, 3}, {item[contentType] - 1, 1}, {item[contentType], 0}} {
			got, failed, meta, err := listAll(t, limitedTo(t, int64(c.limit), contentType, encoded(t, contentType, list)), metav1.ListOptions{})
			if err != nil || len(failed) != c.left || len(got) != 3-c.left || meta.Continue != list.Continue {
				t.Errorf("%s: limit %d: %d items, errors %v, %v", contentType, c.limit, len(got), failed, err)
			}
		}
		for _, c := range []struct {
			limit int
			left  bool
		}{{4, true}, {frame[contentType] - 1, true}, {frame[contentType], false}} {
			w := openWatch(t, limitedTo(t, int64(c.limit), contentType, slices.Concat(frames[contentType], frames[contentType])))
			for range 2 {
				_, err := w.Next()
				var object *failure.ObjectError
				if left := errors.Is(err, ErrTooLarge) && errors.As(err, &object) && object.Object == "default/pod-1"; left != c.left || !left && err != nil {
					t.Errorf("%s: limit %d: event %v", contentType, c.limit, err)
				}
			}
		}
	}
}

// An event that has no object of the resource is read whatever the limit: the watch needs it.
func TestLimitIsForObjects(t *testing.T) {
	small := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	mark := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}}
	gone := &apierrors.NewResourceExpired("too old").ErrStatus
	for contentType, frame := range map[string]func(testing.TB, string, kruntime.Object) []byte{jsonType: jsonFrame, protoType: protoFrame} {
		w := openWatch(t, limitedTo(t, 4, contentType, slices.Concat(frame(t, "ADDED", small), frame(t, "BOOKMARK", mark), frame(t, "ERROR", gone))))
		var object *failure.ObjectError
		if _, err := w.Next(); !errors.As(err, &object) || object.Object != "default/a" {
			t.Errorf("%s: %v", contentType, err)
		}
		if event, err := w.Next(); err != nil || event.ResourceVersion != "7" || !event.InitialEventsEnd {
			t.Errorf("%s: bookmark %v, %v", contentType, event, err)
		}
		if _, err := w.Next(); !apierrors.IsResourceExpired(err) {
			t.Errorf("%s: %v", contentType, err)
		}
	}
}

func TestFrameOfTheLimitIsRead(t *testing.T) {
	frame := string(jsonFrame(t, "ADDED", podNamed("a")))
	names, errs := nextFrames(t, strings.NewReader(strings.Repeat(frame, 100)), int64(len(frame)))
	if len(names) != 100 || errs[0] != io.EOF {
		t.Errorf("%d frames, then %v", len(names), errs)
	}
}

// What can be neither held nor read past ends the list or stream, with the name
// of the object if that was there.
func TestTooLargeToReadPast(t *testing.T) {
	pod := `{"metadata":{"namespace":"default","name":"large","generation":` + strings.Repeat("1", 2*testLimit) + `}}`
	longMetadata := &corev1.PodList{ListMeta: metav1.ListMeta{Continue: strings.Repeat("x", 2*testLimit)}}
	for _, c := range []struct {
		name, contentType string
		body              []byte
		named             bool
	}{
		{"one number of an item", jsonType, []byte(`{"items":[` + pod + `]}`), true},
		{"metadata of a list", jsonType, mustJSON(t, longMetadata), false},
		{"metadata of a list in protobuf", protoType, encoded(t, protoType, longMetadata), false},
	} {
		_, _, _, err := listAll(t, limited(t, c.contentType, c.body), metav1.ListOptions{})
		if !errors.Is(err, ErrTooLarge) || strings.Contains(err.Error(), "default/large") != c.named {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, c := range []struct {
		name, contentType string
		body              []byte
		named             bool
	}{
		{"one number of a frame", jsonType, []byte(`{"type":"ADDED","object":` + pod + `}`), true},
		{"white space", jsonType, bytes.Repeat([]byte(" "), 4*testLimit), false},
		{"the length of no frame", protoType, append([]byte{0x7f, 0xff, 0xff, 0xff}, make([]byte, 20)...), false},
	} {
		w := openWatch(t, limited(t, c.contentType, c.body))
		for range 2 { // and it stays at its end
			_, err := w.Next()
			if !errors.Is(err, ErrTooLarge) || errors.As(err, new(*failure.ObjectError)) || strings.Contains(err.Error(), "default/large") != c.named {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// endless is a head, and then a pattern that is repeated up to a size.
func endless(head, pattern string) io.Reader {
	return io.MultiReader(strings.NewReader(head), io.LimitReader(&repeated{pattern: pattern}, 4<<20))
}

type repeated struct {
	pattern string
	at      int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.pattern[r.at]
		r.at = (r.at + 1) % len(r.pattern)
	}
	return len(p), nil
}

// allocated returns how much memory a call takes, freed or not.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Whatever length a server claims, and however much it sends, what is allocated
// depends on the limit.
func TestAllocationIsBoundedByTheLimit(t *testing.T) {
	codec := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
	ignore := func(any, error) {}
	d := &decoder{codec: codec, limit: testLimit}
	list := func(r io.Reader) error { _, err := d.jsonList(r, ignore); return err }
	jsonFrames := func(r io.Reader) error { _, _, err := drain(newJSONFrames(r, testLimit)); return err }
	protoFrames := func(r io.Reader) error { _, _, err := drain(newProtoFrames(r, testLimit)); return err }
	protoList := func(r io.Reader) error { _, err := d.protoList(r, ignore); return err }

	frame := "\x0a\x05ADDED\x12"
	longest := string(binary.BigEndian.AppendUint32(nil, 1<<32-1))
	item := string(binary.AppendUvarint([]byte{unknownRaw<<3 | byte(protowire.BytesType)}, 1<<40)) + string(binary.AppendUvarint([]byte{listItems<<3 | byte(protowire.BytesType)}, 1<<39))
	for _, c := range []struct {
		name string
		read func(io.Reader) error
		body io.Reader
	}{
		{"JSON list: item", list, endless(`{"items":[{"metadata":{"name":"a"},"x":[`, `{"a":"b"},`)},
		{"JSON list: string", list, endless(`{"items":[{"metadata":{"name":"`, `x`)},
		{"JSON list: other member", list, endless(`{"x":[`, `{"a":"b"},`)},
		{"JSON list: kind", list, endless(`{"kind":"`, `x`)},
		{"JSON frame: object", jsonFrames, endless(`{"type":"ADDED","object":{"a":[`, `{"a":"b"},`)},
		{"JSON frame: members", jsonFrames, endless(`{`, `"a":"b",`)},
		{"JSON frame: string", jsonFrames, endless(`{"type":"`, `x`)},
		{"JSON frame: white space", jsonFrames, endless(``, " \n")},
		{"protobuf frame", protoFrames, endless(longest+frame, "\xff")},
		{"protobuf frame: no length", protoFrames, endless("", "\xff")},
		{"protobuf list: item", protoList, endless(magic+item, "\x0a\x01x")},
	} {
		var err error
		took := allocated(func() { err = c.read(c.body) })
		if err == nil || took > 1<<20 {
			t.Errorf("%s: %d KiB allocated, then %v", c.name, took>>10, err)
		}
	}
}

// client-go reads such an answer whole.
func TestAnswerThatIsNoSuccessIsReadInPart(t *testing.T) {
	sent := make(chan int, 1)
	cfg := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		n, _ := io.WriteString(w, strings.Repeat("down ", 8<<20))
		sent <- n
	})
	_, _, _, err := listAll(t, New[*corev1.Pod](newClient(t, cfg), pods, ""), metav1.ListOptions{})
	if err == nil || !strings.Contains(err.Error(), "down") || len(err.Error()) > 10_000 {
		t.Errorf("error of %d bytes: %.100v", len(fmt.Sprint(err)), err)
	}
	if n := <-sent; n == 8<<20*len("down ") {
		t.Errorf("%d bytes were taken", n)
	}
}
