package chaos

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// exchange is one request and its answer.
type exchange struct {
	proxy  *Proxy
	w      http.ResponseWriter
	r      *http.Request
	random *rand.Rand
}

// events forwards the events of a watch, each as soon as it arrives.
func (x *exchange) events(body io.Reader) error {
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
