package controller

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// The key that has written waits for the store; the worker is free for other keys.
func TestWrote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(configMap("a"))
		w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, After: 2, Stall: 10 * time.Second}) // the store lags behind
		w.follow(t)
		var seen calls
		wrote := false
		c := mustNew(t, func(_ context.Context, k types.NamespacedName) (result Result, err error) {
			seen.add(k)
			switch obj, _ := w.informer.Store().Get(k); {
			case k != key("a"):
			case !wrote:
				wrote = true
				change := obj.DeepCopy()
				change.Data = map[string]string{"written": "true"}
				result.Wrote(w.informer, must(w.api.Update(change)))
				result.After = time.Second // is earlier than the store
			case obj.Data["written"] != "true":
				t.Error("has not read its own write")
			}
			return result, nil
		}, Options{}, KeysOf(w.informer))
		start(t, c)
		time.Sleep(2 * time.Second)
		c.Enqueue(key("a"), key("other"))
		synctest.Wait()
		if got := seen.take(); !slices.Equal(got, []string{"a", "other"}) {
			t.Errorf("reconciled %q", got)
		}
		if s := c.Status(); s.AwaitingWrites != 1 || len(s.Running) != 0 {
			t.Errorf("status %+v", s)
		}
		time.Sleep(time.Minute)
		// The event of the write may reach the handler before or after the reconcile.
		if got := slices.Compact(seen.take()); !slices.Equal(got, []string{"a"}) {
			t.Errorf("then reconciled %q", got)
		}
		if s := c.Status(); s.AwaitingWrites != 0 || s.Delayed != 0 {
			t.Errorf("then status %+v", s)
		}
	})
}

// A store that never has the write holds a key up for a minute, and not the end of Run.
func TestWriteThatNeverArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other := newWorld(configMap("a")), newWorld[*corev1.Pod]()
		w.follow(t)
		other.follow(t)
		begin := time.Now()
		var got []time.Duration
		c := mustNew(t, func(_ context.Context, k types.NamespacedName) (result Result, err error) {
			got = append(got, time.Since(begin))
			obj := configMap("a")
			obj.ResourceVersion = "1000"
			result.Wrote(other.informer, obj)
			result.Wrote(other.informer, obj) // has the same minute
			result.After = time.Second
			return result, nil
		}, Options{}, KeysOf(w.informer))
		stop := start(t, c)
		time.Sleep(90 * time.Second)
		stop()
		if time.Since(begin) != 90*time.Second || !slices.Equal(got, []time.Duration{0, time.Minute}) {
			t.Errorf("reconciled at %v, stopped after %v", got, time.Since(begin))
		}
	})
}
