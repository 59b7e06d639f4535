package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	dynamicclient "k8s.io/client-go/dynamic"
	clientfeatures "k8s.io/client-go/features"
	clientfeaturestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// serveEncoded serves one list, and watches of its items, in a content type.
func serveEncoded(t *testing.T, contentType string, list, item kruntime.Object) *rest.Config {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			w.Header().Set("Content-Type", contentType)
			w.Write(encoded(t, contentType, list))
			return
		}
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", encoded(t, jsonType, item))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
}

// podsOf is a ListerWatcher of a clientset whose functions are client-go's.
func podsOf(t *testing.T, cfg *rest.Config) toolscache.ListerWatcher {
	t.Helper()
	clientset := must(kubernetes.NewForConfig(cfg))(t)
	return toolscache.NewListWatchFromClient(clientset.CoreV1().RESTClient(), "pods", "", fields.Everything())
}

// took reports whether responses were taken from the client: equal parts of objects are one.
func took(s *Streaming) bool {
	parts, _ := s.shared.Saved()
	return parts > 0
}

// Objects are those that the client would have decoded, but the client decodes none.
func TestStreaming(t *testing.T) {
	for _, contentType := range []string{jsonType, protoType} {
		t.Run(contentType, func(t *testing.T) {
			cfg := typedConfig(serveEncoded(t, contentType, podList(20), podNamed("watched")), contentType)
			want, _, wantMeta, err := listAll(t, FromListerWatcher[kruntime.Object](podsOf(t, cfg), &corev1.Pod{}), metav1.ListOptions{})
			if err != nil || len(want) != 20 {
				t.Fatal(err)
			}
			streaming := NewStreaming(ClientOptions{})
			src := streaming.FromListerWatcher(podsOf(t, streaming.Config(cfg)), &corev1.Pod{})
			got, failed, meta, err := listAll(t, src, metav1.ListOptions{})
			if err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("objects (-client +here):\n%s", diff)
			}
			if diff := cmp.Diff(wantMeta, meta); diff != "" {
				t.Errorf("metadata (-client +here):\n%s", diff)
			}
			if !took(streaming) {
				t.Error("the client has decoded the list")
			}
			w := openWatch(t, src)
			event, err := w.Next()
			if err != nil {
				t.Fatal(err)
			}
			watched := podNamed("watched")
			watched.TypeMeta = metav1.TypeMeta{}
			if diff := cmp.Diff(kruntime.Object(watched), event.Object); diff != "" {
				t.Errorf("watched (-want +got):\n%s", diff)
			}
		})
	}
}

// A clientset with the configuration of a Streaming decodes nothing either.
func TestStreamingClientset(t *testing.T) {
	cfg := serveEncoded(t, jsonType, podList(20), podNamed("watched"))
	for name, of := range map[string]func(kubernetes.Interface) cache.Source[*corev1.Pod]{
		"client": func(clientset kubernetes.Interface) cache.Source[*corev1.Pod] {
			return cache.Source[*corev1.Pod]{Objects: clientsetPods(clientset)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			streamingClientset(t, cfg, func(cfg *rest.Config) cache.Source[*corev1.Pod] { return of(must(kubernetes.NewForConfig(cfg))(t)) })
		})
	}
}

func streamingClientset(t *testing.T, cfg *rest.Config, of func(*rest.Config) cache.Source[*corev1.Pod]) {
	streaming := NewStreaming(ClientOptions{})
	want, _, _, err := listAll(t, of(cfg), metav1.ListOptions{})
	if err != nil || len(want) != 20 {
		t.Fatal(err, len(want))
	}
	src := of(streaming.Config(cfg))
	got, failed, _, err := listAll(t, src, metav1.ListOptions{})
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-client +here):\n%s", diff)
	}
	if !took(streaming) {
		t.Error("the client has decoded the list")
	}
	w := openWatch(t, src)
	if event, err := w.Next(); err != nil || nameOf(event.Object.(kruntime.Object)) != "default/watched" {
		t.Errorf("%v, %v", event, err)
	}
}

// Custom resources, typed and unstructured, and metadata.
func TestStreamingCustomResources(t *testing.T) {
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		if r.URL.Query().Get("watch") != "" {
			fmt.Fprintln(w, `{"type":"ADDED","object":`+strings.ReplaceAll(widgetJSON, "\n", "")+`}`)
			fmt.Fprintln(w, `{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"}}}`)
			return
		}
		io.WriteString(w, `{"apiVersion":"example.com/v1","items":[`+strings.Repeat(widgetJSON+",", 19)+widgetJSON+`],"kind":"WidgetList","metadata":{"resourceVersion":"9"}}`)
	})
	typed := func(cfg *rest.Config) toolscache.ListerWatcher {
		return toolscache.NewListWatchFromClient(widgetClient(t, cfg), "widgets", "", fields.Everything())
	}
	anyType := func(cfg *rest.Config) toolscache.ListerWatcher {
		gv := widgets.GroupVersion()
		cfg = dynamicclient.ConfigFor(cfg)
		cfg.APIPath, cfg.GroupVersion = "/apis", &gv
		return toolscache.NewListWatchFromClient(must(rest.RESTClientFor(cfg))(t), "widgets", "", fields.Everything())
	}
	onlyMetadata := func(cfg *rest.Config) toolscache.ListerWatcher {
		client := must(metadata.NewForConfig(cfg))(t).Resource(widgets)
		return &toolscache.ListWatch{ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
			return client.List(ctx, options)
		}}
	}
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(widgets.GroupVersion().WithKind("Widget"))
	for _, test := range []struct {
		name     string
		of       func(*rest.Config) toolscache.ListerWatcher
		expected kruntime.Object
	}{
		{"typed", typed, &Widget{}},
		{"unstructured", anyType, kind},
		{"metadata", onlyMetadata, &metav1.PartialObjectMetadata{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, _, _, err := listAll(t, FromListerWatcher[kruntime.Object](test.of(cfg), test.expected), metav1.ListOptions{})
			if err != nil || len(want) != 20 {
				t.Fatal(err, len(want))
			}
			streaming := NewStreaming(ClientOptions{})
			src := streaming.FromListerWatcher(test.of(streaming.Config(cfg)), test.expected)
			got, failed, _, err := listAll(t, src, metav1.ListOptions{})
			if err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			for _, obj := range want {
				if test.name == "typed" { // its TypeMeta is left in items, and not in watch events
					obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("objects (-client +here):\n%s", diff)
			}
			if took(streaming) == (test.name == "metadata") {
				t.Errorf("the list was taken from the client: %v", took(streaming))
			}
			if test.name == "metadata" {
				return
			}
			w := openWatch(t, src)
			if event, err := w.Next(); err != nil || nameOf(event.Object.(kruntime.Object)) != "ns/w" {
				t.Errorf("%v, %v", event, err)
			}
			if test.name == "unstructured" {
				if _, err := w.Next(); !isObjectError(err) {
					t.Errorf("object of another kind: %v", err)
				}
			}
		})
	}
}

func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// stalling is a transport whose responses have a body that stops in its middle: for pause, or
// until the request ends.
type stalling struct {
	body  []byte
	pause time.Duration
}

func (s stalling) RoundTrip(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	go func() {
		half := len(s.body) / 2
		_, _ = w.Write(s.body[:half])
		select {
		case <-time.After(s.pause):
			_, _ = w.Write(s.body[half:])
			_ = w.Close()
		case <-req.Context().Done():
			_ = w.CloseWithError(context.Cause(req.Context()))
		}
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {jsonType}}, Body: r, Request: req}, nil
}

// A client ends its request when it has read what it gets, which is empty: the response goes on,
// but not beyond the timeout of the client or of the list.
func TestStreamingTimeouts(t *testing.T) {
	half, minute, day := int64(30), int64(60), 24*time.Hour
	for _, test := range []struct {
		name    string
		pause   time.Duration
		config  time.Duration
		options metav1.ListOptions
		ends    time.Duration // with an error; 0 is without
	}{
		{"none", time.Hour, 0, metav1.ListOptions{}, 0},
		{"of the client, not reached", time.Second, time.Minute, metav1.ListOptions{}, 0},
		{"of the client", day, time.Minute, metav1.ListOptions{}, time.Minute},
		{"of the list, not reached", time.Second, 0, metav1.ListOptions{TimeoutSeconds: &minute}, 0},
		{"of the list", day, 0, metav1.ListOptions{TimeoutSeconds: &minute}, time.Minute},
		{"of both, the list's first", day, time.Minute, metav1.ListOptions{TimeoutSeconds: &half}, 30 * time.Second},
		{"of both, the client's first", day, 10 * time.Second, metav1.ListOptions{TimeoutSeconds: &half}, 10 * time.Second},
	} {
		body := encoded(t, jsonType, podList(20))
		for kind, of := range map[string]func(*testing.T, *Streaming, *rest.Config) cache.Source[kruntime.Object]{
			"ListerWatcher": func(t *testing.T, streaming *Streaming, cfg *rest.Config) cache.Source[kruntime.Object] {
				return streaming.FromListerWatcher(podsOf(t, cfg), &corev1.Pod{})
			},
			"clientset": func(t *testing.T, _ *Streaming, cfg *rest.Config) cache.Source[kruntime.Object] {
				return cache.Source[kruntime.Object]{Objects: clientsetPods(must(kubernetes.NewForConfig(cfg))(t))}
			},
		} {
			t.Run(test.name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					streaming := NewStreaming(ClientOptions{})
					cfg := streaming.Config(&rest.Config{Host: "http://memory", QPS: -1, Timeout: test.config, Transport: stalling{body, test.pause}})
					began := time.Now()
					got, failed, _, err := listAll(t, of(t, streaming, cfg), test.options)
					switch after := time.Since(began); {
					case test.ends == 0 && (err != nil || failed != nil || len(got) != 20):
						t.Errorf("%v, %v, %d objects", err, failed, len(got))
					case test.ends > 0 && (!errors.Is(err, context.DeadlineExceeded) || failure.ClassOf(err) != failure.ClassConnection || after != test.ends):
						t.Errorf("error %v of class %v after %v, want it after %v", err, failure.ClassOf(err), after, test.ends)
					}
					if !took(streaming) {
						t.Error("the client has decoded the list")
					}
				})
			})
		}
	}
}

// A watch ends with the timeout of its client too.
func TestStreamingWatchTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		streaming := NewStreaming(ClientOptions{})
		cfg := streaming.Config(&rest.Config{Host: "http://memory", QPS: -1, Timeout: time.Minute, Transport: stalling{[]byte("\n\n"), 24 * time.Hour}})
		w := openWatch(t, streaming.FromListerWatcher(podsOf(t, cfg), &corev1.Pod{}))
		if _, err := w.Next(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
	})
}

// What is no list is an error, by whoever finds it.
func TestStreamingErrors(t *testing.T) {
	status := encoded(t, jsonType, &metav1.Status{TypeMeta: expired().TypeMeta, Status: "Failure", Code: 403, Reason: metav1.StatusReasonForbidden, Message: "no role"})
	whole := encoded(t, jsonType, podList(20))
	for _, test := range []struct {
		name, contentType string
		code              int
		body              []byte
		is                func(error) bool
	}{
		{"status", jsonType, 403, status, apierrors.IsForbidden},
		{"page of a proxy", "text/html", 200, []byte("<html>"), func(err error) bool { return err != nil }},
		{"page of a proxy, as JSON", jsonType, 200, []byte("<html>"), func(err error) bool { return errors.Is(err, failure.ErrUndecodable) }},
		{"status with code 200", jsonType, 200, status, apierrors.IsForbidden},
		{"cut", jsonType, 200, whole[:len(whole)-100], func(err error) bool { return err != nil }},
		{"nothing", jsonType, 200, nil, func(err error) bool { return err != nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(test.code)
				w.Write(test.body)
			})
			streaming := NewStreaming(ClientOptions{})
			_, _, _, err := listAll(t, streaming.FromListerWatcher(podsOf(t, streaming.Config(cfg)), &corev1.Pod{}), metav1.ListOptions{})
			if !test.is(err) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A client that prefers CBOR is answered in what is decoded here.
func TestStreamingOfClientsThatPreferCBOR(t *testing.T) {
	clientfeaturestesting.SetFeatureDuringTest(t, clientfeatures.ClientsAllowCBOR, true)
	clientfeaturestesting.SetFeatureDuringTest(t, clientfeatures.ClientsPreferCBOR, true)
	var accept []string
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		accept = append(accept, r.Header.Get("Accept"))
		w.Header().Set("Content-Type", jsonType)
		_, _ = w.Write(encoded(t, jsonType, podList(20)))
	})
	streaming := NewStreaming(ClientOptions{})
	client := must(dynamicclient.NewForConfig(streaming.Config(cfg)))(t)
	src := cache.Source[*unstructured.Unstructured]{Objects: ClientsetObjects[*unstructured.Unstructured](client, pods, "", func() ResourceClient[*unstructured.UnstructuredList] { return client.Resource(pods) })}
	if got, _, _, err := listAll(t, src, metav1.ListOptions{}); err != nil || len(got) != 20 || !took(streaming) {
		t.Errorf("%d objects, %v; the client has decoded them: %v", len(got), err, !took(streaming))
	}
	openWatch(t, src).Stop()
	if want := []string{"application/json", "application/json"}; !slices.Equal(accept, want) {
		t.Errorf("Accept: got %q, want %q", accept, want)
	}
}

// Where the response can't be taken from the client, it decodes it.
func TestStreamingFallsBack(t *testing.T) {
	for _, contentType := range []string{jsonType, protoType} {
		t.Run(contentType, func(t *testing.T) {
			streamingFallsBack(t, typedConfig(serveEncoded(t, contentType, podList(20), podNamed("watched")), contentType))
		})
	}
}

func streamingFallsBack(t *testing.T, cfg *rest.Config) {
	streaming := NewStreaming(ClientOptions{})
	withoutContext := func(cfg *rest.Config) toolscache.ListerWatcher {
		one := toolscache.ToListerWatcherWithContext(podsOf(t, cfg))
		return &toolscache.ListWatch{ListFunc: func(options metav1.ListOptions) (kruntime.Object, error) {
			return one.ListWithContext(t.Context(), options)
		}, WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return one.WatchWithContext(t.Context(), options)
		}}
	}
	for name, lw := range map[string]toolscache.ListerWatcher{
		"another configuration": podsOf(t, cfg),
		"that of another":       podsOf(t, NewStreaming(ClientOptions{}).Config(cfg)),
		"without the context":   withoutContext(streaming.Config(cfg)),
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				got, failed, _, err := listAll(t, streaming.FromListerWatcher(lw, &corev1.Pod{}), metav1.ListOptions{})
				if err != nil || failed != nil || len(got) != 20 {
					t.Errorf("%v, %v, %d objects", err, failed, len(got))
				}
			}
			w := openWatch(t, streaming.FromListerWatcher(lw, &corev1.Pod{}))
			if event, err := w.Next(); err != nil || nameOf(event.Object.(kruntime.Object)) != "default/watched" {
				t.Errorf("%v, %v", event, err)
			}
			if took(streaming) {
				t.Error("the list was taken from the client")
			}
		})
	}
}

// The description and the log say why the client decodes responses.
func TestDecodedByClient(t *testing.T) {
	streaming := NewStreaming(ClientOptions{})
	cfg := streaming.Config(serveEncoded(t, jsonType, podList(2), podNamed("watched")))
	own := podsOf(t, cfg).(*toolscache.ListWatch)
	inner := own.ListWithContextFunc
	own.ListWithContextFunc = func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
		return inner(ctx, options)
	}
	for _, test := range []struct {
		lw     toolscache.ListerWatcher
		reason string
	}{
		{podsOf(t, cfg), ""},
		{podsOf(t, serveEncoded(t, jsonType, podList(2), podNamed("watched"))), "its client was not made with the Config of Streaming"},
		{own, "source.TestDecodedByClient.func1, which may change the responses"},
		{struct{ *toolscache.ListWatch }{podsOf(t, cfg).(*toolscache.ListWatch)}, ""},
		{struct{ *toolscache.ListWatch }{own}, "source.TestDecodedByClient.func1, which may change the responses"},
		{struct{ toolscache.ListerWatcher }{podsOf(t, cfg)}, "does not take a context"},
	} {
		src := streaming.FromListerWatcher(test.lw, &corev1.Pod{})
		reason := src.Describe().DecodedByClient
		var log strings.Builder
		ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log))))
		w, err := src.Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.Stop()
		if told := strings.Contains(log.String(), "Lists and watches are decoded by the client"); told != (test.reason != "") {
			t.Errorf("%q: told by a watch: %v", test.reason, told)
		}
		for range 2 {
			objects := 0
			if _, err := src.List(ctx, metav1.ListOptions{}, func(any, error) { objects++ }); err != nil || objects != 2 {
				t.Fatalf("%v, %d objects", err, objects)
			}
		}
		if got := reason(); !strings.Contains(got, test.reason) || (got == "") != (test.reason == "") {
			t.Errorf("reason %q, want %q", got, test.reason)
		}
		if told := strings.Count(log.String(), "Lists and watches are decoded by the client"); (told == 1) != (test.reason != "") || told > 1 {
			t.Errorf("%q: told %d times: %q", test.reason, told, log.String())
		}
	}
}

// A watch that is stopped, or whose caller has ended, ends its request.
func TestStreamingEndsItsRequests(t *testing.T) {
	ended := make(chan bool, 9)
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		ended <- true
	})
	streaming := NewStreaming(ClientOptions{})
	src := streaming.FromListerWatcher(podsOf(t, streaming.Config(cfg)), &corev1.Pod{})
	ctx, cancel := context.WithCancel(t.Context())
	for _, end := range []func(stop func()){func(stop func()) { stop() }, func(func()) { cancel() }} {
		w, err := src.Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Millisecond, func() { end(w.Stop) })
		if _, err := w.Next(); err == nil || err == io.EOF {
			t.Errorf("ended with %v", err)
		}
		<-ended
	}
	if _, err := src.List(ctx, metav1.ListOptions{}, nil); err == nil {
		t.Error("list after the end: no error")
	}
}
