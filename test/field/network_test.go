package field_test

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// network is the network between the clients and the server. Its connections can be refused, reset, and
// made half-open.
type network struct {
	// pair makes a connection: a pipe or a TCP connection.
	pair func() (client, server net.Conn, err error)

	mu    sync.Mutex
	in    *listener // nil: nobody listens
	links map[*link]bool

	// dropping drops what is sent, and answers no attempt to connect.
	dropping atomic.Bool
	// pace is the time that a chunk of drip bytes takes from the server to a client. Zero is no time.
	pace atomic.Int64
}

// drip is the number of bytes that pass at a time if there is a pace.
const drip = 64

// dialTimeout is the timeout of client-go's default dialer.
const dialTimeout = 30 * time.Second

func newNetwork(pair func() (net.Conn, net.Conn, error)) *network {
	return &network{pair: pair, links: map[*link]bool{}}
}

// listen returns the listener that later connections lead to.
func (n *network) listen() net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.in = &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	return n.in
}

// refuse refuses connections from now on.
func (n *network) refuse() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.in = nil
}

func (n *network) current() *listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.in
}

// dial is the Dial of a rest.Config.
func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if n.dropping.Load() {
		select {
		case <-time.After(dialTimeout):
			return nil, dialError(os.ErrDeadlineExceeded)
		case <-ctx.Done():
			return nil, dialError(context.Cause(ctx))
		}
	}
	time.Sleep(latency)
	in := n.current()
	if in == nil {
		return nil, dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
	client, near, err := n.pair()
	if err != nil {
		return nil, err
	}
	far, server, err := n.pair()
	if err != nil {
		return nil, errors.Join(err, client.Close(), near.Close())
	}
	l := &link{network: n, near: near, far: far}
	n.mu.Lock()
	n.links[l] = true
	n.mu.Unlock()
	go l.carry(near, far, nil)
	go l.carry(far, near, &n.pace)
	select {
	case in.conns <- server:
		return &resettable{Conn: client, link: l}, nil
	case <-in.closed:
		l.close()
		_ = client.Close()
		_ = server.Close()
		return nil, dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
}

func dialError(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

// reset breaks all connections.
func (n *network) reset() {
	for _, l := range n.open() {
		l.reset.Store(true)
		l.close()
	}
}

// drop makes the connections that there are half-open: they stay, and nothing
// passes. New ones are as ever.
func (n *network) drop() {
	for _, l := range n.open() {
		l.dropping.Store(true)
	}
}

// close ends all connections.
func (n *network) close() {
	n.refuse()
	for _, l := range n.open() {
		l.close()
	}
}

func (n *network) open() []*link {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []*link
	for l := range n.links {
		all = append(all, l)
	}
	return all
}

// link is a connection, as a pair of connections and what is between them.
type link struct {
	network   *network
	near, far net.Conn
	reset     atomic.Bool
	dropping  atomic.Bool
	// active is when something passed the last time, as nanoseconds.
	active atomic.Int64
}

// idle returns how long nothing has passed.
func (l *link) idle() time.Duration { return time.Since(time.Unix(0, l.active.Load())) }

func (l *link) dropped() bool { return l.dropping.Load() || l.network.dropping.Load() }

// carry carries what comes from one end to the other, through a buffer as a
// kernel's.
func (l *link) carry(from, to net.Conn, pace *atomic.Int64) {
	chunks := make(chan []byte, 64)
	l.active.Store(time.Now().UnixNano())
	go func() {
		defer close(chunks)
		buffer := make([]byte, 32<<10)
		for {
			size := len(buffer)
			if pace != nil && pace.Load() > 0 {
				size = drip
			}
			n, err := from.Read(buffer[:size])
			if n > 0 && !l.dropped() {
				l.active.Store(time.Now().UnixNano())
				chunks <- append([]byte(nil), buffer[:n]...)
			}
			if err != nil {
				return
			}
		}
	}()
	for chunk := range chunks {
		if pace != nil {
			time.Sleep(time.Duration(pace.Load()))
		}
		if !l.dropped() {
			_, _ = to.Write(chunk) // the reader sees the end of what can't be written
		}
	}
	if l.dropped() {
		_ = from.Close() // the other end hears nothing of it
		return
	}
	l.close()
}

func (l *link) close() {
	for _, end := range []net.Conn{l.near, l.far} {
		if tcp, ok := end.(*net.TCPConn); ok && l.reset.Load() {
			_ = tcp.SetLinger(0) // a RST, not a FIN
		}
		_ = end.Close()
	}
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	delete(l.network.links, l)
}

// resettable is the client's end, which says that a pipe was reset.
type resettable struct {
	net.Conn
	link *link
}

func (c *resettable) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.link.reset.Load() {
		err = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return n, err
}

// listener accepts the connections of a network.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// pipe is a pair in memory, for virtual time.
func pipe() (client, server net.Conn, err error) {
	client, server = net.Pipe()
	return client, server, nil
}

// tcp is a pair of TCP on loopback, for real time.
func tcp() (client, server net.Conn, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = l.Close() }()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		return nil, nil, err
	}
	server, err = l.Accept()
	return client, server, err
}
