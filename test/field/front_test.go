package field_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"sync"
	"time"
)

// front is the server that clients are connected with.
type front struct {
	network *network
	http2   bool
	handler http.Handler
	tune    func(*http.Server)

	mu      sync.Mutex
	current *http.Server
}

// start makes a server take the connections that come from now on.
func (f *front) start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current = &http.Server{
		Handler:   f.handler,
		ErrorLog:  log.New(io.Discard, "", 0),
		Protocols: new(http.Protocols),
	}
	f.current.Protocols.SetHTTP1(!f.http2)
	f.current.Protocols.SetHTTP2(f.http2)
	if f.tune != nil {
		f.tune(f.current)
	}
	listener := f.network.listen()
	if f.http2 {
		f.current.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
		go func(s *http.Server) { _ = s.ServeTLS(listener, "", "") }(f.current)
		return
	}
	go func(s *http.Server) { _ = s.Serve(listener) }(f.current)
}

func (f *front) server() *http.Server {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current
}

// kill ends the server as the end of its process does: with all connections.
func (f *front) kill() {
	f.network.refuse()
	f.network.reset()
	_ = f.server().Close()
}

// drain starts another server and has the old one say GOAWAY, or close the idle
// connections of HTTP/1.1. What is still open after the grace is cut.
func (f *front) drain(grace time.Duration) {
	old := f.server()
	f.start()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = old.Shutdown(ctx)
	_ = old.Close()
}

// latency keeps requests that follow each other at once from taking no time at all.
const latency = 5 * time.Millisecond

// flood is the number of requests that are answered under a condition. An informer that makes more, without
// a pause, waits for ever.
const flood = 13_000

// edge sees each request first, and counts.
type edge struct {
	next http.Handler

	mu       sync.Mutex
	requests []time.Time
	// watches is the number of open watches. blind is the time without one, until changed.
	watches int
	changed time.Time
	blind   time.Duration
}

func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isWatch := isWatch(r)
	time.Sleep(latency)
	e.mu.Lock()
	e.requests = append(e.requests, time.Now())
	flooded := len(e.requests) > flood
	e.mu.Unlock()
	if flooded {
		<-r.Context().Done()
		return
	}
	if !isWatch {
		e.next.ServeHTTP(w, r)
		return
	}
	watched := &watchWriter{ResponseWriter: w, opened: func() { e.count(1) }}
	// The handler may hear late, or never, that its client has gone.
	undo := context.AfterFunc(r.Context(), watched.end(e))
	defer watched.end(e)()
	defer undo()
	e.next.ServeHTTP(watched, r)
}

func (e *edge) count(by int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.passLocked()
	e.watches += by
}

// passLocked adds the time since the last change.
func (e *edge) passLocked() {
	now := time.Now()
	if e.watches == 0 {
		e.blind += now.Sub(e.changed)
	}
	e.changed = now
}

// forget resets the counters.
func (e *edge) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests, e.blind, e.changed = nil, 0, time.Now()
}

// counted returns the requests and the time without a watch so far, and how many
// requests came in the busiest minute.
func (e *edge) counted() (requests, busiest int, blind time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.passLocked()
	first := 0
	for i, at := range e.requests {
		for at.Sub(e.requests[first]) > time.Minute {
			first++
		}
		busiest = max(busiest, i-first+1)
	}
	return len(e.requests), busiest, e.blind
}

// watchWriter notices when a watch opens.
type watchWriter struct {
	http.ResponseWriter
	opened func()

	mu                 sync.Mutex
	wrote, open, ended bool
}

func (w *watchWriter) WriteHeader(code int) {
	w.mu.Lock()
	if code == http.StatusOK && !w.wrote && !w.ended {
		w.open = true
		w.opened()
	}
	w.wrote = true
	w.mu.Unlock()
	w.ResponseWriter.WriteHeader(code)
}

func (w *watchWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	wrote := w.wrote
	w.mu.Unlock()
	if !wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

func (w *watchWriter) Flush() { flush(w.ResponseWriter) }

func (w *watchWriter) end(e *edge) func() {
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.open && !w.ended {
			e.count(-1)
		}
		w.ended = true
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

var certificate, authority = newCertificate()

// newCertificate returns a certificate that is good in virtual time too, which
// begins in the year 2000, and its authority in PEM.
func newCertificate() (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: host},
		NotBefore:             time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:              time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames:              []string{host},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
