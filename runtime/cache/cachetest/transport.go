package cachetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
)

// RoundTrip implements http.RoundTripper: the server responds to every request, whatever its host. With
//
//	&rest.Config{Transport: server, QPS: -1}
//
// a client uses the server, without a rate limit. Bodies stream, and the context of a request ends it.
// There are no sockets, so it works in a bubble of testing/synctest. As with any client, a body that is
// neither read to its end nor closed keeps a goroutine.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	reader, out := io.Pipe()
	w := &responseWriter{header: http.Header{}, ready: make(chan struct{}), out: out}
	served := req.Clone(ctx)
	if served.Body == nil {
		served.Body = http.NoBody
	}
	// The end of the context ends a read or write of the body that blocks.
	undo := context.AfterFunc(ctx, func() { _ = out.CloseWithError(context.Cause(ctx)) })
	go func() {
		defer cancel()
		defer undo()
		defer w.finish()
		defer func() { _ = served.Body.Close() }()
		s.ServeHTTP(w, served)
	}()
	select {
	case <-w.ready:
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteRequest != nil && !errors.Is(w.err, ErrConnectionRefused) {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if w.err != nil {
		return nil, w.err
	}
	return &http.Response{
		Status:        fmt.Sprint(w.code, " ", http.StatusText(w.code)),
		StatusCode:    w.code,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		Body:          &responseBody{PipeReader: reader, cancel: cancel},
		ContentLength: -1,
		Request:       req,
	}, nil
}

// responseBody is a body whose Close ends the request.
type responseBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *responseBody) Close() error {
	defer b.cancel()
	return b.PipeReader.Close()
}

// responseWriter is an http.ResponseWriter whose body the client reads while it is written.
type responseWriter struct {
	header http.Header
	out    *io.PipeWriter

	begin sync.Once
	// ready is closed when the fields below are set.
	ready chan struct{}
	code  int
	sent  http.Header
	// err says why there is no response at all.
	err error
}

var _ http.Flusher = (*responseWriter)(nil)

func (w *responseWriter) Header() http.Header { return w.header }

// Flush implements http.Flusher: only the header is held back.
func (w *responseWriter) Flush() { w.WriteHeader(http.StatusOK) }

func (w *responseWriter) WriteHeader(code int) {
	w.begin.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.ready)
	})
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

func (w *responseWriter) finish() {
	w.WriteHeader(http.StatusOK)
	_ = w.out.Close()
}

// abort breaks the connection. Before the header the request fails with err, and after it the body.
func (w *responseWriter) abort(err error) {
	if errors.Is(err, io.EOF) {
		// A broken body must not look like one that ended normally.
		err = io.ErrUnexpectedEOF
	}
	w.begin.Do(func() {
		w.err = err
		close(w.ready)
	})
	_ = w.out.CloseWithError(err)
}

// abort breaks the connection of a response. A response of RoundTrip fails with err.
func abort(w http.ResponseWriter, err error) {
	if w, ok := w.(*responseWriter); ok {
		w.abort(err)
		return
	}
	// net/http cuts the connection.
	panic(http.ErrAbortHandler)
}
