package source

import (
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// streamingPods is the source of pods of a clientset with the configuration of a Streaming.
func streamingPods(t *testing.T, cfg *rest.Config) cache.Source[*corev1.Pod] {
	clientset := must(kubernetes.NewForConfig(NewStreaming(ClientOptions{}).Config(cfg)))(t)
	return cache.Source[*corev1.Pod]{Objects: ClientsetObjects[*corev1.Pod](clientset, corev1.SchemeGroupVersion.WithResource("pods"), "", func() ResourceClient[*corev1.PodList] { return clientset.CoreV1().Pods("") })}
}

// Lists and watch-lists are requested compressed, unless the configuration says otherwise, and
// other watches are not: by sources of their own and by those of a Streaming.
func TestAcceptEncoding(t *testing.T) {
	for _, test := range []struct {
		disable bool
		want    map[string]string // by the request
	}{
		{disable: false, want: map[string]string{"list": "gzip", "watch": "identity", "watch-list": "gzip"}},
		{disable: true, want: map[string]string{"list": "", "watch": "identity", "watch-list": ""}},
	} {
		got := map[string]string{}
		cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
			request := "list"
			if query := r.URL.Query(); isTrue(query.Get("sendInitialEvents")) {
				request = "watch-list"
			} else if isTrue(query.Get("watch")) {
				request = "watch"
			}
			got[request] = r.Header.Get("Accept-Encoding")
			servePods(t, 1)(w, r)
		})
		cfg.DisableCompression = test.disable
		cfg.Proxy = http.ProxyFromEnvironment // without TLS, client-go reads DisableCompression only if there is something else
		for name, src := range map[string]cache.Source[*corev1.Pod]{
			"source":    New[*corev1.Pod](newClient(t, cfg), pods, ""),
			"streaming": streamingPods(t, cfg),
		} {
			clear(got)
			if _, err := src.List(t.Context(), metav1.ListOptions{}, func(any, error) {}); err != nil {
				t.Fatal(err)
			}
			for _, initial := range []*bool{nil, new(true)} {
				w, err := src.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: initial, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
				if err != nil {
					t.Fatal(err)
				}
				w.Stop()
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("%s, compression disabled %v: Accept-Encoding %q, want %q", name, test.disable, got, test.want)
			}
		}
	}
}

// A server of 1.37 compresses a watch-list, and each event after it as a member of its own: none
// waits for the next one.
func TestCompressedWatchList(t *testing.T) {
	for name, of := range map[string]func(*rest.Config) cache.Source[*corev1.Pod]{
		"source":    func(cfg *rest.Config) cache.Source[*corev1.Pod] { return New[*corev1.Pod](newClient(t, cfg), pods, "") },
		"streaming": func(cfg *rest.Config) cache.Source[*corev1.Pod] { return streamingPods(t, cfg) },
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(chan struct{})
			src := of(serve(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
					t.Error("gzip: not requested")
				}
				w.Header().Set("Content-Type", jsonType)
				w.Header().Set("Content-Encoding", "gzip")
				for _, names := range [][]string{{"a", "b", "c"}, {"d"}, {"e"}} {
					z := gzip.NewWriter(w)
					for _, name := range names {
						_, _ = z.Write(jsonFrame(t, "ADDED", podNamed(name)))
					}
					_ = z.Flush()
					_ = z.Close()
					w.(http.Flusher).Flush()
					<-seen
				}
			}))
			w, err := src.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: new(true)})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			for i, name := range []string{"a", "b", "c", "d", "e"} {
				event, err := w.Next()
				if err != nil || event.Object.(*corev1.Pod).Name != name {
					t.Fatalf("event %d: %v, %v", i, event.Object, err)
				}
				if i >= 2 {
					seen <- struct{}{}
				}
			}
			if _, err := w.Next(); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// A proxy may compress a watch all the same.
func TestCompressedWatch(t *testing.T) {
	next := make(chan string)
	client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for name := range next {
			z.Write(jsonFrame(t, "ADDED", podNamed(name)))
			z.Flush()
			w.(http.Flusher).Flush()
		}
		z.Close()
	}))
	go func() { next <- "first" }()
	w, err := New[*corev1.Pod](client, pods, "").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for _, name := range []string{"first", "second"} {
		event, err := w.Next()
		if err != nil || event.Object.(*corev1.Pod).Name != name {
			t.Fatalf("event %+v: %v", event, err)
		}
		if name == "first" {
			next <- "second"
		}
	}
	close(next)
	if _, err := w.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	unknown := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		w.Write([]byte("\x1b\x2a\x00\xf8 or so"))
	}))
	if _, err := openWatch(t, New[*corev1.Pod](unknown, pods, "")).Next(); !errors.Is(err, failure.ErrUndecodable) {
		t.Errorf("another encoding: %v", err)
	}
}
