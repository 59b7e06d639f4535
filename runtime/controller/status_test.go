package controller

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
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
		if s := c.Status(); s.Delayed != 0 || s.Waiting != 0 {
			t.Errorf("after the end: %+v", s)
		}
		if err := check(nil); !errors.Is(err, cache.ErrStopped) {
			t.Errorf("health after the end: %v", err)
		}
	})
}
