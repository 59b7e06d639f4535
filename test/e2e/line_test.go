package e2e

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// line is the connection of one client to the API server: a proxy of TCP connections,
// which a test cuts, and a log of the requests.
type line struct {
	listener net.Listener
	server   string
	running  sync.WaitGroup

	mu    sync.Mutex
	open  chan struct{} // closed while connections may pass
	conns map[*net.TCPConn]bool
	reset bool // whether the last connection was cut by a reset
	calls []call
}

// call is a request that was answered.
type call struct {
	query url.Values
}

func isWatch(c call) bool     { return c.query.Get("watch") != "" }
func isWatchList(c call) bool { return isWatch(c) && c.query.Get("sendInitialEvents") == "true" }
func isList(c call) bool      { return !isWatch(c) }

// newLine leads the client of the configuration over a new line.
func newLine(t *testing.T, cfg *rest.Config) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{
		listener: listener,
		server:   strings.TrimPrefix(cfg.Host, "https://"),
		open:     make(chan struct{}),
		conns:    map[*net.TCPConn]bool{},
	}
	close(l.open)
	l.running.Go(l.serve)
	t.Cleanup(func() {
		listener.Close()
		l.cut()
		l.running.Wait()
	})
	cfg.Host = "https://" + listener.Addr().String()
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return lineTransport{l, next} })
	return l
}

// hold cuts every connection and lets none pass until release.
func (l *line) hold() {
	l.mu.Lock()
	l.open = make(chan struct{})
	l.mu.Unlock()
	l.cut()
}

func (l *line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.open)
}

// cut breaks every connection: half of them the client finds closed, the other
// half reset.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		if l.reset = !l.reset; l.reset {
			_ = conn.SetLinger(0)
		}
		conn.Close()
	}
}

// waitWatches waits until so many watches have been opened since the start.
func (l *line) waitWatches(ctx context.Context, n int) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for l.count(isWatch) < n {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// count is the number of calls so far for which is is true.
func (l *line) count(is func(call) bool) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, c := range l.calls {
		if is(c) {
			n++
		}
	}
	return n
}

func (l *line) serve() {
	for {
		conn, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			l.running.Go(func() { l.forward(conn.(*net.TCPConn)) })
		}
	}
}

// forward connects the client to the server until either side closes, or cut.
func (l *line) forward(client *net.TCPConn) {
	defer client.Close()
	l.mu.Lock()
	l.conns[client] = true
	open := l.open
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, client)
	}()
	<-open
	server, err := net.Dial("tcp", l.server)
	if err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(client, server)
		client.Close()
	})
	_, _ = io.Copy(server, client)
	server.Close()
	back.Wait()
}

// lineTransport logs the requests that were answered.
type lineTransport struct {
	line *line
	next http.RoundTripper
}

func (t lineTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	c := call{query: request.URL.Query()}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.line.calls = append(t.line.calls, c)
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport below.
func (t lineTransport) WrappedRoundTripper() http.RoundTripper { return t.next }
