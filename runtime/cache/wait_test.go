package cache_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// A handler that waits for the informer at its end does not keep Run from returning.
func TestHandlerWaitsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := run(t, api, cache.Options[*thing]{})
		var got []error
		var status cache.Status
		must[*cache.Registration](t)(r.AddHandler(cache.HandlerFuncs[*thing]{Add: func(a *thing, _ bool) {
			background := context.WithoutCancel(t.Context())
			got = append(got, r.WaitForResourceVersion(background, "99"), r.WaitForSync(background), r.WaitForDeletion(background, a))
			<-r.Stopped()
			status = r.Status()
		}}, cache.HandlerOptions{}))
		settle()
		r.stop()
		for _, err := range got {
			if !errors.Is(err, failure.ErrStopped) {
				t.Errorf("got %v, want %v", err, failure.ErrStopped)
			}
		}
		if len(got) != 3 || status.Phase != cache.PhaseStopped || !errors.Is(status.Check(time.Hour), failure.ErrStopped) {
			t.Errorf("%d errors; status is %v", len(got), status)
		}
	})
}

// An informer that is not in sync says what it is doing and what went wrong.
func TestWaitForSyncSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(403)})
		informer := run(t, api, cache.Options[*thing]{Name: "things"})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := informer.WaitForSync(ctx)
		for _, branch := range []string{`informer "things": not in sync`, "failed attempts", "last error: list", "deadline exceeded"} {
			if err == nil || !strings.Contains(err.Error(), branch) {
				t.Errorf("error lacks %q: %v", branch, err)
			}
		}
		api.ClearFaults()
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Error(err)
		}
		if s := informer.Status(); s.Phase != cache.PhaseWatching || s.Attempts != 0 || s.LastError != nil {
			t.Errorf("status after the recovery: %+v", s)
		}
	})
}

// A caller that waits for the version of its write reads its write.
func TestWaitForResourceVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := cache.New(api.Source(), cache.Options[*thing]{})
		waiting := make(chan error)
		go func() { waiting <- informer.WaitForResourceVersion(t.Context(), "2") }()
		settle()
		r := start(t, informer)
		if err := <-waiting; err != nil {
			t.Error(err)
		}

		settle()
		written := touch(t, api, "a")
		if err := informer.WaitForResourceVersion(t.Context(), written.ResourceVersion); err != nil {
			t.Error(err)
		}
		if got, _ := informer.Store().Get(keyOf("a")); got.ResourceVersion != written.ResourceVersion {
			t.Errorf("store has version %s, want %s", got.ResourceVersion, written.ResourceVersion)
		}
		if err := informer.WaitForResourceVersion(t.Context(), "2"); err != nil {
			t.Errorf("earlier version: %v", err)
		}
		if err := informer.WaitForResourceVersion(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), ": x") {
			t.Errorf("no version: got %v", err)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := informer.WaitForResourceVersion(ctx, "99")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		for _, branch := range []string{`"99"`, `at "3"`, "watching for 1m"} {
			if !strings.Contains(err.Error(), branch) {
				t.Errorf("got %v, want %s in it", err, branch)
			}
		}
		r.stop()
		if err := informer.WaitForResourceVersion(t.Context(), "99"); !errors.Is(err, failure.ErrStopped) {
			t.Errorf("got %v, want %v", err, failure.ErrStopped)
		}
	})
}
