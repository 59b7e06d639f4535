package source

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"weak"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// typedConfig makes client-go's clients and this package ask for the same.
func typedConfig(cfg *rest.Config, contentType string) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.ContentType, cfg.AcceptContentTypes = contentType, contentType
	return cfg
}

// encoded returns obj in a content type.
func encoded(tb testing.TB, contentType string, obj kruntime.Object) []byte {
	tb.Helper()
	info, ok := kruntime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), contentType)
	if !ok {
		tb.Fatalf("no serializer for %s", contentType)
	}
	data, err := kruntime.Encode(info.Serializer, obj)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestListIsWhatTheClientsetLists(t *testing.T) {
	for _, contentType := range []string{jsonType, protoType} {
		t.Run(contentType, func(t *testing.T) {
			body := encoded(t, contentType, podList(50))
			cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", contentType)
				for chunk := body; len(chunk) > 0; { // pieces that end anywhere
					n := min(len(chunk), 997)
					w.Write(chunk[:n])
					w.(http.Flusher).Flush()
					chunk = chunk[n:]
				}
			})
			clientset, err := kubernetes.NewForConfig(typedConfig(cfg, contentType))
			if err != nil {
				t.Fatal(err)
			}
			want, err := clientset.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, failed, meta, err := listAll(t, New[*corev1.Pod](newClient(t, cfg), pods, ""), metav1.ListOptions{})
			if err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			if diff := cmp.Diff(want.ListMeta, meta); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
			if len(got) != len(want.Items) {
				t.Fatalf("%d items, want %d", len(got), len(want.Items))
			}
			for i := range got {
				if diff := cmp.Diff(&want.Items[i], got[i]); diff != "" {
					t.Fatalf("item %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

// widgetClient is client-go's typed client of Widget.
func widgetClient(t *testing.T, cfg *rest.Config) rest.Interface {
	t.Helper()
	types := kruntime.NewScheme()
	types.AddKnownTypes(widgets.GroupVersion(), &Widget{}, &WidgetList{})
	return widgetClientOf(t, cfg, types)
}

// widgetClientOf is the same with other names of kinds.
func widgetClientOf(t *testing.T, cfg *rest.Config, types *kruntime.Scheme) rest.Interface {
	t.Helper()
	gv := widgets.GroupVersion()
	metav1.AddToGroupVersion(types, gv)
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath, cfg.GroupVersion = "/apis", &gv
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(types).WithoutConversion()
	client, err := rest.RESTClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestCustomResourceListIsWhatATypedClientLists(t *testing.T) {
	cfg := serveBody(t, "application/json", `{"kind":"WidgetList","apiVersion":"example.com/v1",
		"metadata":{"resourceVersion":"9"},"items":[`+widgetJSON+`,{"metadata":{"name":"bare"}},null]}`+"\n")
	var want WidgetList
	if err := widgetClient(t, cfg).Get().Resource("widgets").Do(t.Context()).Into(&want); err != nil {
		t.Fatal(err)
	}
	got, failed, meta, err := listAll(t, New[*Widget](newClient(t, cfg), widgets, ""), metav1.ListOptions{})
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	if meta.ResourceVersion != "9" || len(got) != 3 {
		t.Fatalf("resourceVersion %q, %d items", meta.ResourceVersion, len(got))
	}
	for i := range got {
		want.Items[i].TypeMeta = metav1.TypeMeta{} // which client-go leaves in items, and not in watch events
		if diff := cmp.Diff(&want.Items[i], got[i]); diff != "" {
			t.Errorf("item %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestListFieldOrder(t *testing.T) {
	const (
		kind    = `"kind":"WidgetList","apiVersion":"example.com/v1"`
		meta    = `"metadata":{"resourceVersion":"9","continue":"c","remainingItemCount":4}`
		items   = `"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]`
		unknown = `"unknown":{"a":[1,{"b":"}"}]}`
	)
	for _, order := range [][]string{
		{kind, meta, items, unknown}, {items, meta, kind}, {unknown, items, kind, meta}, {meta, items}, {meta, unknown, items, kind},
	} {
		cfg := serveBody(t, "application/json;charset=utf-8", " {\n"+strings.Join(order, " ,\n ")+"\n}\n")
		got, failed, m, err := listAll(t, New[*Widget](newClient(t, cfg), widgets, "ns"), metav1.ListOptions{})
		if err != nil || failed != nil || len(got) != 2 || got[1].Name != "b" {
			t.Errorf("%v: %v %v, %d items", order, err, failed, len(got))
		}
		if m.ResourceVersion != "9" || m.Continue != "c" || m.RemainingItemCount == nil || *m.RemainingItemCount != 4 {
			t.Errorf("%v: metadata %+v", order, m)
		}
	}
}

func TestListAnswersThatAreNone(t *testing.T) {
	for _, c := range []struct {
		name, contentType, body string
		want                    error // nil: any
	}{
		{"empty", "application/json", ``, io.ErrUnexpectedEOF},
		{"cut in an item", "application/json", `{"kind":"PodList","items":[{"metadata":{"name":"a"}},{"meta`, io.ErrUnexpectedEOF},
		{"cut between items", "application/json", `{"kind":"PodList","items":[{"metadata":{"name":"a"}},`, io.ErrUnexpectedEOF},
		{"cut after the items", "application/json", `{"kind":"PodList","items":[{"metadata":{"name":"a"}}]`, io.ErrUnexpectedEOF},
		{"garbled", "application/json", `{"kind":"PodList","items":[{"metadata":{"name":"a"}}}]}`, nil},
		{"more than a list", "application/json", `{"kind":"PodList","items":[]}{}`, nil},
		{"items twice", "application/json", `{"kind":"PodList","items":[],"items":[]}`, nil},
		{"items no array", "application/json", `{"kind":"PodList","items":{}}`, nil},
		{"no object", "application/json", `[]`, nil},
		{"not a list", "application/json", `{}`, errNotAList},
		{"an object", "application/json", `{"kind":"Pod","apiVersion":"v1"}`, errNotAList},
		{"a table", "application/json", `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`, errTable},
		{"html", "text/html", `<html>`, nil},
		{"protobuf: empty", protoType, ``, io.ErrUnexpectedEOF},
		{"protobuf: the magic of another version", protoType, "k8t\x00{}", nil},
		{"protobuf: an object", protoType, string(encoded(t, protoType, podNamed("a"))), nil},
		{"protobuf: magic only", protoType, magic, errNotAList},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, err := listAll(t, New[*corev1.Pod](newClient(t, serveBody(t, c.contentType, c.body)), pods, ""), metav1.ListOptions{})
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			class := failure.ClassDecode
			if c.want == io.ErrUnexpectedEOF {
				class = failure.ClassConnection
			}
			if got := failure.ClassOf(err); got != class {
				t.Errorf("error %v of class %v, want %v", err, got, class)
			}
		})
	}
}

// A list with objects of another kind is somebody else's, once there was an object of the
// type's own. An answer that says that it is a part is no list at all.
func TestListsOfSomebodyElse(t *testing.T) {
	answer := func(kind string) string {
		return `{"kind":"` + kind + `List","apiVersion":"v1","items":[{"kind":"` + kind + `","metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`
	}
	for _, test := range []struct {
		name  string
		kinds []string
		code  int
		fails bool // the last one
	}{
		{"its own", []string{"Pod", "Pod"}, 200, false},
		{"another one first", []string{"Node", "Pod"}, 200, false},
		{"another one always, which a Go type of another name gets", []string{"Podd", "Podd"}, 200, false},
		{"another one later", []string{"Pod", "Node"}, 200, true},
		{"one that names no kind", []string{"Pod", ""}, 200, false},
		{"a part", []string{"Pod"}, 206, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			kinds := test.kinds
			source := New[*corev1.Pod](newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.code)
				io.WriteString(w, answer(kinds[0]))
				kinds = kinds[1:]
			})), pods, "")
			for i := range test.kinds {
				fails := test.fails && i == len(test.kinds)-1
				_, _, _, err := listAll(t, source, metav1.ListOptions{})
				if (err != nil) != fails || fails && failure.ClassOf(err) != failure.ClassDecode {
					t.Errorf("list %d: error %v of class %v", i, err, failure.ClassOf(err))
				}
			}
		})
	}
}

// A CustomResourceDefinition names the kind of its lists: it need not be that of the objects
// with List behind it.
func TestListKindOfItsOwn(t *testing.T) {
	list, pod := podList(2), podNamed("watched")
	list.Kind = "PodCollection"
	message := must(list.Marshal())(t)
	envelope := kruntime.Unknown{TypeMeta: kruntime.TypeMeta{APIVersion: "v1", Kind: list.Kind}, Raw: message}
	inProtobuf := append([]byte(magic), must(envelope.Marshal())(t)...)
	for _, test := range []struct {
		name        string
		contentType string
		list, event []byte
		src         func(*Client) cache.Source[any]
	}{
		{"JSON", jsonType, mustJSON(t, list), jsonFrame(t, "MODIFIED", pod), untypedSource[*corev1.Pod]},
		{"protobuf", protoType, inProtobuf, protoFrame(t, "MODIFIED", pod), untypedSource[*corev1.Pod]},
		{"unstructured", jsonType, mustJSON(t, list), jsonFrame(t, "MODIFIED", pod), untypedSource[*unstructured.Unstructured]},
		{"metadata", jsonType, mustJSON(t, list), jsonFrame(t, "MODIFIED", pod), untypedSource[*metav1.PartialObjectMetadata]},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := test.src(newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				contentType, body := test.contentType, test.list
				if isTrue(r.URL.Query().Get("watch")) {
					body = test.event
					if contentType == protoType {
						contentType += ";stream=watch"
					}
				}
				w.Header().Set("Content-Type", contentType)
				w.Write(body)
			})))
			for range 2 {
				objects, failed, _, err := listAll(t, src, metav1.ListOptions{})
				if err != nil || failed != nil || len(objects) != 2 {
					t.Fatalf("listed %d objects: %v %v", len(objects), err, failed)
				}
				if event, err := openWatch(t, src).Next(); err != nil || event.Type != watch.Modified {
					t.Fatalf("watched %s: %v", event.Type, err)
				}
			}
		})
	}
}

func untypedSource[T kruntime.Object](client *Client) cache.Source[any] {
	return cache.Source[any](New[T](client, pods, ""))
}

// An object of another kind in a watch is left out.
func TestWatchOfAnotherKind(t *testing.T) {
	own, other := podNamed("own"), podNamed("other")
	other.Kind = "Node"
	body := append(jsonFrame(t, "ADDED", own), jsonFrame(t, "ADDED", other)...)
	w := openWatch(t, New[*corev1.Pod](newClient(t, serveBody(t, jsonType, string(body))), pods, ""))
	if _, err := w.Next(); err != nil {
		t.Fatal(err)
	}
	if event, err := w.Next(); !isObjectError(err) {
		t.Errorf("watched %s: %v", event.Type, err)
	}
}

func TestProtobufListCutAnywhere(t *testing.T) {
	body := encoded(t, protoType, podList(2))
	c := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
	for n := range len(body) {
		if _, err := (&decoder{codec: c, limit: defaultMaxObjectBytes}).protoList(strings.NewReader(string(body[:n])), func(any, error) {}); err == nil {
			// What comes last says that there is no content type or encoding.
			if n < len(body)-4 {
				t.Fatalf("%d bytes of %d: no error", n, len(body))
			}
		}
	}
}

func TestConnectionCutInAList(t *testing.T) {
	cfg := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"kind":"PodList","items":[{"metadata":{"name":"a"}}`)
		hangUp(w)
	})
	got, _, _, err := listAll(t, New[*corev1.Pod](newClient(t, cfg), pods, ""), metav1.ListOptions{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(got) != 1 {
		t.Errorf("error %v after %d items", err, len(got))
	}
}

// hangUp sends what was written, and closes the connection.
func hangUp(w http.ResponseWriter) {
	w.(http.Flusher).Flush()
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

func TestItemThatDoesNotDecode(t *testing.T) {
	cfg := serveBody(t, "application/json", `{"kind":"WidgetList","items":[{"metadata":{"name":"a"}},
		{"metadata":{"namespace":"ns","name":"bad"},"spec":{"size":"large","list":[{}]}},{"metadata":{"name":"c"}}]}`)
	got, failed, _, err := listAll(t, New[*Widget](newClient(t, cfg), widgets, ""), metav1.ListOptions{})
	if err != nil || len(got) != 2 || len(failed) != 1 {
		t.Fatalf("%v, %d items, errors %v", err, len(got), failed)
	}
	var objectError *failure.ObjectError
	if !errors.As(failed[0], &objectError) || objectError.Object != "ns/bad" {
		t.Errorf("error %v", failed[0])
	}
}

func TestGzip(t *testing.T) {
	body := encoded(t, jsonType, podList(20))
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("gzip: not asked for")
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		zw := gzip.NewWriter(w)
		zw.Write(body)
		zw.Close()
	})
	got, failed, _, err := listAll(t, New[*corev1.Pod](newClient(t, cfg), pods, ""), metav1.ListOptions{})
	if err != nil || failed != nil || len(got) != 20 {
		t.Errorf("%v %v, %d items", err, failed, len(got))
	}
}

func TestPageIsNotPinned(t *testing.T) {
	for _, contentType := range []string{jsonType, protoType} {
		cfg := serveBody(t, contentType, string(encoded(t, contentType, podList(10))))
		var kept *corev1.Pod
		var others []weak.Pointer[corev1.Pod]
		_, err := New[*corev1.Pod](newClient(t, cfg), pods, "").List(t.Context(), metav1.ListOptions{}, func(item any, err error) {
			pod, _ := item.(*corev1.Pod)
			if err != nil {
				t.Error(err)
			}
			if kept == nil {
				kept = pod
				return
			}
			others = append(others, weak.Make(pod))
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(others) != 9 {
			t.Errorf("%s: %d items, want 10", contentType, len(others)+1)
		}
		runtime.GC()
		for i, pod := range others {
			if pod.Value() != nil {
				t.Errorf("%s: item %d is held by the first one", contentType, i+1)
			}
		}
		runtime.KeepAlive(kept)
	}
}

// What goes wrong with the connection is no matter of the decoder.
func TestErrorsOfAConnection(t *testing.T) {
	reset := errors.New("stream reset")
	for _, read := range []func(io.Reader) error{
		func(r io.Reader) error {
			_, err := (&decoder{codec: newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared()), limit: 100}).jsonList(r, func(any, error) {})
			return err
		},
		func(r io.Reader) error {
			_, err := (&decoder{codec: newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared()), limit: 100}).protoList(r, func(any, error) {})
			return err
		},
		func(r io.Reader) error { _, err := newJSONFrames(r, 100).next(); return err },
		func(r io.Reader) error { _, err := newProtoFrames(r, 100).next(); return err },
	} {
		err := undecodable(read(connection{io.NopCloser(iotest.ErrReader(reset))}))
		if !errors.Is(err, reset) || failure.ClassOf(err) == failure.ClassDecode {
			t.Errorf("%v of class %v", err, failure.ClassOf(err))
		}
	}
}

func TestListEndsWithItsContext(t *testing.T) {
	arrived := make(chan struct{})
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"items":[`)
		w.(http.Flusher).Flush()
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := New[*corev1.Pod](newClient(t, cfg), pods, "").List(ctx, metav1.ListOptions{}, func(any, error) {})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
