package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	dynamicclient "k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	clientgo "k8s.io/client-go/tools/cache"

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

// podsOf is the ListerWatcher of a clientset, which counts the items that it has decoded.
func podsOf(t *testing.T, cfg *rest.Config, decoded *atomic.Int64) clientgo.ListerWatcher {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &clientgo.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
			list, err := clientset.CoreV1().Pods("").List(ctx, options)
			if err == nil {
				decoded.Add(int64(len(list.Items)))
			}
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return clientset.CoreV1().Pods("").Watch(ctx, options)
		},
	}
}

// Objects are those that the client would have decoded, but the client decodes none.
func TestStreaming(t *testing.T) {
	for _, contentType := range []string{jsonType, protoType} {
		t.Run(contentType, func(t *testing.T) {
			cfg := typedConfig(serveEncoded(t, contentType, podList(20), podNamed("watched")), contentType)
			var decoded atomic.Int64
			want, _, wantMeta, err := listAll(t, FromListerWatcher[kruntime.Object](podsOf(t, cfg, &decoded), &corev1.Pod{}), metav1.ListOptions{})
			if err != nil || decoded.Swap(0) != 20 {
				t.Fatal(err)
			}
			streaming := NewStreaming(ClientOptions{})
			src := streaming.FromListerWatcher(podsOf(t, streaming.Config(cfg), &decoded), &corev1.Pod{})
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
			if n := decoded.Load(); n > 0 {
				t.Errorf("the client has decoded %d objects", n)
			}
			if parts, _ := streaming.shared.Saved(); parts == 0 {
				t.Error("the objects have nothing in common")
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

// A clientset with the configuration of a Streaming decodes nothing either, whatever else
// the functions request.
func TestStreamingClientset(t *testing.T) {
	cfg := serveEncoded(t, jsonType, podList(20), podNamed("watched"))
	streaming := NewStreaming(ClientOptions{})
	of := func(cfg *rest.Config) Source[*corev1.Pod] {
		clientset := must(kubernetes.NewForConfig(cfg))(t)
		list := func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			_, _ = clientset.CoreV1().Pods("a").Get(ctx, "b", metav1.GetOptions{})
			w, err := clientset.CoreV1().Pods("").Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			defer w.Stop()
			if event := <-w.ResultChan(); event.Type != watch.Added {
				t.Errorf("watch within the list: %v", event)
			}
			return clientset.CoreV1().Pods("").List(ctx, options)
		}
		return FromClientset[*corev1.Pod](clientset, list, clientset.CoreV1().Pods("").Watch)
	}
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
	if parts, _ := streaming.shared.Saved(); parts == 0 {
		t.Error("the objects have nothing in common")
	}
	w := openWatch(t, src)
	if event, err := w.Next(); err != nil || nameOf(event.Object) != "default/watched" {
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
		io.WriteString(w, `{"apiVersion":"example.com/v1","items":[`+widgetJSON+`],"kind":"WidgetList","metadata":{"resourceVersion":"9"}}`)
	})
	streaming := NewStreaming(ClientOptions{})
	streamed := streaming.Config(cfg)
	typed := func(cfg *rest.Config) clientgo.ListerWatcher {
		client := widgetClient(t, cfg)
		return &clientgo.ListWatch{ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
			var list WidgetList
			return &list, client.Get().Resource("widgets").Do(ctx).Into(&list)
		}, WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Get().Resource("widgets").Param("watch", "true").Watch(ctx)
		}}
	}
	anyType := func(cfg *rest.Config) clientgo.ListerWatcher {
		client := must(dynamicclient.NewForConfig(cfg))(t).Resource(widgets)
		return &clientgo.ListWatch{ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
			return client.List(ctx, options)
		}, WatchFuncWithContext: client.Watch}
	}
	onlyMetadata := func(cfg *rest.Config) clientgo.ListerWatcher {
		client := must(metadata.NewForConfig(cfg))(t).Resource(widgets)
		return &clientgo.ListWatch{ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
			return client.List(ctx, options)
		}}
	}
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(widgets.GroupVersion().WithKind("Widget"))
	for _, test := range []struct {
		name     string
		of       func(*rest.Config) clientgo.ListerWatcher
		expected kruntime.Object
	}{
		{"typed", typed, &Widget{}},
		{"unstructured", anyType, kind},
		{"metadata", onlyMetadata, &metav1.PartialObjectMetadata{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, _, _, err := listAll(t, FromListerWatcher[kruntime.Object](test.of(cfg), test.expected), metav1.ListOptions{})
			if err != nil || len(want) != 1 {
				t.Fatal(err, len(want))
			}
			src := streaming.FromListerWatcher(test.of(streamed), test.expected)
			got, failed, _, err := listAll(t, src, metav1.ListOptions{})
			if err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("objects (-client +here):\n%s", diff)
			}
			if test.name == "metadata" {
				return
			}
			w := openWatch(t, src)
			if event, err := w.Next(); err != nil || nameOf(event.Object) != "ns/w" {
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

// A client with a timeout ends its request when it has read what it gets, which is empty: the
// response goes on.
func TestStreamingOutlastsTheClientsRequest(t *testing.T) {
	body := encoded(t, jsonType, podList(20))
	returned := make(chan struct{})
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		w.Write(body[:len(body)/2])
		w.(http.Flusher).Flush()
		select {
		case <-returned:
		case <-r.Context().Done():
		}
		w.Write(body[len(body)/2:])
	})
	streaming := NewStreaming(ClientOptions{})
	cfg = streaming.Config(cfg)
	cfg.Timeout = time.Minute
	var decoded atomic.Int64
	lw := podsOf(t, cfg, &decoded).(*clientgo.ListWatch)
	list := lw.ListWithContextFunc
	lw.ListWithContextFunc = func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
		defer close(returned)
		return list(ctx, options)
	}
	got, failed, _, err := listAll(t, streaming.FromListerWatcher(lw, &corev1.Pod{}), metav1.ListOptions{})
	if err != nil || failed != nil || len(got) != 20 {
		t.Errorf("%v, %v, %d objects", err, failed, len(got))
	}
}

// What is no list is an error, by whoever finds it.
func TestStreamingErrors(t *testing.T) {
	status := encoded(t, jsonType, &metav1.Status{Status: "Failure", Code: 403, Reason: metav1.StatusReasonForbidden, Message: "no role"})
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
		{"status with code 200", jsonType, 200, status, func(err error) bool { return err != nil }},
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
			var decoded atomic.Int64
			_, _, _, err := listAll(t, streaming.FromListerWatcher(podsOf(t, streaming.Config(cfg), &decoded), &corev1.Pod{}), metav1.ListOptions{})
			if !test.is(err) {
				t.Errorf("error %v", err)
			}
		})
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
	var decoded atomic.Int64
	several := func(cfg *rest.Config) clientgo.ListerWatcher {
		one := podsOf(t, cfg, &decoded).(*clientgo.ListWatch)
		return &clientgo.ListWatch{ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
			all := &corev1.PodList{}
			for range 3 {
				list, err := one.ListWithContextFunc(ctx, options)
				if err != nil {
					return nil, err
				}
				all.Items = append(all.Items, list.(*corev1.PodList).Items...)
			}
			return all, nil
		}, WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if w, err := one.WatchFuncWithContext(ctx, options); err == nil {
				w.Stop()
			}
			return one.WatchFuncWithContext(ctx, options)
		}}
	}
	withoutContext := func(cfg *rest.Config) clientgo.ListerWatcher {
		one := podsOf(t, cfg, &decoded).(*clientgo.ListWatch)
		return &clientgo.ListWatch{ListFunc: func(options metav1.ListOptions) (kruntime.Object, error) {
			return one.ListWithContextFunc(t.Context(), options)
		}, WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return one.WatchFuncWithContext(t.Context(), options)
		}}
	}
	for name, lw := range map[string]clientgo.ListerWatcher{
		"another configuration":    podsOf(t, cfg, &decoded),
		"that of another":          podsOf(t, NewStreaming(ClientOptions{}).Config(cfg), &decoded),
		"without the context":      withoutContext(streaming.Config(cfg)),
		"several requests in each": several(streaming.Config(cfg)),
	} {
		t.Run(name, func(t *testing.T) {
			want := 20
			if strings.HasPrefix(name, "several") {
				want = 60
			}
			for range 2 {
				got, failed, _, err := listAll(t, streaming.FromListerWatcher(lw, &corev1.Pod{}), metav1.ListOptions{})
				if err != nil || failed != nil || len(got) != want {
					t.Errorf("%v, %v, %d objects", err, failed, len(got))
				}
			}
			w := openWatch(t, streaming.FromListerWatcher(lw, &corev1.Pod{}))
			if event, err := w.Next(); err != nil || nameOf(event.Object) != "default/watched" {
				t.Errorf("%v, %v", event, err)
			}
		})
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
	var decoded atomic.Int64
	src := streaming.FromListerWatcher(podsOf(t, streaming.Config(cfg), &decoded), &corev1.Pod{})
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
