package controller

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(configMap("a"), configMap("b"), configMap("c"), configMap("d"))
		w.follow(t)
		boom := errors.New("boom")
		begin := time.Now()
		c := mustNew(t, func(_ context.Context, k types.NamespacedName) (Result, error) {
			switch k.Name {
			case "a":
				return Result{After: time.Hour}, nil
			case "b":
				return Result{}, Terminal(boom)
			}
			time.Sleep(20 * time.Second)
			return Result{}, nil
		}, Options{}, KeysOf(w.informer))
		check, strict := c.HealthCheck(time.Minute), c.HealthCheck(5*time.Second)
		if diff := cmp.Diff(Status{Name: "test"}, c.Status()); diff != "" || check(nil) != nil {
			t.Errorf("before the start: %s", diff)
		}
		stop := start(t, c)
		time.Sleep(10 * time.Second)
		want := Status{
			Name: "test", Synced: true,
			Waiting: 1, Oldest: 10 * time.Second, Delayed: 1,
			Running:   []Running{{key("c"), 10 * time.Second}},
			Succeeded: 1, Terminal: 1,
			LastErrorKey: key("b"), LastErrorTime: begin,
		}
		got := c.Status()
		if !errors.Is(got.LastError, boom) {
			t.Errorf("last error %v", got.LastError)
		}
		got.LastError = nil
		if len(got.TerminalErrors) != 1 || got.TerminalErrors[0].Key != key("b") || !errors.Is(got.TerminalErrors[0].Err, boom) {
			t.Errorf("terminal errors %v", got.TerminalErrors)
		}
		got.TerminalErrors = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("while it runs (-want +got):\n%s", diff)
		}
		if err := check(nil); err != nil {
			t.Error(err)
		}
		if err := strict(nil); !errors.Is(err, ErrStuck) || err.Error() != `controller "test": stuck: reconcile of ns/c has taken 10s` {
			t.Errorf("health: %v", err)
		}
		stop()
		if s := c.Status(); s.Delayed != 0 || s.Waiting != 0 || s.Synced || !s.Stopped {
			t.Errorf("after the end: %+v", s)
		}
		if err := check(nil); !errors.Is(err, failure.ErrStopped) {
			t.Errorf("health after the end: %v", err)
		}
	})
}

// A controller says that it has stopped as soon as it takes no more keys, however Run ends.
func TestStoppedStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(configMap("a"))
		ctx, stopInformer := context.WithCancel(t.Context())
		go w.informer.Run(ctx)
		c := mustNew(t, func(context.Context, types.NamespacedName) (Result, error) {
			time.Sleep(time.Hour) // a request without a timeout
			return Result{}, nil
		}, Options{}, KeysOf(w.informer))
		ended := make(chan error)
		go func() { ended <- c.Run(t.Context()) }()
		time.Sleep(time.Minute)
		stopInformer()
		time.Sleep(time.Minute)
		if s := c.Status(); s.Synced || !s.Stopped || len(s.Running) != 1 {
			t.Errorf("its informer has stopped, and a reconcile hangs: %+v", s)
		}
		if err := <-ended; !errors.Is(err, errSourceEnded) {
			t.Errorf("ended with %v", err)
		}

		c = mustNew(t, new(calls).reconcile, Options{}, KeysOf(w.informer))
		c.Enqueue(key("a"))
		if err := c.Run(t.Context()); !errors.Is(err, failure.ErrStopped) {
			t.Errorf("the informer had stopped before: %v", err)
		}
		time.Sleep(time.Minute)
		if diff := cmp.Diff(Status{Name: "test", Stopped: true}, c.Status()); diff != "" {
			t.Errorf("it never started (-want +got):\n%s", diff)
		}
	})
}

// A terminal error stays in the status, whatever else fails, until its object changes, is
// deleted, or leaves the shard.
func TestTerminalErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(configMap("a"), configMap("b"), configMap("c"), configMap("d"))
		all := shard.New(shard.UID, shard.All())
		w := world[*corev1.ConfigMap]{api, cache.New(shard.Source(api.Source(), all), cache.Options[*corev1.ConfigMap]{})}
		w.follow(t)
		c := mustNew(t, func(_ context.Context, k types.NamespacedName) (Result, error) {
			obj, exists := w.informer.Store().Get(k)
			switch {
			case k.Name == "d":
				return Result{}, errors.New("is retried")
			case exists && obj.Data == nil:
				return Result{}, Terminal(errors.New("no data"))
			}
			return Result{}, nil
		}, Options{}, KeysOf(w.informer))
		stop := start(t, c)
		terminal := func(when string, want ...string) {
			t.Helper()
			time.Sleep(time.Minute)
			got := []string{}
			for _, e := range c.Status().TerminalErrors {
				got = append(got, e.Key.Name+": "+e.Err.Error())
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q", when, got)
			}
		}
		terminal("at first", "a: no data", "b: no data", "c: no data")
		changed := configMap("a")
		changed.Data = map[string]string{"a": "1"}
		must(api.Update(changed))
		terminal("after a change", "b: no data", "c: no data")
		must(api.Delete(key("b")))
		terminal("after a deletion", "c: no data")
		must(api.Update(configMap("c")))
		terminal("after a change that is no better", "c: no data")
		all.Set(nil)
		terminal("after a release")
		stop()
	})
}

// The status has the latest terminal errors, and not all of them.
func TestTerminalErrorsAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		for i := range 2 * maxTerminalErrors {
			time.Sleep(time.Second)
			r.begin(key(strconv.Itoa(i)))
			r.end(key(strconv.Itoa(i)), terminal, errors.New("no data"))
		}
		kept := r.get().TerminalErrors
		first, last := kept[0].Key.Name, kept[len(kept)-1].Key.Name
		if len(kept) != maxTerminalErrors || first != strconv.Itoa(2*maxTerminalErrors-1) || last != strconv.Itoa(maxTerminalErrors) {
			t.Errorf("%d, from %s to %s", len(kept), first, last)
		}
	})
}

// A terminal error lasts while its key is reconciled again, and if the end of the controller
// interrupts that.
func TestTerminalErrorLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		end := func(outcome outcome, err error, want int) {
			t.Helper()
			before := len(r.get().TerminalErrors)
			r.begin(key("a"))
			if n := len(r.get().TerminalErrors); n != before {
				t.Errorf("while it runs: %d terminal errors, want %d", n, before)
			}
			r.end(key("a"), outcome, err)
			if n := len(r.get().TerminalErrors); n != want {
				t.Errorf("after its end: %d terminal errors, want %d", n, want)
			}
		}
		end(terminal, errors.New("no data"), 1)
		end(interrupted, context.Canceled, 1)
		end(terminal, errors.New("still no data"), 1)
		end(failed, &failure.PanicError{Value: "boom"}, 0)
		if s := r.get(); !s.LastPanic.Equal(time.Now()) || s.Panicked != 1 {
			t.Errorf("%d panics, the last at %v", s.Panicked, s.LastPanic)
		}
	})
}
