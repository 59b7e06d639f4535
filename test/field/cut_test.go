package field_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// watched is within a twentieth of the time without a watch.
func watched(requests int) bounds {
	return bounds{blind: 5, late: 5 * time.Second, requests: requests, right: 5 * time.Second}
}

// cutRows are about watches that end before their time, while the server is well.
var cutRows = []row{
	{
		name:     "the client has a Timeout of 3 s",
		config:   func(c *rest.Config) { c.Timeout = 3 * time.Second },
		lasts:    10 * time.Minute,
		core:     watched(300),
		clientGo: watched(300),
	},
	{
		name:     "the client has a Timeout of 3 s, and nothing changes",
		config:   func(c *rest.Config) { c.Timeout = 3 * time.Second },
		quiet:    true,
		lasts:    10 * time.Minute,
		core:     watched(300),
		clientGo: watched(300),
	},
	{
		name:     "net/http's reverse proxy has a WriteTimeout of 50 s",
		proxy:    func(w *world) http.Handler { return w.reverse() },
		tune:     func(s *http.Server) { s.WriteTimeout = 50 * time.Second },
		severs:   true,
		lasts:    time.Hour,
		core:     watched(150),
		clientGo: watched(150),
	},
	{
		name:  "net/http's reverse proxy has a WriteTimeout of 50 s in HTTP/2",
		http2: true,
		proxy: func(w *world) http.Handler { return w.reverse() },
		tune:  func(s *http.Server) { s.WriteTimeout = 50 * time.Second },
		lasts: time.Hour, severs: true,
		core:     watched(150),
		clientGo: bounds{blind: 10, late: 15 * time.Second, requests: 150, right: 15 * time.Second},
	},
	{
		name: "a proxy cuts every watch after 50 s, and nothing changes", quiet: true,
		proxy: cut(50 * time.Second), severs: true,
		lasts:    time.Hour,
		core:     watched(150),
		clientGo: watched(150),
	},
	{
		name: "a proxy cuts every watch after 50 s, and nothing changes, in HTTP/2", quiet: true, http2: true,
		proxy: cut(50 * time.Second), severs: true,
		lasts:    time.Hour,
		core:     watched(150),
		clientGo: bounds{blind: 10, late: 15 * time.Second, requests: 150, right: 15 * time.Second},
	},
	{
		name:  "a proxy ends every watch after 50 s normally",
		proxy: end(50 * time.Second), severs: true,
		lasts:    time.Hour,
		core:     watched(150),
		clientGo: watched(150),
	},
	{
		name:  "a proxy cuts every watch after 5 s",
		proxy: cut(5 * time.Second), severs: true,
		lasts:    10 * time.Minute,
		core:     watched(200),
		clientGo: watched(200),
	},
	{
		name:  "a proxy cuts every watch after 1.5 s",
		proxy: cut(1500 * time.Millisecond), severs: true,
		lasts:    10 * time.Minute,
		core:     watched(600),
		clientGo: watched(600),
	},
	{
		name:  "a proxy cuts every watch after 300 ms, while objects change five times a second",
		proxy: cut(300 * time.Millisecond), severs: true, writes: 200 * time.Millisecond,
		lasts:    5 * time.Minute,
		core:     bounds{late: 10 * time.Second, requests: 400, right: 5 * time.Second},
		clientGo: bounds{},
	},
	{
		name:  "a proxy ends every watch after 300 ms normally, while objects change five times a second",
		proxy: end(300 * time.Millisecond), severs: true, writes: 200 * time.Millisecond,
		lasts:    5 * time.Minute,
		core:     bounds{late: 10 * time.Second, requests: 400, right: 5 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "all connections are reset every 20 s", lasts: time.Hour,
		during:   func(w *world) { w.every(20*time.Second, time.Hour, w.network.reset) },
		core:     watched(400),
		clientGo: watched(400),
	},
	{
		name: "all connections are reset every 20 s, in HTTP/2", http2: true,
		during:   func(w *world) { w.every(20*time.Second, time.Hour, w.network.reset) },
		core:     watched(400),
		clientGo: watched(400),
	},
	{
		name: "a load balancer is replaced every 50 s: GOAWAY, and the end of its connections after 5 s", http2: true,
		during:   func(w *world) { w.every(50*time.Second, time.Hour, func() { w.front.drain(5 * time.Second) }) },
		core:     watched(150),
		clientGo: bounds{blind: 10, late: 15 * time.Second, requests: 150, right: 15 * time.Second},
	},
	{
		name:     "a load balancer is replaced every 50 s, in HTTP/1.1",
		during:   func(w *world) { w.every(50*time.Second, time.Hour, func() { w.front.drain(5 * time.Second) }) },
		core:     watched(150),
		clientGo: watched(150),
	},
	{
		name: "each answer comes with GOAWAY, and watches end after 30 s", http2: true,
		proxy: goAway, severs: true,
		lasts:    time.Hour,
		core:     watched(250),
		clientGo: watched(250),
	},
	{
		name:  "one of two servers behind a load balancer answers 503",
		proxy: everyOther(status(http.StatusServiceUnavailable, ""), cut(50*time.Second)), severs: true,
		lasts:    time.Hour,
		core:     bounds{blind: 10, late: time.Minute, requests: 300, right: 10 * time.Second},
		clientGo: bounds{},
	},
	{
		name:  "one of two servers behind a load balancer closes connections at once",
		proxy: everyOther(hangUp, cut(50*time.Second)), severs: true,
		lasts:    time.Hour,
		core:     bounds{blind: 10, late: time.Minute, requests: 300, right: 10 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "watches are cut after 20 s, and the history is compacted each time",
		proxy: func(w *world) http.Handler {
			cut := cut(20 * time.Second)(w)
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				defer w.api.Compact()
				cut.ServeHTTP(rw, r)
			})
		}, severs: true,
		lasts:    time.Hour,
		core:     bounds{blind: 10, late: 10 * time.Second, requests: 900, right: 10 * time.Second},
		clientGo: bounds{},
	},
}

// every does something each period, for a time.
func (w *world) every(period, lasts time.Duration, do func()) {
	if !w.virtual {
		lasts = min(lasts, *duration)
	}
	for end := time.Now().Add(lasts); time.Until(end) > period; {
		w.pass(period)
		do()
	}
	w.pass(time.Second)
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }

// cut cuts the connections of watches, and end ends them normally.
func cut(after time.Duration) func(*world) http.Handler {
	return func(w *world) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if !isWatch(r) {
				w.answer(rw, r)
				return
			}
			ctx, cancel := context.WithTimeout(r.Context(), after)
			defer cancel()
			w.answer(rw, r.WithContext(ctx)) // which panics with http.ErrAbortHandler
		})
	}
}

func end(after time.Duration) func(*world) http.Handler {
	return func(w *world) http.Handler {
		cut := cut(after)(w)
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			defer func() { _ = recover() }()
			cut.ServeHTTP(rw, r)
		})
	}
}

// goAway makes net/http send GOAWAY, as the API server's filter of this name does.
func goAway(w *world) http.Handler {
	end := end(30 * time.Second)(w)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Connection", "close")
		end.ServeHTTP(rw, r)
	})
}

// everyOther has two handlers take turns.
func everyOther(x, y func(*world) http.Handler) func(*world) http.Handler {
	return func(w *world) http.Handler {
		handlers := []http.Handler{x(w), y(w)}
		var n atomic.Int64
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			handlers[n.Add(1)%2].ServeHTTP(rw, r)
		})
	}
}

func hangUp(*world) http.Handler {
	return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
}
