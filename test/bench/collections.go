package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// collections is an API server that has many resources with pods in protobuf, and does nothing
// but write lists that it has encoded before. No object is in two of them; in every other
// resource they have a third of the size. Its watches have no events.
type collections struct {
	Resources int
	// Each is the number of objects of a resource.
	Each int
}

// do serves until the standard input ends.
func (c collections) do(w io.Writer) error {
	handler, err := c.handler()
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

// resource is the i-th.
func (c collections) resource(i int) schema.GroupVersionResource {
	return v1.SchemeGroupVersion.WithResource("pods-" + strconv.Itoa(i))
}

// handler encodes everything.
func (c collections) handler() (http.Handler, error) {
	population := pods.Population{Size: c.Resources * c.Each}
	items, err := encodeAll(population.Size, func(i int) ([]byte, error) {
		pod := population.Pod(i)
		if i/c.Each%2 == 1 {
			pod.ManagedFields, pod.Spec.Containers = nil, pod.Spec.Containers[:1]
		}
		return inProtobuf.item(pod)
	})
	if err != nil {
		return nil, err
	}
	lists := map[string][][]byte{}
	for i := range c.Resources {
		list, err := inProtobuf.list(population.ListVersion(), items[i*c.Each:(i+1)*c.Each])
		if err != nil {
			return nil, err
		}
		lists[c.resource(i).Resource] = list
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/{resource}", func(w http.ResponseWriter, r *http.Request) {
		list, ok := lists[r.PathValue("resource")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if !r.URL.Query().Has("watch") {
			w.Header().Set("Content-Type", string(inProtobuf))
			writeParts(w, list)
			return
		}
		w.Header().Set("Content-Type", inProtobuf.streamType())
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	return mux, nil
}

// collecting is the server that runs, once there is one: it takes seconds to encode.
var collecting struct {
	collections
	host string
	stop func()
}

// hostOfCollections returns where such a server is, alone: other servers use memory and time.
func hostOfCollections(c collections) (string, error) {
	if collecting.stop != nil && collecting.collections == c {
		return collecting.host, nil
	}
	stopServer()
	cmd, err := process("collections", c)
	if err != nil {
		return "", err
	}
	stop, err := serve(cmd, &collecting.host)
	if err == nil {
		collecting.collections, collecting.stop = c, stop
	}
	return collecting.host, err
}
