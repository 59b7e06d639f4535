package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// link is the network of a client, which can make the client list again: it
// cuts the watches, and answers the next one that its version has expired.
type link struct {
	next http.RoundTripper

	mu sync.Mutex
	// watches are the bodies of those that are open.
	watches map[*carried]bool
	expired bool
	// relisting reports whether there was a list since the watches were cut, and
	// watching whether the last request was none.
	relisting, watching bool
	// active is when something was last carried.
	active time.Time
}

// through makes a transport one over this link.
func (l *link) through(next http.RoundTripper) http.RoundTripper {
	l.next = next
	l.watches = map[*carried]bool{}
	return l
}

// RoundTrip implements http.RoundTripper.
func (l *link) RoundTrip(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	watch := query.Has("watch")
	list := !watch || query.Has("sendInitialEvents")
	if l.refuse(list, watch) {
		return gone(req), nil
	}
	response, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body := &carried{ReadCloser: response.Body, link: l}
	response.Body = body
	if watch {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watches[body] = true
		if l.expired { // since it was asked for
			_ = body.Close()
		}
	}
	return response, nil
}

// refuse takes note of a request, and reports whether to answer it with 410.
func (l *link) refuse(list, watch bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active, l.watching = time.Now(), watch
	if list {
		l.relisting = true
		return false
	}
	was := l.expired
	l.expired = false
	return was
}

func gone(req *http.Request) *http.Response {
	status := apierrors.NewResourceExpired("the version is too old").ErrStatus
	status.Kind, status.APIVersion = "Status", "v1"
	text, _ := json.Marshal(status) // strings and numbers
	return &http.Response{
		StatusCode: http.StatusGone, Status: http.StatusText(http.StatusGone),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(text)),
		ContentLength: int64(len(text)),
		Request:       req,
	}
}

// relist returns when a list has come, and is processed: when the client
// watches, and nothing has been carried for a second.
func (l *link) relist(ctx context.Context) error {
	l.mu.Lock()
	l.expired, l.relisting = true, false
	for body := range l.watches {
		_ = body.Close()
	}
	l.mu.Unlock()
	for !l.quiet(time.Second) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

func (l *link) quiet(since time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.relisting && l.watching && time.Since(l.active) > since
}

// carried is a body that came over a link.
type carried struct {
	io.ReadCloser
	link *link
}

func (c *carried) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	c.link.active = time.Now()
	return n, err
}
