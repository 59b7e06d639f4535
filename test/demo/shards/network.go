package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

var errPartitioned = errors.New("network is partitioned")

// network is the way of a replica to the API server. SIGUSR1 cuts it, SIGUSR2 mends it.
type network struct{ cut atomic.Bool }

// follow listens to the signals until ctx ends.
func (n *network) follow(ctx context.Context) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case s := <-signals:
				n.cut.Store(s == syscall.SIGUSR1)
			case <-ctx.Done():
				return
			}
		}
	}()
}

func (n *network) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if n.cut.Load() {
			<-r.Context().Done()
			return nil, errPartitioned
		}
		response, err := next.RoundTrip(r)
		if n.cut.Load() && r.Method != http.MethodGet { // the response is lost
			<-r.Context().Done()
			return nil, errPartitioned
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
