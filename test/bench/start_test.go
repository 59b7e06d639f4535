package main

import (
	"net/http/httptest"
	"testing"
)

// Every way to start gets all objects, on both sides.
func TestStart(t *testing.T) {
	server := collections{Resources: 3, Each: 20}
	handler, err := server.handler()
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(handler)
	t.Cleanup(listener.Close)
	for _, way := range []startWay{typedStart, transformStart, clientsetStart, functionsStart} {
		for name, s := range map[string]starter{
			"client-go": {}, "here": {Ours: true},
		} {
			t.Run(string(way)+"/"+name, func(t *testing.T) {
				s.Host, s.Server, s.Way = listener.URL, server, way
				start, err := s.informers()
				if err != nil {
					t.Fatal(err)
				}
				result, err := s.measure(t.Context(), start)
				if err != nil {
					t.Fatal(err)
				}
				if objects := float64(server.Resources * server.Each); result.CPU <= 0 || result.Held < 1000*objects {
					t.Errorf("measured %+v of %.0f objects", result, objects)
				}
			})
		}
	}
}
