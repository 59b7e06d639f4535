package factory_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clientgotesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// What is asked of a factory for are all its informers, by name: of this module, in
// client-go's wrapper, and of client-go.
func TestStatus(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset(pod("a", "1", nil)))
		f.pods()
		f.InformerFor(&v1.Service{}, func(time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(neverAnswers, &v1.Service{}, 0, nil)
		})
		healthy := f.HealthCheck(time.Minute)
		check := func(when string, want ...core.Status) {
			t.Helper()
			got := f.Status()
			if len(got) != len(want) {
				t.Fatalf("%s: %d informers", when, len(got))
			}
			for i, s := range got {
				if s.Name != want[i].Name || s.Phase != want[i].Phase || s.Objects != want[i].Objects || s.Synced != want[i].Synced {
					t.Errorf("%s: %s is %v, synced %v, with %d objects", when, s.Name, s.Phase, s.Synced, s.Objects)
				}
			}
		}
		check("before the start", core.Status{Name: "*v1.Service"}, core.Status{Name: "pods.v1"})
		if err := healthy(nil); err != nil {
			t.Errorf("before the start: %v", err)
		}

		f.StartWithContext(ctx)
		f.nodes()
		brief, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = f.WaitForSync(brief)
		check("at work", core.Status{Name: "*v1.Service", Phase: core.PhaseListing}, core.Status{Name: "nodes.v1"},
			core.Status{Name: "pods.v1", Phase: core.PhaseWatching, Objects: 1, Synced: true})
		if err := healthy(nil); err != nil {
			t.Errorf("at work: %v", err)
		}

		stop()
		f.Shutdown()
		err := healthy(nil)
		if !errors.Is(err, failure.ErrStopped) || !strings.Contains(err.Error(), `"*v1.Service"`) || !strings.Contains(err.Error(), `"pods.v1"`) {
			t.Errorf("at the end: %v", err)
		}
	})
}

func TestHealthCheckOfAStaleInformer(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset())
		f.nodes()
		f.InformerFor(&v1.Pod{}, func(time.Duration) cache.SharedIndexInformer {
			informer := clientgocache.NewSharedIndexInformer(neverAnswers, &v1.Pod{}, 0, nil)
			return struct{ cache.SharedIndexInformer }{informer}
		})
		f.StartWithContext(ctx)
		time.Sleep(90 * time.Second)
		err := f.HealthCheck(time.Minute)(nil)
		if !errors.Is(err, failure.ErrStale) || !strings.Contains(err.Error(), `"k8s.io/api/core/v1.Pod"`) {
			t.Errorf("error %v", err)
		}
		if err := f.HealthCheck(2 * time.Minute)(nil); err != nil {
			t.Errorf("error %v", err)
		}
		stop()
		f.Shutdown()
	})
}

// A factory is ready once each informer that was started has been in sync, of this module or
// not, and stays so. One whose resource is not installed is not ready.
func TestReadyCheck(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset()
		var installed atomic.Bool
		client.PrependReactor("list", "nodes", func(clientgotesting.Action) (bool, runtime.Object, error) {
			return !installed.Load(), nil, apierrors.NewNotFound(v1.Resource("nodes"), "")
		})
		f := newFactory(client)
		f.nodes()
		ready := func(when string, want ...string) {
			t.Helper()
			err := f.ReadyCheck(nil)
			if (err == nil) != (len(want) == 0) {
				t.Fatalf("%s: got %v, want %q", when, err, want)
			}
			for _, text := range want {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%s: got %v, want %q", when, err, text)
				}
			}
		}
		ready("before the start")
		f.StartWithContext(ctx)
		f.pods()
		time.Sleep(time.Minute)
		ready("without the resource", `informer "nodes.v1": not in sync: waiting for the resource to be installed`)
		if err := f.HealthCheck(time.Minute)(nil); err != nil {
			t.Errorf("without the resource: %v", err)
		}
		installed.Store(true)
		time.Sleep(time.Minute)
		ready("one was not started")
		f.InformerFor(&v1.Service{}, func(time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(neverAnswers, &v1.Service{}, 0, nil)
		})
		f.StartWithContext(ctx)
		time.Sleep(time.Minute)
		ready("without an answer", `informer "*v1.Service": not in sync: listing`)
		stop()
		f.Shutdown()
	})
}

// One line says that the informers which were started together are in sync.
func TestSyncIsLogged(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f, log := newFactory(fake.NewClientset()), &logBuffer{}
		ctx = klog.NewContext(ctx, textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(log))))
		want := func(lines int, informers string) {
			t.Helper()
			f.StartWithContext(ctx)
			time.Sleep(time.Minute)
			text := log.take()
			if got := strings.Count(text, `"Informers are in sync" informers=`+informers); got != lines || strings.Count(text, "\n") != lines {
				t.Errorf("got %q, want %d lines of %s informers", text, lines, informers)
			}
		}
		f.pods()
		f.nodes()
		want(1, "2")
		want(0, "0")
		f.InformerFor(&v1.Service{}, func(time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(neverAnswers, &v1.Service{}, 0, nil)
		})
		want(0, "1")
		stop()
		f.Shutdown()
		if text := log.take(); strings.Contains(text, "in sync") { // client-go's informer may say that its list was cancelled
			t.Errorf("after the stop: %q", text)
		}
	})
}

// The status of a factory is readable as JSON, for a debug page.
func TestStatusJSON(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset()
		f := newFactory(client)
		client.PrependReactor("list", "pods", func(clientgotesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewUnauthorized("token expired")
		})
		f.pods()
		f.StartWithContext(ctx)
		time.Sleep(time.Second)
		text, err := json.Marshal(f.Status())
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"name":"pods.v1","phase":"backing off"`, `"lastError":{"message":"list: token expired`, `"class":"forbidden"`} {
			if !strings.Contains(string(text), part) {
				t.Errorf("lacks %s: %s", part, text)
			}
		}
		stop()
		f.Shutdown()
	})
}

// The status of a factory does not wait for one that is being made, nor
// does another informer that it has.
func TestStatusWhileAnInformerIsMade(t *testing.T) {
	inBubble(t, func(t *testing.T, _ context.Context, _ func()) {
		f := newFactory(fake.NewClientset())
		pods := f.pods()
		made := f.InformerFor(&v1.Service{}, func(time.Duration) cache.SharedIndexInformer {
			// Another goroutine asks meanwhile.
			asked := make(chan struct{})
			go func() {
				defer close(asked)
				if got := f.Status(); len(got) != 1 || got[0].Name != "pods.v1" {
					t.Errorf("status: %+v", got)
				}
				if err := f.HealthCheck(time.Minute)(nil); err != nil {
					t.Error(err)
				}
				if f.pods() != pods {
					t.Error("another informer of pods")
				}
			}()
			<-asked
			return cache.NewSharedIndexInformer(neverAnswers, &v1.Service{}, 0, nil)
		})
		if again := f.InformerFor(&v1.Service{}, nil); again != made {
			t.Error("made twice")
		}
	})
}
