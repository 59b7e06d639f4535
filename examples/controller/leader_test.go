package main

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

var errOfRun = errors.New("informer has stopped")

// The error of the function is never lost: whether it ends by itself or since the process is interrupted.
func TestErrorOfLeader(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			err := lead(t.Context(), leases(), "test", func(context.Context) error { return errOfRun })
			if !errors.Is(err, errOfRun) {
				t.Errorf("it ends by itself: %v", err)
			}
			ctx, interrupt := context.WithCancel(t.Context())
			time.AfterFunc(time.Minute, interrupt)
			err = lead(ctx, leases(), "test", func(leading context.Context) error {
				<-leading.Done()
				time.Sleep(time.Minute) // a reconcile that is waited for
				return errOfRun
			})
			if !errors.Is(err, errOfRun) {
				t.Errorf("it is interrupted: %v", err)
			}
		})
	}
}

// A process that is interrupted before it leads ends without an error.
func TestInterruptedStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		err := lead(ctx, leases(), "test", func(context.Context) error { return errOfRun })
		if err != nil {
			t.Error(err)
		}
	})
}

// A leader whose lease is lost ends at once, whatever its function does.
func TestLostLease(t *testing.T) {
	for name, work := range map[string]time.Duration{"idle": 0, "busy": time.Hour} {
		for range 20 {
			synctest.Test(t, func(t *testing.T) {
				config, broken := leases(), make(chan struct{})
				config.Wrap(func(next http.RoundTripper) http.RoundTripper { return breaking{next, broken} })
				time.AfterFunc(time.Minute, func() { close(broken) })
				err := lead(t.Context(), config, "test", func(leading context.Context) error {
					<-leading.Done()
					time.Sleep(work)
					return nil
				})
				if !errors.Is(err, errLeaseLost) {
					t.Errorf("%s: %v", name, err)
				}
				time.Sleep(work) // until the function has ended
			})
		}
	}
}

// leases returns how to reach a server of Leases.
func leases() *rest.Config {
	server := cachetest.NewServer()
	cachetest.ServeObjects[*coordinationv1.Lease](server, coordinationv1.SchemeGroupVersion.WithResource("leases"))
	return &rest.Config{Transport: server, QPS: -1}
}

// breaking is a connection that breaks when the channel is closed.
type breaking struct {
	next   http.RoundTripper
	broken chan struct{}
}

func (b breaking) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-b.broken:
		return nil, errors.New("connection refused")
	default:
		return b.next.RoundTrip(r)
	}
}
