package chaos

import (
	"context"
	"encoding/pem"
	"fmt"
	"maps"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"

	"k8s.io/client-go/rest"
)

// Proxy stands before an API server and makes faults. It speaks HTTP/2, and
// HTTP/1.1 with clients that want it.
type Proxy struct {
	upstream  *url.URL
	transport *http.Transport
	server    *httptest.Server
	config    *rest.Config

	mu       sync.Mutex
	rates    Rates
	random   *rand.Rand
	requests int
	faults   [kindCount]int
}

// NewProxy returns a proxy before the server that the configuration names,
// without faults. The seed decides over its faults.
func NewProxy(cfg *rest.Config, seed uint64) (*Proxy, error) {
	upstream, err := url.Parse(cfg.Host)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	tlsConfig, err := rest.TLSConfigFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	p := &Proxy{
		upstream:  upstream,
		transport: &http.Transport{TLSClientConfig: tlsConfig, ForceAttemptHTTP2: true},
		random:    rand.New(rand.NewPCG(seed, 0)),
	}
	p.server = httptest.NewUnstartedServer(p)
	p.server.EnableHTTP2 = true
	p.server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, conn)
	}
	p.server.StartTLS()

	p.config = rest.CopyConfig(cfg)
	p.config.Host = p.server.URL
	p.config.TLSClientConfig = rest.TLSClientConfig{
		CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw}),
	}
	return p, nil
}

// connKey is under which a request's context has its connection.
type connKey struct{}

// Config returns a fresh copy of how to reach the server through the proxy.
// With "http/1.1" as its only NextProtos, each watch has a connection of its own.
func (p *Proxy) Config() *rest.Config { return rest.CopyConfig(p.config) }

// Set changes the rates. What is half open stays so.
func (p *Proxy) Set(rates Rates) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rates = rates
}

// Requests returns how many there were.
func (p *Proxy) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// Faults returns how many faults of each kind there were.
func (p *Proxy) Faults() map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	faults := map[Kind]int{}
	for kind, n := range p.faults {
		if n > 0 {
			faults[Kind(kind)] = n
		}
	}
	return faults
}

// Close cuts every connection and waits for the requests to end.
func (p *Proxy) Close() {
	p.server.CloseClientConnections()
	p.server.Close()
	p.transport.CloseIdleConnections()
}

// ServeHTTP forwards one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{proxy: p, w: w, r: r}
	p.mu.Lock()
	p.requests++
	x.random = rand.New(rand.NewPCG(p.random.Uint64(), 0))
	p.mu.Unlock()
	if x.strike(atRequest, nil) {
		return
	}
	answer, err := p.forward(r)
	if err != nil {
		panic(http.ErrAbortHandler) // as if this connection were broken
	}
	defer func() { _ = answer.Body.Close() }()
	maps.Copy(w.Header(), answer.Header)
	w.Header().Del("Content-Length") // faults change it
	w.WriteHeader(answer.StatusCode)
	_ = x.flush()
	if mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); r.URL.Query().Has("watch") && mediaType == "application/json" {
		err = x.events(answer.Body)
	} else {
		err = x.body(answer.Body)
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (p *Proxy) forward(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.Host = p.upstream.Scheme, p.upstream.Host, p.upstream.Host
	out.RequestURI = ""
	if r.URL.Query().Has("watch") || out.Header.Get("Accept-Encoding") == "" {
		// The events of a compressed watch can't be told apart. In other answers
		// nothing but what the client asked for.
		out.Header.Set("Accept-Encoding", "identity")
	}
	return p.transport.RoundTrip(out)
}
