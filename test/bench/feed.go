package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// feed is an API server that has pods and does nothing but write what it has encoded
// before, so that it never holds up its clients. They are one after the other, each
// under a path of its own. Without a network, it compresses nothing and has no TLS: that
// costs all clients the same, and is none of the runtime's work. With one, it compresses what API
// servers of 1.37 do: lists and watch-lists.
type feed struct {
	Pods      pods.Population
	Events    int
	WatchList bool
	Encoding  encoding
	// Filters reports whether the server obeys shard selectors.
	Filters bool
	// Network lies between it and its clients.
	Network network
}

// do serves until the standard input ends.
func (f feed) do(w io.Writer) error {
	handler, err := f.handler()
	if err != nil {
		return err
	}
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	if f.Network.Rate > 0 {
		server.StartTLS()
	} else {
		server.Start()
	}
	if err := json.NewEncoder(w).Encode(server.URL); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// handler encodes everything.
func (f feed) handler() (http.Handler, error) {
	pods, err := encodePods(f.Pods.Size, f.Pods.Pod, func(pod *v1.Pod) ([]byte, error) {
		if f.WatchList {
			return f.Encoding.event(watch.Added, pod)
		}
		return f.Encoding.item(pod)
	})
	if err != nil {
		return nil, err
	}
	changes, err := encodePods(f.Events, f.Pods.Change, func(pod *v1.Pod) ([]byte, error) { return f.Encoding.event(watch.Modified, pod) })
	if err != nil {
		return nil, err
	}
	s := &feedServer{feed: f, pods: pods, changes: changes, readers: map[string]*feedReader{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{reader}/api/v1/pods", s.read)
	mux.HandleFunc("POST /{reader}/changes", s.change)
	return mux, nil
}

// initial returns the parts of a list, or the watch events that a watch-list begins with.
func (f feed) initial(pods [][]byte) ([][]byte, error) {
	version := f.Pods.ListVersion()
	if !f.WatchList {
		return f.Encoding.list(version, pods)
	}
	end, err := f.Encoding.initialEventsEnd(version)
	return append(pods[:len(pods):len(pods)], end), err
}

// encodedPods are pods, or watch events of them, with what shards are told apart by.
type encodedPods struct {
	bytes [][]byte
	pods  []metav1.PartialObjectMetadata
}

func encodePods(n int, pod func(i int) *v1.Pod, encode func(*v1.Pod) ([]byte, error)) (encodedPods, error) {
	all := encodedPods{pods: make([]metav1.PartialObjectMetadata, n)}
	var err error
	all.bytes, err = encodeAll(n, func(i int) ([]byte, error) {
		p := pod(i)
		all.pods[i].UID = p.UID
		return encode(p)
	})
	return all, err
}

// of returns those that are selected, which nil does for all.
func (e encodedPods) of(selected func(runtime.Object) bool) [][]byte {
	if selected == nil {
		return e.bytes
	}
	var some [][]byte
	for i := range e.pods {
		if selected(&e.pods[i]) {
			some = append(some, e.bytes[i])
		}
	}
	return some
}

// feedServer serves a feed.
type feedServer struct {
	feed
	// pods answer a list or begin a watch-list, and changes are the watch events after it.
	pods, changes encodedPods

	mu      sync.Mutex
	readers map[string]*feedReader
}

// feedReader is the server's knowledge of a client.
type feedReader struct {
	// watchLists reports whether each of its requests for all objects was a watch-list.
	watchLists []bool
	// changed is closed when the server may send the changes.
	changed chan struct{}
}

func (s *feedServer) reader(r *http.Request) *feedReader {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.PathValue("reader")
	if s.readers[name] == nil {
		s.readers[name] = &feedReader{changed: make(chan struct{})}
	}
	return s.readers[name]
}

// read serves lists and watches.
func (s *feedServer) read(w http.ResponseWriter, r *http.Request) {
	if accept := r.Header.Get("Accept"); !strings.HasPrefix(accept, string(s.Encoding)) {
		http.Error(w, fmt.Sprintf("accepts %q, not %s", accept, s.Encoding), http.StatusNotAcceptable)
		return
	}
	query := r.URL.Query()
	watches, watchList := query.Has("watch"), query.Get("sendInitialEvents") == "true"
	reader := s.reader(r)
	if watchList || !watches {
		s.mu.Lock()
		reader.watchLists = append(reader.watchLists, watchList)
		s.mu.Unlock()
		if watchList != s.WatchList {
			http.Error(w, "this server has the other kind of list", http.StatusInternalServerError)
			return
		}
	}
	contentType := string(s.Encoding)
	if watches {
		contentType = s.Encoding.streamType()
	}
	w.Header().Set("Content-Type", contentType)
	if s.Network.Rate > 0 && (watchList || !watches) && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		zipped := newZipped(w)
		defer zipped.zip.Close()
		w = zipped
	}
	var selected func(runtime.Object) bool
	if text := query.Get("shardSelector"); text != "" && s.Filters {
		var err error
		if selected, err = sharded(text); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	if watchList || !watches {
		initial, err := s.initial(s.pods.of(selected))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		writeParts(w, initial)
	}
	if !watches {
		return
	}
	_ = http.NewResponseController(w).Flush()
	if watchList || query.Get("resourceVersion") == s.Pods.ListVersion() {
		select {
		case <-r.Context().Done():
		case <-reader.changed:
			writeParts(w, s.changes.of(selected))
		}
	}
	<-r.Context().Done()
}

// zipped is a response that is compressed as API servers do.
type zipped struct {
	http.ResponseWriter
	zip *gzip.Writer
}

func newZipped(w http.ResponseWriter) zipped {
	w.Header().Set("Content-Encoding", "gzip")
	compressing, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // a valid level
	return zipped{w, compressing}
}

// Write implements http.ResponseWriter.
func (z zipped) Write(p []byte) (int, error) { return z.zip.Write(p) }

// FlushError is for http.ResponseController.
func (z zipped) FlushError() error {
	return cmp.Or(z.zip.Flush(), http.NewResponseController(z.ResponseWriter).Flush())
}

// writeParts writes them as fast as they are read.
func writeParts(w http.ResponseWriter, parts [][]byte) {
	buffer := bufio.NewWriterSize(w, 64<<10)
	for _, part := range parts {
		if _, err := buffer.Write(part); err != nil {
			return
		}
	}
	if buffer.Flush() == nil {
		_ = http.NewResponseController(w).Flush()
	}
}

// change sends the changes to a client, unless it has listed more often than it should, or
// less.
func (s *feedServer) change(w http.ResponseWriter, r *http.Request) {
	reader := s.reader(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if lists := reader.watchLists; len(lists) != 1 {
		http.Error(w, fmt.Sprintf("lists: got %d, want 1", len(lists)), http.StatusConflict)
		return
	}
	close(reader.changed)
}
