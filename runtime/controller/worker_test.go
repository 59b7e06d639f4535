package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

func TestOutcomeOf(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want outcome
	}{
		{"no error", t.Context(), nil, succeeded},
		{"no error, at the end", ended, nil, succeeded},
		{"an error", t.Context(), boom, failed},
		{"an error, at the end", ended, boom, interrupted},
		{"a panic, at the end", ended, &failure.PanicError{Value: "ouch"}, failed},
		{"terminal", t.Context(), Terminal(boom), terminal},
		{"wrapped terminal", t.Context(), fmt.Errorf("x: %w", Terminal(boom)), terminal},
		{"terminal of nothing", t.Context(), Terminal(nil), succeeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcomeOf(c.ctx, c.err); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if !errors.Is(Terminal(boom), boom) || Terminal(boom).Error() != "boom" {
		t.Error("Terminal hides its error")
	}
}

// When a key is reconciled again, by what the first reconciles end with.
func TestNextReconcile(t *testing.T) {
	fail := func() (Result, error) { return Result{}, errors.New("boom") }
	for _, c := range []struct {
		name string
		ends []func() (Result, error)
		// the times since the first reconcile
		want   []time.Duration
		status Status
		err    string
	}{
		{name: "success", want: []time.Duration{0}, status: Status{Succeeded: 1}},
		{
			name:   "errors",
			ends:   []func() (Result, error){fail, fail, fail},
			want:   []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second},
			status: Status{Succeeded: 1, Failed: 3}, err: "boom",
		},
		{
			name:   "after",
			ends:   []func() (Result, error){func() (Result, error) { return Result{After: time.Hour}, nil }},
			want:   []time.Duration{0, time.Hour},
			status: Status{Succeeded: 2},
		},
		{
			name:   "after, which forgets failures",
			ends:   []func() (Result, error){fail, fail, func() (Result, error) { return Result{After: time.Hour}, nil }, fail},
			want:   []time.Duration{0, time.Second, 3 * time.Second, time.Hour + 3*time.Second, time.Hour + 4*time.Second},
			status: Status{Succeeded: 2, Failed: 3}, err: "boom",
		},
		{
			name:   "after with an error",
			ends:   []func() (Result, error){func() (Result, error) { return Result{After: time.Hour}, errors.New("boom") }},
			want:   []time.Duration{0, time.Second},
			status: Status{Succeeded: 1, Failed: 1}, err: "boom",
		},
		{
			name:   "negative after",
			ends:   []func() (Result, error){func() (Result, error) { return Result{After: -time.Second}, nil }},
			want:   []time.Duration{0, time.Second},
			status: Status{Succeeded: 1, Failed: 1}, err: "Result.After is -1s; use zero for no other reconcile",
		},
		{
			name: "nil writes",
			ends: []func() (Result, error){
				wrote[*corev1.ConfigMap](cache.New(cache.Source[*corev1.ConfigMap]{}, cache.Options[*corev1.ConfigMap]{}), nil),
				wrote(nil, configMap("a")),
				wrote((*cache.Informer[*corev1.ConfigMap])(nil), configMap("a")),
			},
			want:   []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second},
			status: Status{Succeeded: 1, Failed: 3}, err: "Result.Wrote or Deleted was called with nil",
		},
		{
			name: "nil write with an error",
			ends: []func() (Result, error){func() (result Result, err error) {
				result.Wrote(nil, nil)
				return result, errors.New("boom")
			}},
			want:   []time.Duration{0, time.Second},
			status: Status{Succeeded: 1, Failed: 1}, err: "boom",
		},
		{
			name:   "terminal",
			ends:   []func() (Result, error){func() (Result, error) { return Result{}, Terminal(errors.New("boom")) }},
			want:   []time.Duration{0},
			status: Status{Terminal: 1}, err: "boom",
		},
		{
			name:   "panic",
			ends:   []func() (Result, error){func() (Result, error) { panic("ouch") }},
			want:   []time.Duration{0, time.Second},
			status: Status{Succeeded: 1, Failed: 1, Panicked: 1}, err: "panic: ouch",
		},
		{
			name:   "Goexit",
			ends:   []func() (Result, error){func() (Result, error) { runtime.Goexit(); return Result{}, nil }},
			want:   []time.Duration{0, time.Second},
			status: Status{Succeeded: 1, Failed: 1}, err: errGoexit.Error(),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(configMap("a"))
				w.follow(t)
				begin := time.Now()
				var got []time.Duration
				reconcile := func(_ context.Context, _ types.NamespacedName) (Result, error) {
					got = append(got, time.Since(begin))
					if n := len(got); n <= len(c.ends) {
						return c.ends[n-1]()
					}
					return Result{}, nil
				}
				limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](time.Second, time.Minute)
				controller := mustNew(t, reconcile, Options{RateLimiter: limiter}, KeysOf(w.informer))
				stop := start(t, controller)
				time.Sleep(24 * time.Hour)
				s := controller.Status()
				stop()
				if !slices.Equal(got, c.want) {
					t.Errorf("reconciled at %v, want %v", got, c.want)
				}
				if s.Succeeded != c.status.Succeeded || s.Failed != c.status.Failed || s.Terminal != c.status.Terminal || s.Panicked != c.status.Panicked || s.Delayed != 0 {
					t.Errorf("status %+v, want %+v", s, c.status)
				}
				if (c.err == "") != (s.LastError == nil) || c.err != "" && (!strings.HasPrefix(s.LastError.Error(), c.err) || s.LastErrorKey != key("a")) {
					t.Errorf("last error %v of %v, want %v", s.LastError, s.LastErrorKey, c.err)
				}
			})
		})
	}
}

// wrote is a reconcile that notes a write.
func wrote[T metav1.Object](informer WriteWaiter, obj T) func() (Result, error) {
	return func() (result Result, err error) {
		result.Wrote(informer, obj)
		return result, nil
	}
}

// What is logged of a failure, and what the logger of a reconcile has.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(configMap("a"))
		w.follow(t)
		logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
		failures := 0
		c := mustNew(t, func(ctx context.Context, _ types.NamespacedName) (Result, error) {
			klog.FromContext(ctx).Info("From within")
			if failures++; failures == 1 {
				panic("ouch")
			}
			return Result{}, Terminal(errors.New("boom"))
		}, Options{}, KeysOf(w.informer))
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logger), time.Minute)
		defer cancel()
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
		log := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
		for _, want := range []string{
			`Controller has started controller="test" workers=1`,
			`From within controller="test" key="ns/a"`,
			"panic: ouch", "worker_test.go", // the stack
			`failures=1 backoff="5ms"`,
			`Reconcile failed, not retried err="boom" controller="test" key="ns/a"`,
		} {
			if !strings.Contains(log, want) {
				t.Errorf("%q is not in the log:\n%s", want, log)
			}
		}
	})
}

// A key that changes while it is being reconciled is reconciled once more, however often it
// changed; until then no other worker has it.
func TestChangesWhileReconciling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(configMap("a"))
		w.follow(t)
		var seen calls
		c := mustNew(t, func(_ context.Context, key types.NamespacedName) (Result, error) {
			seen.add(key)
			time.Sleep(time.Minute)
			return Result{}, nil
		}, Options{Workers: 3}, KeysOf(w.informer))
		start(t, c)
		for i := range 5 {
			time.Sleep(time.Millisecond)
			obj := configMap("a")
			obj.Data = map[string]string{"change": strconv.Itoa(i)}
			must(w.api.Update(obj))
		}
		synctest.Wait()
		if s := c.Status(); len(seen.take()) != 1 || len(s.Running) != 1 || s.Waiting != 0 {
			t.Errorf("more than one worker: %+v", s)
		}
		time.Sleep(time.Hour)
		if got := seen.take(); len(got) != 1 {
			t.Errorf("reconciled %q after the changes", got)
		}
	})
}

// A mapping function that panics loses that object only.
func TestMappingPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(configMap("a"), configMap("bad"), configMap("c"))
		w.follow(t)
		var seen calls
		start(t, mustNew(t, seen.reconcile, Options{}, MappedKeysOf(w.informer, func(obj *corev1.ConfigMap) []types.NamespacedName {
			if obj.Name == "bad" {
				panic(obj.Name)
			}
			return []types.NamespacedName{key(obj.Name)}
		})))
		time.Sleep(time.Minute)
		if got := seen.take(); !slices.Equal(got, []string{"a", "c"}) {
			t.Errorf("reconciled %q", got)
		}
		if h := w.informer.Status().Handlers; len(h) != 1 || h[0].Panics != 1 || h[0].Name != "controller test: mapped keys" {
			t.Errorf("status of the handler: %+v", h)
		}
	})
}

func TestPanicIsError(t *testing.T) {
	c := &Controller{reconcile: func(context.Context, types.NamespacedName) (Result, error) { panic("ouch") }}
	_, err := c.call(t.Context(), key("a"))
	var panicked *failure.PanicError
	if !errors.As(err, &panicked) || panicked.Value != "ouch" || len(panicked.Stack) == 0 {
		t.Errorf("got %v", err)
	}
}
