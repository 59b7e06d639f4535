package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// protoFrame is one frame as an API server sends it.
func protoFrame(tb testing.TB, event string, obj runtime.Object) []byte {
	tb.Helper()
	raw := encoded(tb, protoType, obj)
	frame, err := (&metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: raw}}).Marshal()
	if err != nil {
		tb.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
}

func jsonFrame(tb testing.TB, event string, obj runtime.Object) []byte {
	return []byte(`{"type":"` + event + `","object":` + string(mustJSON(tb, obj)) + "}\n")
}

func bookmarkPod() *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: "77", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}},
	}
}

func expired() *metav1.Status {
	status := apierrors.NewResourceExpired("too old").ErrStatus
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return &status
}

func openWatch[T any](t *testing.T, src cache.Source[T]) cache.Watcher {
	t.Helper()
	w, err := src.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

func TestWatchIsWhatTheClientsetWatches(t *testing.T) {
	for _, c := range []struct {
		accept, contentType string
		frame               func(testing.TB, string, runtime.Object) []byte
	}{
		{jsonType, jsonType, jsonFrame},
		{protoType, protoType + ";stream=watch", protoFrame},
	} {
		t.Run(c.accept, func(t *testing.T) {
			var stream []byte
			for _, event := range []string{"ADDED", "MODIFIED", "DELETED"} {
				stream = append(stream, c.frame(t, event, podNamed("pod-"+strings.ToLower(event)))...)
			}
			stream = append(stream, c.frame(t, "BOOKMARK", bookmarkPod())...)
			stream = append(stream, c.frame(t, "ERROR", expired())...)
			cfg := serveBody(t, c.contentType, string(stream))

			clientset, err := kubernetes.NewForConfig(typedConfig(cfg, c.accept))
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := clientset.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Stop()
			ours := openWatch(t, New[*corev1.Pod](newClient(t, cfg), pods, ""))
			for range 3 {
				want := <-theirs.ResultChan()
				got, err := ours.Next()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, watch.Event{Type: got.Type, Object: got.Object.(runtime.Object)}); diff != "" {
					t.Errorf("frame (-want +got):\n%s", diff)
				}
			}
			got, err := ours.Next()
			if diff := cmp.Diff(cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: "77", InitialEventsEnd: true}, got); err != nil || diff != "" {
				t.Errorf("bookmark: %v (-want +got):\n%s", err, diff)
			}
			if _, err := ours.Next(); !apierrors.IsResourceExpired(err) {
				t.Errorf("ERROR frame: %v", err)
			}
			for range 2 {
				if _, err := ours.Next(); err != io.EOF {
					t.Errorf("end: %v", err)
				}
			}
		})
	}
}

func TestCustomResourceWatch(t *testing.T) {
	cfg := serveBody(t, "application/json", `{"type":"ADDED","object":`+widgetJSON+`}`)
	theirs, err := widgetClient(t, cfg).Get().Resource("widgets").Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Stop()
	want := <-theirs.ResultChan()
	got, err := openWatch(t, New[*Widget](newClient(t, cfg), widgets, "")).Next()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Object, got.Object.(runtime.Object)); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
}

// nextFrames reads a stream of JSON to its end.
func nextFrames(t *testing.T, stream io.Reader, limit int64) (names []string, errs []error) {
	t.Helper()
	codec := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
	r := response{decoder{codec: codec, gv: pods.GroupVersion(), limit: limit}, io.NopCloser(stream)}
	w := r.watcher(t.Context(), func(error) {})
	for {
		frame, err := w.Next()
		var objectError *failure.ObjectError
		switch {
		case err == nil:
			obj, _ := frame.Object.(runtime.Object)
			names = append(names, string(frame.Type)+" "+nameOf(obj)+frame.ResourceVersion)
		case errors.As(err, &objectError):
			names = append(names, "bad "+objectError.Object)
			errs = append(errs, err)
		default:
			return names, append(errs, err)
		}
	}
}

func TestFrames(t *testing.T) {
	pod := func(name string) string { return `{"metadata":{"name":"` + name + `"}}` }
	for _, c := range []struct {
		name, stream string
		want         []string
		end          error // nil: any but io.EOF
	}{
		{"none", "", nil, io.EOF},
		{"white space", " \n\t", nil, io.EOF},
		{"type first", `{"type":"ADDED","object":` + pod("a") + `}{"type":"DELETED","object":` + pod("b") + `}`, []string{"ADDED a", "DELETED b"}, io.EOF},
		{"type last", `{"object":` + pod("a") + `,"type":"ADDED"}` + "\n" + `{"object":` + pod("b") + `,"type":"MODIFIED"}`, []string{"ADDED a", "MODIFIED b"}, io.EOF},
		{"unknown members", `{"x":[{}],"type":"ADDED","y":1,"object":` + pod("a") + `,"z":{"object":1}}` + `{"type":"ADDED","object":` + pod("b") + `}`, []string{"ADDED a", "ADDED b"}, io.EOF},
		{"bookmark", `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}`, []string{"BOOKMARK 5"}, io.EOF},
		{"bad object", `{"type":"ADDED","object":{"metadata":{"name":"x","namespace":"n"},"spec":[]}}{"type":"ADDED","object":` + pod("b") + `}`, []string{"bad n/x", "ADDED b"}, io.EOF},
		{"bad object, type last", `{"object":{"metadata":{"name":"x"},"spec":[]},"type":"ADDED"}{"type":"ADDED","object":` + pod("b") + `}`, []string{"bad x", "ADDED b"}, io.EOF},
		{"no object", `{"type":"ADDED"}{"type":"ADDED","object":null}{"type":"ADDED","object":` + pod("b") + `}`, []string{"bad ", "bad ", "ADDED b"}, io.EOF},
		{"table", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}}`, []string{"bad "}, io.EOF},
		{"status", `{"type":"ADDED","object":{"kind":"Status","apiVersion":"v1","status":"Failure"}}`, []string{"bad "}, io.EOF},
		{"another version", `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v2","metadata":{"name":"a"}}}`, []string{"bad a"}, io.EOF},
		{"cut in an object", `{"type":"ADDED","object":` + pod("a") + `}{"type":"ADDED","object":{"meta`, []string{"ADDED a"}, io.ErrUnexpectedEOF},
		{"cut in a frame", `{"type":"ADDED","object":` + pod("a"), []string{"ADDED a"}, io.ErrUnexpectedEOF},
		{"cut after the type", `{"type":"ADDED",`, nil, io.ErrUnexpectedEOF},
		{"garbled", `{"type":"ADDED","object":` + pod("a") + `}{"type":"ADDED","object":{{}}}`, []string{"ADDED a"}, nil},
		{"no frame", `[]`, nil, nil},
		{"unknown type", `{"type":"RENAMED","object":` + pod("a") + `}`, nil, nil},
		{"type is a number", `{"type":1}`, nil, nil},
		{"broken status", `{"type":"ERROR","object":[]}`, nil, nil},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.stream), iotest.OneByteReader(strings.NewReader(c.stream))} {
			names, errs := nextFrames(t, r, defaultMaxObjectBytes)
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
			end := errs[len(errs)-1]
			if c.end != nil && !errors.Is(end, c.end) || c.end == nil && errors.Is(end, io.EOF) {
				t.Errorf("%s: ends with %v, want %v", c.name, end, c.end)
			}
			if decode := failure.ClassOf(end) == failure.ClassDecode; decode != (c.end == nil) {
				t.Errorf("%s: ends with %v of class %v", c.name, end, failure.ClassOf(end))
			}
		}
	}
}

func TestProtobufFrames(t *testing.T) {
	good := protoFrame(t, "ADDED", podNamed("a"))
	for n := 1; n < len(good); n++ {
		_, err := newProtoFrames(bytes.NewReader(good[:n]), defaultMaxObjectBytes).next()
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d bytes of %d: %v", n, len(good), err)
		}
	}

	// A pod whose spec is damaged, then a good one.
	pod := podNamed("damaged")
	raw, err := (&metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: damaged(t, pod)}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	stream := append(binary.BigEndian.AppendUint32(nil, uint32(len(raw))), raw...)
	w := openWatch(t, New[*corev1.Pod](newClient(t, serveBody(t, protoType+";stream=watch", string(append(stream, good...)))), pods, ""))
	var objectError *failure.ObjectError
	if _, err := w.Next(); !errors.As(err, &objectError) || objectError.Object != "default/damaged" {
		t.Errorf("damaged frame: %v", err)
	}
	if frame, err := w.Next(); err != nil || frame.Object.(*corev1.Pod).Name != "a" {
		t.Errorf("frame after the damaged one: %v", err)
	}
}

// damaged returns a pod in its envelope, with a field after its metadata that
// claims more bytes than there are.
func damaged(t *testing.T, pod *corev1.Pod) []byte {
	t.Helper()
	message, err := (&corev1.Pod{ObjectMeta: pod.ObjectMeta}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	message = append(message, 2<<3|byte(protowire.BytesType), 100)
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Raw: message}
	data, err := unknown.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(magic), data...)
}

// drain reads frames up to an error that ends them.
func drain(stream frames) (all []frame, large int, end error) {
	for {
		f, err := stream.next()
		object := (*failure.ObjectError)(nil)
		switch {
		case errors.As(err, &object):
			large++
		case err != nil:
			return all, large, err
		default:
			f.object = slices.Clone(f.object)
			all = append(all, f)
		}
	}
}

func FuzzJSONFrames(f *testing.F) {
	f.Add(slices.Concat(jsonFrame(f, "ADDED", podNamed("a")), jsonFrame(f, "BOOKMARK", bookmarkPod())))
	f.Add([]byte(`{"object":{"metadata":{"name":"a"}},"x":[1,"",{}],"type":"DELETED"} {"type":"ERROR","object":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, large, end := drain(newJSONFrames(bytes.NewReader(data), 1<<20))
		slowly, _, _ := drain(newJSONFrames(iotest.OneByteReader(bytes.NewReader(data)), 1<<20))
		if !reflect.DeepEqual(all, slowly) || large != 0 {
			t.Errorf("%d frames, %d too large, and byte by byte %d", len(all), large, len(slowly))
		}
		if small, large, smallEnd := drain(newJSONFrames(bytes.NewReader(data), 20)); end == io.EOF && smallEnd == io.EOF && len(small)+large != len(all) {
			t.Errorf("%d frames, and with a low limit %d and %d too large", len(all), len(small), large)
		}
	})
}

func FuzzProtobuf(f *testing.F) {
	f.Add(encoded(f, protoType, podList(2)))
	f.Add(protoFrame(f, "ADDED", podNamed("a")))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
		var got []*corev1.Pod
		meta, err := (&decoder{codec: c, limit: 1 << 20}).protoList(bytes.NewReader(data), func(obj any, _ error) {
			pod, _ := obj.(*corev1.Pod)
			got = append(got, pod)
		})
		if err == nil {
			want := new(corev1.PodList)
			if _, message, err := openEnvelope(data); err == nil && want.Unmarshal(message) == nil {
				if len(want.Items) != len(got) || want.ResourceVersion != meta.ResourceVersion {
					t.Errorf("%d items at %q, want %d at %q", len(got), meta.ResourceVersion, len(want.Items), want.ResourceVersion)
				}
			}
		}
		for _, limit := range []int64{20, 1 << 20} {
			drain(newProtoFrames(bytes.NewReader(data), limit))
		}
	})
}

// heldWatch is a watch that sends what is written to the returned channel and
// stays open.
func heldWatch(t *testing.T) (cache.Source[*corev1.Pod], chan<- string) {
	t.Helper()
	chunks := make(chan string)
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.(http.Flusher).Flush()
		for {
			select {
			case chunk := <-chunks:
				if chunk == "" {
					hangUp(w)
					return
				}
				io.WriteString(w, chunk)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	return New[*corev1.Pod](newClient(t, cfg), pods, ""), chunks
}

func TestFrameIsDeliveredWhenItsObjectHasCome(t *testing.T) {
	src, chunks := heldWatch(t)
	w := openWatch(t, src)
	chunks <- `{"type":"ADDED","object":{"metadata":{"name":"a"}}`
	if frame, err := w.Next(); err != nil || frame.Object.(*corev1.Pod).Name != "a" {
		t.Errorf("%v %v", frame, err)
	}
	chunks <- `}{"object":{"metadata":{"name":"b"}},"type":"DELETED"}`
	if frame, err := w.Next(); err != nil || frame.Object.(*corev1.Pod).Name != "b" {
		t.Errorf("%v %v", frame, err)
	}
}

func TestConnectionCutInAWatch(t *testing.T) {
	for _, chunk := range []string{"\n", `{"type":"ADDED","object":{"meta`} {
		src, chunks := heldWatch(t)
		w := openWatch(t, src)
		chunks <- chunk
		chunks <- ""
		if _, err := w.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v", chunk, err)
		}
	}
}

func TestStopUnblocksNext(t *testing.T) {
	src, _ := heldWatch(t)
	w := openWatch(t, src)
	result := make(chan error)
	go func() {
		_, err := w.Next()
		result <- err
	}()
	w.Stop()
	w.Stop()
	if err := <-result; !errors.Is(err, errStopped) {
		t.Errorf("error %v", err)
	}
	if _, err := w.Next(); !errors.Is(err, errStopped) {
		t.Errorf("next error %v", err)
	}
}

func TestStopEndsTheRequest(t *testing.T) {
	ended := make(chan struct{})
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	})
	openWatch(t, New[*corev1.Pod](newClient(t, cfg), pods, "")).Stop()
	<-ended
}

func TestContextUnblocksNext(t *testing.T) {
	src, _ := heldWatch(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	w, err := src.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	result := make(chan error)
	go func() {
		_, err := w.Next()
		result <- err
	}()
	why := errors.New("had enough")
	cancel(why)
	if err := <-result; !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}

func TestUnstructuredWatchKeepsItsKind(t *testing.T) {
	cfg := serveBody(t, "application/json", `{"type":"ADDED","object":`+widgetJSON+`}`)
	frame, err := openWatch(t, New[*unstructured.Unstructured](newClient(t, cfg), widgets, "")).Next()
	if err != nil {
		t.Fatal(err)
	}
	if frame.Object.(*unstructured.Unstructured).GetKind() != "Widget" || frame.Object.(*unstructured.Unstructured).GetName() != "w" {
		t.Errorf("object %v", frame.Object)
	}
}

func TestWatchAnswerOfAnotherContentType(t *testing.T) {
	_, err := openWatch(t, New[*corev1.Pod](newClient(t, serveBody(t, "text/html", "<html>")), pods, "")).Next()
	if err == nil || !strings.Contains(err.Error(), `begins with "<htm"`) {
		t.Errorf("error %v", err)
	}
}

// A field that can't have that number is damage, in an envelope as in an object.
func TestIllegalTags(t *testing.T) {
	for _, message := range [][]byte{{0, 1}, {2, 1, 'x'}, {0x80, 0x80, 0x80, 0x80, 0x80, 1, 1}} {
		if _, err := contentsOf(message); err == nil {
			t.Errorf("% x is accepted", message)
		}
		if _, err := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared()).fromProto(message, decoding.Options{}); err == nil {
			t.Errorf("% x is accepted as an object", message)
		}
		if _, err := newProtoReader(bytes.NewReader(message), 100, listBuffer).next(); err == nil {
			t.Errorf("% x is accepted in a list", message)
		}
	}
}
