package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// feed is an API server that has pods and does nothing but write what it has encoded
// before, so that it never holds up its clients. They are one after the other, each
// under a path of its own. It compresses nothing and has no TLS: that costs all clients
// the same, and is none of the runtime's work.
type feed struct {
	Pods      pods.Population
	Events    int
	WatchList bool
	Encoding  encoding
}

// do serves until the standard input ends.
func (f feed) do(w io.Writer) error {
	handler, err := f.handler()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, handler) }()
	if err := json.NewEncoder(w).Encode("http://" + listener.Addr().String()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// handler encodes everything.
func (f feed) handler() (http.Handler, error) {
	initial, err := f.initial()
	if err != nil {
		return nil, err
	}
	changes, err := encodeAll(f.Events, func(i int) ([]byte, error) { return f.Encoding.event(watch.Modified, f.Pods.Change(i)) })
	if err != nil {
		return nil, err
	}
	s := &feedServer{feed: f, initial: initial, changes: changes, readers: map[string]*feedReader{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{reader}/api/v1/pods", s.read)
	mux.HandleFunc("POST /{reader}/changes", s.change)
	return mux, nil
}

// initial returns the parts of a list, or the watch events that a watch-list begins with.
func (f feed) initial() ([][]byte, error) {
	version := f.Pods.ListVersion()
	if !f.WatchList {
		items, err := encodeAll(f.Pods.Size, func(i int) ([]byte, error) { return f.Encoding.item(f.Pods.Pod(i)) })
		if err != nil {
			return nil, err
		}
		return f.Encoding.list(version, items)
	}
	events, err := encodeAll(f.Pods.Size, func(i int) ([]byte, error) { return f.Encoding.event(watch.Added, f.Pods.Pod(i)) })
	if err != nil {
		return nil, err
	}
	end, err := f.Encoding.initialEventsEnd(version)
	return append(events, end), err
}

// feedServer serves a feed.
type feedServer struct {
	feed
	// initial answers a list or begins a watch-list, and changes are the watch events
	// after it.
	initial, changes [][]byte

	mu      sync.Mutex
	readers map[string]*feedReader
}

// feedReader is what the server knows of a client.
type feedReader struct {
	// watchLists is whether each of its requests for all objects was a watch-list.
	watchLists []bool
	// changed is closed when the changes are to be sent.
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
	if watchList || !watches {
		writeParts(w, s.initial)
	}
	if !watches {
		return
	}
	_ = http.NewResponseController(w).Flush()
	if watchList || query.Get("resourceVersion") == s.Pods.ListVersion() {
		select {
		case <-r.Context().Done():
		case <-reader.changed:
			writeParts(w, s.changes)
		}
	}
	<-r.Context().Done()
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

// change sends the changes to a client, unless it has not listed as it should: once, and
// in the way of this server.
func (s *feedServer) change(w http.ResponseWriter, r *http.Request) {
	reader := s.reader(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if lists := reader.watchLists; len(lists) != 1 || lists[0] != s.WatchList {
		http.Error(w, fmt.Sprintf("lists, as watch-lists or not: got %v, want [%v]", lists, s.WatchList), http.StatusConflict)
		return
	}
	close(reader.changed)
}
