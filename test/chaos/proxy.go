package chaos

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"

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
		err = x.frames(answer.Body)
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
		// A watch that is compressed has no frames to tell apart. In other answers
		// nothing but what the client asked for.
		out.Header.Set("Accept-Encoding", "identity")
	}
	return p.transport.RoundTrip(out)
}

// exchange is one request and its answer.
type exchange struct {
	proxy  *Proxy
	w      http.ResponseWriter
	r      *http.Request
	random *rand.Rand
}

// frames passes the frames of a watch on, each as soon as it is there.
func (x *exchange) frames(body io.Reader) error {
	for in := bufio.NewReader(body); ; {
		frame, err := in.ReadBytes('\n')
		if len(frame) > 0 && x.strike(pointOf(frame), frame) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func pointOf(frame []byte) point {
	if bytes.HasPrefix(frame, []byte(`{"type":"BOOKMARK"`)) {
		return atBookmark
	}
	return inWatch
}

// body passes any other answer on.
func (x *exchange) body(body io.Reader) error {
	part := make([]byte, 4<<10)
	for {
		n, err := body.Read(part)
		if n > 0 && x.strike(inList, part[:n]) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// strike passes part on, or lets a fault happen to it, and reports whether that
// was the end of the exchange.
func (x *exchange) strike(at point, part []byte) (over bool) {
	x.proxy.mu.Lock()
	rates := x.proxy.rates
	kind, ok := rates.draw(x.random, at)
	if ok {
		x.proxy.faults[kind]++
	}
	x.proxy.mu.Unlock()
	if !ok {
		return x.write(part) != nil
	}
	switch kind {
	case Cut, Reset, Abort:
		_ = x.write(part[:len(part)/2])
		x.cut(kind)
	case HalfOpen:
		_ = x.write(part[:len(part)/2])
		x.hang(rates.HalfOpen)
	case Delay:
		x.sleep(time.Duration(x.random.Int64N(int64(cmp.Or(rates.Delay, 200*time.Millisecond)))))
		return x.write(part) != nil
	case Status:
		x.status(at)
	case Page:
		x.page()
	case Truncate:
		_ = x.write(part[:x.random.IntN(len(part))])
	case Garble:
		return x.write(garbled(x.random, part)) != nil
	case Duplicate:
		return x.write(append(bytes.Clone(part), part...)) != nil
	case DropBookmark:
		return false
	}
	return true
}

func (x *exchange) write(part []byte) error {
	if len(part) == 0 {
		return nil
	}
	if _, err := x.w.Write(part); err != nil {
		return err
	}
	return x.flush()
}

func (x *exchange) flush() error { return http.NewResponseController(x.w).Flush() }

// cut breaks the connection.
func (x *exchange) cut(how Kind) {
	conn := x.r.Context().Value(connKey{}).(*tls.Conn)
	switch how {
	case Reset:
		tcp := conn.NetConn().(*net.TCPConn)
		_ = tcp.SetLinger(0)
		_ = tcp.Close()
	case Cut:
		_ = conn.Close()
	}
	panic(http.ErrAbortHandler)
}

// hang does nothing until the client has gone, or it is time to cut.
func (x *exchange) hang(limit time.Duration) {
	if limit == 0 {
		<-x.r.Context().Done()
		x.cut(Abort)
	}
	x.sleep(limit)
	x.cut(Cut)
}

func (x *exchange) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done():
	}
}
