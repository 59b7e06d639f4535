package field_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// lasting is a condition under which all is right, as long as it lasts.
func lasting(name string, proxy func(*world) http.Handler) row {
	return row{
		name: name, proxy: proxy, early: true, lasting: true,
		lasts:    10 * time.Minute,
		core:     bounds{blind: 5, late: 5 * time.Second, requests: 40, right: 10 * time.Second},
		clientGo: bounds{},
	}
}

// slow is a condition under which changes come late, but come.
func slow(r row, late time.Duration) row {
	r.core.late, r.core.right = late, late
	r.core.blind = 0
	return r
}

// hopeless is a condition that nobody can do anything about but say so, for an hour.
func hopeless(r row) row {
	r.core, r.clientGo = bounds{never: true, requests: 300}, bounds{never: true}
	return r
}

// hopelessOfClientGo is a condition in which clients of client-go can't decode any answer.
func hopelessOfClientGo(r row) row {
	r.layer, r.clientGo = &bounds{never: true, requests: 300}, bounds{never: true}
	return r
}

// neverOfClientGo is a condition that client-go waits in for ever.
func neverOfClientGo(r row) row {
	r.clientGo.never = true
	return r
}

// refused is a condition under which there is no watch, and lists tell of changes.
func refused(r row) row {
	r = slow(r, 65*time.Second)
	r.core.requests = 100
	return r
}

// absent is a condition under which the resource seems to be absent between two lists,
// so that an informer of ours waits for a backoff and ten seconds.
func absent(r row) row {
	r.core.late += 15 * time.Second
	r.core.right += 15 * time.Second
	return r
}

// proxyRows are about proxies that do not pass on what they are sent as it is.
var proxyRows = []row{
	lasting("a proxy compresses all with gzip, and flushes each event", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer func() { _ = z.Close() }()
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, write: z.Write, flush: func() { _ = z.Flush(); flush(w) }}, r)
	})),
	lasting("a proxy sends a line break between any two events, to keep the connection", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, flush: func() { _, _ = w.Write([]byte("\r\n \n")); flush(w) }}, r)
	})),
	lasting("a proxy answers in the style of HTTP/1.0: the end of the connection is the end of the answer", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set("Transfer-Encoding", "identity")
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
	})),
	lasting("a proxy drops the headers of requests", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r = r.Clone(r.Context())
		r.Header = http.Header{}
		next.ServeHTTP(w, r)
	})),
	hopelessOfClientGo(lasting("a proxy makes every answer text/plain", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, head: func(h http.Header) { h.Set("Content-Type", "text/plain; charset=utf-8") }}, r)
	}))),
	lasting("a proxy drops the Content-Type of answers", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, head: func(h http.Header) { h["Content-Type"] = nil }}, r)
	})),
	hopeless(lasting("a proxy adds a byte order mark to each answer", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		var once sync.Once
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, write: func(p []byte) (int, error) {
			once.Do(func() { _, _ = w.Write([]byte("\xef\xbb\xbf")) })
			return w.Write(p)
		}}, r)
	}))),
	lasting("a proxy adds HTML to the end of each answer", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r)
		_, _ = w.Write([]byte("<script src=\"/toolbar.js\"></script>\n"))
	})),
	slow(lasting("a proxy adds HTML to the end of each watch, which it ends after 30 s", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !isWatch(r) {
			next.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
		defer cancel()
		defer func() {
			_ = recover()
			_, _ = w.Write([]byte("<!-- cached -->"))
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})), 5*time.Second),
	slow(lasting("a proxy ends each watch in the middle of an event after 20 s, normally", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		defer func() { _ = recover() }()
		if !isWatch(r) {
			next.ServeHTTP(w, r)
			return
		}
		until := time.Now().Add(20 * time.Second)
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, write: func(p []byte) (int, error) {
			if time.Now().After(until) {
				_, _ = w.Write(p[:len(p)/2])
				panic("enough")
			}
			return w.Write(p)
		}}, r)
	})), 5*time.Second),
	slow(lasting("a proxy holds back what comes, until there are 8 KiB or the answer ends", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		var held bytes.Buffer
		defer func() { _, _ = w.Write(held.Bytes()) }()
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, flush: func() {}, write: func(p []byte) (int, error) {
			if held.Write(p); held.Len() >= 8<<10 {
				_, _ = w.Write(held.Bytes())
				held.Reset()
				flush(w)
			}
			return len(p), nil
		}}, r)
	})), 16*time.Minute),
	slow(lasting("a proxy passes an answer on when it is complete", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})), 11*time.Minute),
	refused(lasting("a proxy drops the query: watches are answered with lists", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r = r.Clone(r.Context())
		r.URL.RawQuery = ""
		next.ServeHTTP(w, r)
	}))),
	slow(lasting("a proxy sends the answer of the first list to all that ask for the same", caching), time.Minute),
	slow(lasting("a proxy refuses watch-lists with 400", refusing(http.StatusBadRequest, "sendInitialEvents")), 5*time.Second),
	slow(lasting("a proxy refuses watch-lists with 403", refusing(http.StatusForbidden, "sendInitialEvents")), 5*time.Second),
	slow(lasting("a proxy refuses watch-lists with 501", refusing(http.StatusNotImplemented, "sendInitialEvents")), 5*time.Second),
	refused(lasting("a proxy refuses watches with 403", refusing(http.StatusForbidden, "watch"))),
	refused(lasting("a proxy refuses watches with 405", refusing(http.StatusMethodNotAllowed, "watch"))),
	refused(lasting("a proxy refuses watches with 501", refusing(http.StatusNotImplemented, "watch"))),
	absent(refused(lasting("a proxy refuses watches and watch-lists with 404", refusing(http.StatusNotFound, "watch")))),
	neverOfClientGo(brief(refused(lasting("a proxy refuses watches and watch-lists with 410", refusing(http.StatusGone, "watch"))))),
	hopeless(lasting("a proxy refuses watches and watch-lists with 429", refusing(http.StatusTooManyRequests, "watch"))),
	refused(lasting("a proxy refuses watches with 503", refusing(http.StatusServiceUnavailable, "watch"))),
	refused(lasting("a proxy ends each watch at once", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !isWatch(r) {
			next.ServeHTTP(w, r)
		}
	}))),
	refused(lasting("a proxy cuts each watch at once", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isWatch(r) {
			flush(w)
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	}))),
	refused(lasting("each watch begins with an event of a 500", failing(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500}`))),
	neverOfClientGo(brief(refused(lasting("each watch begins with an event of a 410", failing(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`))))),
	refused(lasting("each watch begins with an event of a 504", failing(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Timeout","code":504}`))),
	neverOfClientGo(slow(lasting("watch-lists are ended after 2 s, before their bookmark", func(w *world) http.Handler {
		ended := end(2 * time.Second)(w)
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("sendInitialEvents") == "" {
				w.answer(rw, r)
				return
			}
			ended.ServeHTTP(&bodyWriter{ResponseWriter: rw, write: func(p []byte) (int, error) {
				if bytes.Contains(p, []byte("BOOKMARK")) {
					return len(p), nil
				}
				return rw.Write(p)
			}}, r)
		})
	}), 20*time.Second)),
	neverOfClientGo(slow(lasting("watch-lists are cut after 2 s, before their bookmark", func(w *world) http.Handler {
		cut := cut(2 * time.Second)(w)
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("sendInitialEvents") == "" {
				w.answer(rw, r)
				return
			}
			cut.ServeHTTP(&bodyWriter{ResponseWriter: rw, write: func(p []byte) (int, error) {
				if bytes.Contains(p, []byte("BOOKMARK")) {
					return len(p), nil
				}
				return rw.Write(p)
			}}, r)
		})
	}), 20*time.Second)),
	neverOfClientGo(slow(lasting("a proxy drops the bookmarks", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, write: func(p []byte) (int, error) {
			if bytes.Contains(p, []byte("BOOKMARK")) {
				return len(p), nil
			}
			return w.Write(p)
		}}, r)
	})), 30*time.Second)),
	slow(lasting("a proxy sends every answer twice over", through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&bodyWriter{ResponseWriter: w, write: func(p []byte) (int, error) {
			if isWatch(r) {
				_, _ = w.Write(p)
			}
			return w.Write(p)
		}}, r)
	})), 5*time.Second),
	dripping(),
	onePage(),
}

// brief is a condition under which client-go makes requests without a pause.
func brief(r row) row {
	r.lasts = 30 * time.Second
	return r
}

// failing makes each watch begin with an event of an error, and end with it.
func failing(status string) func(*world) http.Handler {
	return through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isWatch(r) {
			page(http.StatusOK, "application/json", `{"type":"ERROR","object":`+status+"}\n")(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// onePage is a proxy that answers each request for a page with the first one.
func onePage() row {
	r := slow(lasting("for a second, a proxy drops the continue parameter: there is no last page", func(w *world) http.Handler {
		w.api.SetWatchCache(false)
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			r = r.Clone(r.Context())
			query := r.URL.Query()
			query.Del("continue")
			r.URL.RawQuery = query.Encode()
			w.answer(rw, r)
		})
	}), 0)
	r.listing, r.pods = true, 510
	r.early, r.lasting, r.lasts = true, false, time.Second
	r.core = bounds{requests: 10, right: 5 * time.Second}
	return r
}

// dripping is a line of 64 bytes each 10 ms.
func dripping() row {
	r := slow(lasting("64 bytes pass each 10 ms", nil), 30*time.Second)
	r.pods = 20
	r.during = func(w *world) { w.network.pace.Store(int64(10 * time.Millisecond)); w.pass(5 * time.Minute) }
	return r
}

// through has each request pass through a function.
func through(f func(w http.ResponseWriter, r *http.Request, next http.Handler)) func(*world) http.Handler {
	return func(w *world) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { f(rw, r, http.HandlerFunc(w.answer)) })
	}
}

// refusing answers requests with a parameter with a code.
func refusing(code int, parameter string) func(*world) http.Handler {
	return through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Query().Get(parameter) != "" {
			status(code, "")(nil).ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// caching answers as a cache that looks at nothing but the URL.
func caching(w *world) http.Handler {
	var mu sync.Mutex
	answers := map[string]*httptest.ResponseRecorder{}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if isWatch(r) || !strings.HasSuffix(r.URL.Path, pods.Resource) {
			w.answer(rw, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		answer, ok := answers[r.URL.String()]
		if !ok {
			answer = httptest.NewRecorder()
			w.answer(answer, r)
			answers[r.URL.String()] = answer
		}
		page(answer.Code, "application/json", answer.Body.String())(rw, r)
	})
}

// bodyWriter has functions for what is written.
type bodyWriter struct {
	http.ResponseWriter
	head  func(http.Header)
	write func([]byte) (int, error)
	flush func()
}

func (b *bodyWriter) WriteHeader(code int) {
	if b.head != nil {
		b.head(b.Header())
	}
	b.ResponseWriter.WriteHeader(code)
}

func (b *bodyWriter) Write(p []byte) (int, error) {
	if b.write != nil {
		return b.write(p)
	}
	return b.ResponseWriter.Write(p)
}

func (b *bodyWriter) Flush() {
	if b.flush != nil {
		b.flush()
		return
	}
	flush(b.ResponseWriter)
}
