package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// late is an informer whose watches are late by ten seconds.
func late(t *testing.T, api *cachetest.API[*thing], options cache.Options[*thing]) running {
	t.Helper()
	api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, After: len(api.Objects()) + 1, Stall: 10 * time.Second})
	r := run(t, api, options)
	if err := r.WaitForSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func after(t *testing.T, what string, want time.Duration, wait func() error) {
	t.Helper()
	began := time.Now()
	if err := wait(); err != nil || time.Since(began) != want {
		t.Errorf("%s: %v after %v, want %v", what, err, time.Since(began), want)
	}
}

// A deletion is known when the object is gone, is another one, or has begun to be deleted.
func TestWaitForDeletion(t *testing.T) {
	for name, change := range map[string]func(*cachetest.API[*thing], *thing) error{
		"gone": func(api *cachetest.API[*thing], _ *thing) error { _, err := api.Delete(keyOf("a")); return err },
		"another one": func(api *cachetest.API[*thing], _ *thing) error {
			_, err := api.Delete(keyOf("a"))
			_, createErr := api.Create(newThing("a"))
			return errors.Join(err, createErr)
		},
		"with a finalizer": func(api *cachetest.API[*thing], obj *thing) error {
			obj = obj.DeepCopy()
			obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			_, err := api.Update(obj)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				r := late(t, api, cache.Options[*thing]{})
				obj, _ := r.Store().Get(keyOf("a"))
				limited, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := r.WaitForDeletion(limited, obj); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("before: %v", err)
				}
				if err := change(api, obj); err != nil {
					t.Fatal(err)
				}
				after(t, "then", 9*time.Second, func() error { return r.WaitForDeletion(t.Context(), obj) })
				after(t, "again", 0, func() error { return r.WaitForDeletion(t.Context(), obj) })
			})
		})
	}
}

// A new leader waits for what the server has, no longer than that takes to come, and a quiet resource
// costs it a second.
func TestWaitForLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := late(t, api, cache.Options[*thing]{})
		latest := func(what string, want time.Duration) {
			t.Helper()
			after(t, what, want, func() error { return r.WaitForLatest(t.Context()) })
		}
		latest("nothing has happened", 0)
		changed := touch(t, api, "a")
		latest("an event is late", 10*time.Second)
		if a, _ := r.Store().Get(keyOf("a")); a.ResourceVersion != changed.ResourceVersion {
			t.Errorf("the store has %s, want %s", a.ResourceVersion, changed.ResourceVersion)
		}
		// What happens elsewhere has versions of the same history.
		r = start(t, cache.New(api.InNamespace("quiet"), cache.Options[*thing]{}))
		if err := r.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := api.Create(newThing("other")); err != nil {
			t.Fatal(err)
		}
		latest("quiet", time.Second)
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: -1, LoseBookmarks: true})
		time.AfterFunc(time.Minute, api.Bookmark)
		latest("a server that sends no bookmark before the end of a watch", time.Minute)
		api.ClearFaults()
		api.Fail(cachetest.Fault{Verb: cachetest.List, Err: cachetest.Status(500)})
		if err := r.WaitForLatest(t.Context()); err == nil {
			t.Error("without the list: no error")
		}
	})
}

// After a restore of the server, the store is not the latest before the informer has listed again.
func TestConsistencyAfterRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		backup := api.ResourceVersion()
		r := run(t, api, cache.Options[*thing]{})
		if err := r.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		touch(t, api, "a")
		if _, err := api.Create(newThing("lost")); err != nil {
			t.Fatal(err)
		}
		settle()
		if err := api.Restore(backup); err != nil {
			t.Fatal(err)
		}
		if err := r.WaitForLatest(t.Context()); !errors.Is(err, failure.ErrHistoryRestarted) {
			t.Errorf("latest: got %v", err)
		}
		if _, exists, err := r.Confirm(t.Context(), keyOf("lost")); exists || err != nil {
			t.Errorf("confirmed: %v, %v", exists, err)
		}
		time.Sleep(10 * time.Minute)
		after(t, "later", 0, func() error { return r.WaitForLatest(t.Context()) })
	})
}

// A version of the history before a restore never comes, and the wait for it says so.
func TestWaitsEndAtARestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		backup := api.ResourceVersion()
		r := run(t, api, cache.Options[*thing]{})
		for range 20 {
			touch(t, api, "a")
		}
		settle()
		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused})
		api.BreakWatches(cachetest.ErrConnectionReset)
		written := touch(t, api, "a")
		waiting := make(chan error)
		for _, wait := range []func() error{
			func() error { return r.WaitForResourceVersion(t.Context(), written.ResourceVersion) },
			func() error { return r.WaitForWrite(t.Context(), written) },
		} {
			go func() { waiting <- wait() }()
		}
		settle()
		if err := api.Restore(backup); err != nil {
			t.Fatal(err)
		}
		api.ClearFaults()
		for range 2 {
			if err := <-waiting; !errors.Is(err, failure.ErrHistoryRestarted) {
				t.Errorf("got %v, want %v", err, failure.ErrHistoryRestarted)
			}
		}
	})
}

// A written state that the store can't take is seen: no later state of it is waited for.
func TestWriteThatIsLeftOutIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := late(t, api, cache.Options[*thing]{Transform: func(obj *thing) (*thing, error) {
			if obj.Labels["refused"] != "" {
				return nil, errors.New("refused")
			}
			return obj, nil
		}})
		refused := newThing("a")
		refused.Labels = map[string]string{"refused": "yes"}
		written, err := api.Update(refused)
		if err != nil {
			t.Fatal(err)
		}
		after(t, "changed", 10*time.Second, func() error { return r.WaitForWrite(t.Context(), written) })
		if stored, exists := r.Store().Get(keyOf("a")); !exists || stored.ResourceVersion == written.ResourceVersion {
			t.Errorf("stored: %v", stored)
		}
		after(t, "again", 0, func() error { return r.WaitForWrite(t.Context(), written) })
	})
}

// The deletion of an object whose latest state is left out is known once that state is being deleted, whether
// the store keeps an earlier one or never had one.
func TestDeletionOfWhatIsLeftOut(t *testing.T) {
	for _, stored := range []bool{true, false} {
		t.Run(fmt.Sprint("stored before: ", stored), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				r := run(t, api, cache.Options[*thing]{Transform: func(obj *thing) (*thing, error) {
					if !stored || obj.Labels["refused"] != "" {
						return nil, errors.New("refused")
					}
					return obj, nil
				}})
				change := func(change func(*thing)) *thing {
					synctest.Wait()
					obj, err := api.Get(keyOf("a"))
					if err != nil {
						t.Fatal(err)
					}
					change(obj)
					if obj, err = api.Update(obj); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					return obj
				}
				obj := change(func(obj *thing) { obj.Labels = map[string]string{"refused": "yes"} })
				wait := func() error {
					limited, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					return r.WaitForDeletion(limited, obj)
				}
				if err := wait(); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("before the deletion: %v", err)
				}
				change(func(obj *thing) { obj.DeletionTimestamp = &metav1.Time{Time: time.Now()} })
				after(t, "being deleted", 0, wait)
				if _, exists := r.Store().Get(keyOf("a")); exists != stored {
					t.Errorf("in the store: %v", exists)
				}
			})
		})
	}
}

// Whatever has happened to objects, requests and the server: when nothing changes meanwhile, the store
// is the server's state when WaitForLatest returns, and Confirm returns the object as it is there.
func TestRandomConsistency(t *testing.T) {
	seeds := 200
	if testing.Short() {
		seeds = 20
	}
	for seed := range uint64(seeds) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 35))
			api := cachetest.NewAPI(newThing("a"), newThing("b"))
			r := run(t, api, cache.Options[*thing]{})
			if random.IntN(2) == 0 {
				// An event that cannot be decoded is known to be missing, by the status.
				readable := func(_ cachetest.Request, f cachetest.Fault) bool { return !errors.Is(f.Err, cachetest.ErrGarbled) }
				api.FailRandomly(cachetest.Chaos{Seed: seed, Rate: 0.2, MaxDelay: 20 * time.Second, If: readable})
			}
			name := func() string { return string(rune('a' + random.IntN(6))) }
			backup := api.ResourceVersion()
			for step := range 60 {
				switch random.IntN(10) {
				case 0, 1:
					_, _ = api.Create(newThing(name()))
				case 2, 3:
					if obj, err := api.Get(keyOf(name())); err == nil {
						obj.Annotations = map[string]string{"step": strconv.Itoa(step)}
						_, _ = api.Update(obj)
					}
				case 4:
					_, _ = api.Delete(keyOf(name()))
				case 5:
					other := newThing(fmt.Sprint("other-", step))
					other.Namespace = "other"
					_, _ = api.Create(other)
				case 6:
					api.CloseWatches()
				case 7:
					api.Fail(cachetest.Fault{Verb: cachetest.Watch, Stall: time.Duration(random.IntN(30)) * time.Second})
				case 8:
					backup = api.ResourceVersion()
					if random.IntN(4) == 0 {
						api.Compact()
					}
				case 9:
					if random.IntN(6) == 0 {
						// Once the server is as far again as it was, a client can't see that it has
						// restarted.
						time.Sleep(time.Minute)
						_ = api.Restore(backup)
						confirmRandomly(t, seed, 0, api, r, name())
					}
				}
				time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
				if random.IntN(4) == 0 {
					confirmRandomly(t, seed, step, api, r, name())
				}
			}
		})
	}
}

func confirmRandomly(t *testing.T, seed uint64, step int, api *cachetest.API[*thing], r running, name string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	again := func(what string, call func() error) {
		for {
			err := call()
			if err == nil {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("seed %d, step %d: %s: %v", seed, step, what, err)
			}
			time.Sleep(time.Second)
		}
	}
	if step%2 == 0 {
		again("latest", func() error { return r.WaitForLatest(ctx) })
		expect(t, fmt.Sprintf("seed %d, step %d: store", seed, step), names(api.Objects()), names(r.Store().List()))
		return
	}
	again("confirm", func() error {
		obj, exists, err := r.Confirm(ctx, keyOf(name))
		if err != nil {
			return err
		}
		want, notFound := api.Get(keyOf(name))
		if exists == (notFound == nil) && (!exists || obj.ResourceVersion == want.ResourceVersion) {
			return nil
		}
		t.Errorf("seed %d, step %d: confirmed %v, %v; want %v, %v", seed, step, obj, exists, want, notFound)
		return nil
	})
}
