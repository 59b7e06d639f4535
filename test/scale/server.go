package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// server is an API server that lists objects, and changes them when it is asked to. What it
// writes is encoded before, so that it never holds up its client.
type server struct {
	Population population
	// Selector is the only one that is asked for, and Filters whether the server knows it.
	Selector string
	Filters  bool
	Events   int
}

// do serves one client until the standard input ends.
func (s server) do(w io.Writer) error {
	list, changes, err := s.encode()
	if err != nil {
		return err
	}
	changed := make(chan struct{}) // closed when the changes are to be sent
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/"+s.Population.resource(), func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if query.Get("shardSelector") != s.Selector || !strings.HasPrefix(r.Header.Get("Accept"), s.Population.Encoding) {
			http.Error(w, fmt.Sprintf("selector %q in %s was not expected", query.Get("shardSelector"), r.Header.Get("Accept")), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", s.Population.Encoding)
		if !query.Has("watch") {
			_, _ = w.Write(list)
			return
		}
		if s.Population.Format() == "protobuf" {
			w.Header().Set("Content-Type", s.Population.Encoding+";stream=watch")
		}
		_ = http.NewResponseController(w).Flush()
		<-changed
		_, _ = w.Write(changes)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /changes", func(http.ResponseWriter, *http.Request) { close(changed) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, mux) }()
	if err := json.NewEncoder(w).Encode("http://" + listener.Addr().String()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// encode returns the list, and the watch events of all changes with a bookmark at their end.
func (s server) encode() (list, changes []byte, err error) {
	takes := func(object) bool { return true }
	if s.Filters && s.Selector != "" {
		var err error
		if takes, err = sharded(s.Selector); err != nil {
			return nil, nil, err
		}
	}
	var objects []runtime.Object
	for i := range s.Population.Objects {
		if o := s.Population.object(i); takes(o) {
			objects = append(objects, o)
		}
	}
	list, err = s.Population.list(objects)
	for i := range s.Events {
		o := s.Population.change(i)
		if !takes(o) {
			continue
		}
		event, eventErr := s.Population.event(watch.Modified, o)
		changes, err = append(changes, event...), errors.Join(err, eventErr)
	}
	end, endErr := s.Population.event(watch.Bookmark, s.Population.bookmark(s.Population.changeVersion(s.Events)))
	return list, append(changes, end...), errors.Join(err, endErr)
}
