package shard

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FilteredBy returns the party that selects the objects of a resource, as the latest responses have
// shown it: "server" or "client", and "" if that is not known. A source that does not describe its resource
// has the zero resource.
func (s *Shard) FilteredBy(resource schema.GroupVersionResource) string {
	if !s.by.Served() {
		return byClient
	}
	server := s.serverOf(resource)
	server.mu.Lock()
	defer server.mu.Unlock()
	return server.by
}

const byServer, byClient = "server", "client"

// certain is the least evidence that a server filters: of responses by chance, one in a
// million has as much.
const certain = 14

// server has what responses have shown of the server of a resource.
type server struct {
	mu       sync.Mutex
	by       string
	evidence float64
	reported bool
}

// serverOf returns the server of a resource.
func (s *Shard) serverOf(resource schema.GroupVersionResource) *server {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.servers[resource]
	if of == nil {
		of = &server{}
		if s.servers == nil {
			s.servers = map[schema.GroupVersionResource]*server{}
		}
		s.servers[resource] = of
	}
	return of
}

// filtered notes an object that was requested.
func (s *server) filtered(evidence float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.evidence += evidence; s.evidence > certain {
		s.by = byServer
	}
}

// didNotFilter notes an object that was not requested, and reports whether it is the first one.
func (s *server) didNotFilter() (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = !s.reported
	s.by, s.evidence, s.reported = byClient, 0, true
	return first
}
