package shard

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FilteredBy returns which party selects the objects of a resource, judged by the latest responses:
// "server" or "client", or "" if that is not known. A source that does not describe its resource has the
// zero resource.
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

// certain is the least evidence that proves that a server filters. A server that does not filter produces
// as much by chance in one case of a million.
const certain = 14

// server holds what responses have shown about the server of a resource.
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

// filtered notes a requested object with its evidence.
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
