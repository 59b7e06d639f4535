package controller

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// No worker starts before everything is in sync.
func TestWaitsForSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, other := newWorld(configMap("a")), newWorld(configMap("b"))
		var seen calls
		c := mustNew(t, seen.reconcile, Options{WaitFor: []SyncWaiter{other.informer}}, KeysOf(own.informer))
		c.Enqueue(key("early"))
		stop := start(t, c)
		own.follow(t)
		time.Sleep(2 * syncLogPeriod)
		if got := seen.take(); len(got) > 0 || c.Status().Synced {
			t.Errorf("reconciled %q before the sync", got)
		}
		other.follow(t)
		synctest.Wait()
		if got := seen.take(); !slices.Equal(got, []string{"early", "a"}) || !c.Status().Synced {
			t.Errorf("reconciled %q after the sync", got)
		}
		stop()
	})
}

// The error of a context that ends too early says which informers are not in sync.
func TestNeverInSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forbidden, idle := newWorld[*corev1.ConfigMap](), newWorld[*corev1.Pod]()
		forbidden.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(403)})
		forbidden.follow(t)
		c := mustNew(t, new(calls).reconcile, Options{WaitFor: []SyncWaiter{idle.informer}}, KeysOf(forbidden.informer))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := c.Run(ctx)
		var sync *cache.SyncError
		if !errors.As(err, &sync) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no SyncError, or not of the context: %v", err)
		}
		for _, want := range []string{`controller "test": informer "*v1.ConfigMap": not in sync: backing off`, "RBAC must grant list", `informer "*v1.Pod": not in sync: not started`} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in %v", want, err)
			}
		}
	})
}

// A controller whose informers were never started ends all the same.
func TestNeverStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld[*corev1.ConfigMap]()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := mustNew(t, new(calls).reconcile, Options{}, KeysOf(w.informer)).Run(ctx)
		if err == nil || !strings.Contains(err.Error(), "not in sync: not started") {
			t.Errorf("got %v", err)
		}
	})
}

// A context that has ended before Run is as one that ends before the sync.
func TestEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		synced, idle := newWorld(configMap("a")), newWorld[*corev1.Pod]()
		synced.follow(t)
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := mustNew(t, new(calls).reconcile, Options{}, KeysOf(synced.informer)).Run(ended); err != nil {
			t.Errorf("in sync: %v", err)
		}
		err := mustNew(t, new(calls).reconcile, Options{}, KeysOf(synced.informer), KeysOf(idle.informer)).Run(ended)
		var sync *cache.SyncError
		if !errors.As(err, &sync) || sync.Informer != "*v1.Pod" || !errors.Is(err, context.Canceled) {
			t.Errorf("not in sync: %v", err)
		}
	})
}

// Keys that are enqueued again and again before Run are there once, in the order of the first
// calls.
func TestEarlyKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld[*corev1.ConfigMap]()
		w.follow(t)
		var seen calls
		c := mustNew(t, seen.reconcile, Options{}, KeysOf(w.informer))
		for range 1000 {
			c.Enqueue(key("c"), key("a"))
			c.Enqueue(key("b"))
		}
		if n := len(c.early); n != 3 {
			t.Errorf("%d keys are kept", n)
		}
		stop := start(t, c)
		synctest.Wait()
		if got := seen.take(); !slices.Equal(got, []string{"c", "a", "b"}) {
			t.Errorf("reconciled %q", got)
		}
		stop()
	})
}

func TestRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld[*corev1.ConfigMap]()
		w.follow(t)
		c := mustNew(t, new(calls).reconcile, Options{}, KeysOf(w.informer))
		stop := start(t, c)
		for range 2 { // while it runs, and after it
			synctest.Wait()
			if err := c.Run(t.Context()); !errors.Is(err, failure.ErrStarted) {
				t.Errorf("got %v", err)
			}
			stop()
		}
		if n := len(w.informer.Status().Handlers); n != 0 {
			t.Errorf("%d handlers are left", n)
		}
		c.Enqueue(key("late")) // is ignored
	})
}

func TestStoppedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld[*corev1.ConfigMap]()
		ctx, cancel := context.WithCancel(t.Context())
		go w.informer.Run(ctx)
		c := mustNew(t, new(calls).reconcile, Options{}, KeysOf(w.informer))
		ended := make(chan error)
		go func() { ended <- c.Run(t.Context()) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, failure.ErrStopped) || !errors.Is(err, errSourceEnded) {
			t.Errorf("the informer stopped while the controller ran: %v", err)
		}
		err := mustNew(t, new(calls).reconcile, Options{}, KeysOf(w.informer)).Run(t.Context())
		if !errors.Is(err, failure.ErrStopped) || !strings.HasPrefix(err.Error(), `controller "test": informer "*v1.ConfigMap": `) {
			t.Errorf("the informer had stopped before: %v", err)
		}
	})
}

// An informer and a controller of one context are no error, whichever ends first.
func TestCommonContext(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld[*corev1.ConfigMap]()
			ctx, cancel := context.WithCancel(t.Context())
			go w.informer.Run(ctx)
			c := mustNew(t, new(calls).reconcile, Options{}, KeysOf(w.informer))
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			synctest.Wait()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A controller that is stopped cancels what runs, waits for it, and drops what waits.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(configMap("a"), configMap("b"), configMap("c"))
		w.follow(t)
		var seen calls
		reconcile := func(ctx context.Context, key types.NamespacedName) (Result, error) {
			seen.add(key)
			<-ctx.Done()
			time.Sleep(time.Minute)
			return Result{}, ctx.Err()
		}
		c := mustNew(t, reconcile, Options{Workers: 2}, KeysOf(w.informer))
		stop := start(t, c)
		synctest.Wait()
		if s := c.Status(); s.Waiting != 1 || len(s.Running) != 2 {
			t.Errorf("2 of 3 should run: %+v", s)
		}
		before := time.Now()
		stop()
		if took := time.Since(before); took != time.Minute {
			t.Errorf("Run has returned after %v", took)
		}
		if got := seen.take(); len(got) != 2 {
			t.Errorf("reconciled %q", got)
		}
		if s := c.Status(); s.Failed != 0 || s.LastError != nil || len(s.Running) != 0 || s.Waiting != 0 {
			t.Errorf("being interrupted is no failure: %+v", s)
		}
	})
}
