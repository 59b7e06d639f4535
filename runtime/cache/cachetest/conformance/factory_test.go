package conformance

import (
	"context"
	"errors"
	"reflect"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// factoryCases are about shared informer factories.
var factoryCases = []testCase{
	{statement: "F1", title: "there is one informer of a type", test: func(t *T) {
		f, w := t.newFactory(FactoryOptions{}), t.listing("a")
		first := f.pods(w)
		if f.pods(t.listing("b")) != first {
			t.Error("there are two informers of pods")
		}
		if f.InformerFor(&v1.Node{}, f.informerOf(w)) == first {
			t.Error("pods and nodes share an informer")
		}
	}},

	{statement: "F1", title: "a start runs the informers that do not run yet", test: func(t *T) {
		f, w, later := t.newFactory(FactoryOptions{}), t.listing("a"), t.listing("b")
		f.pods(w)
		f.Start(t.Context().Done())
		f.Start(t.Context().Done())
		nodes := f.InformerFor(&v1.Node{}, f.informerOf(later))
		w.wantRequests("list 0 limit 500", "watch 2")
		later.wantRequests()
		f.Start(t.Context().Done())
		synctest.Wait()
		t.equal("in sync", nodes.HasSynced(), true)
	}},

	{statement: "F1", title: "a shutdown waits for the informers, and no other starts after it", test: func(t *T) {
		f, w, later := t.newFactory(FactoryOptions{}), t.listing("a"), t.listing("b")
		pods := f.pods(w)
		_, err := pods.AddEventHandler(&recorder{T: t, hook: func(string) { time.Sleep(time.Minute) }})
		t.check(err)
		ctx, cancel := context.WithCancel(t.Context())
		f.Start(ctx.Done())
		synctest.Wait()
		cancel()
		began := time.Now()
		f.Shutdown()
		t.equal("wait", time.Since(began), time.Minute)
		t.equal("stopped", pods.IsStopped(), true)
		f.InformerFor(&v1.Node{}, f.informerOf(later))
		f.Start(t.Context().Done())
		later.wantRequests()
	}},

	{statement: "F1", title: "a shutdown releases the name of the factory", test: func(t *T) {
		const text = "conformance"
		name, err := newInformerName(text)
		t.check(err)
		f := t.newFactory(FactoryOptions{InformerName: name})
		if _, err := newInformerName(text); err == nil {
			t.Error("the name can be had twice")
		}
		f.Shutdown()
		t.equal("reserved", name.WithResource(schema.GroupVersionResource{Resource: "pods"}).Reserved(), false)
		name, err = newInformerName(text)
		t.check(err)
		name.Release()
	}},

	{statement: "F1", title: "waiting for caches returns those that were started, and why they are not in sync", test: func(t *T) {
		f, w, hanging := t.newFactory(FactoryOptions{}), t.listing("a"), t.listing("b")
		hanging.api.Fail(cachetest.Fault{Hang: true})
		f.pods(w)
		f.InformerFor(&v1.Node{}, f.informerOf(hanging))
		t.equal("before the start", len(f.WaitForCacheSync(t.Context().Done())), 0)
		f.Start(t.Context().Done())
		f.InformerFor(&v1.Service{}, f.informerOf(t.listing()))
		late := errors.New("too late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, late)
		defer cancel()
		result := f.WaitForCacheSyncWithContext(ctx)
		want := map[reflect.Type]bool{reflect.TypeFor[*v1.Pod](): true, reflect.TypeFor[*v1.Node](): false}
		if !reflect.DeepEqual(result.Synced, want) || !errors.Is(result.Err, late) || !errors.Is(result.AsError(), late) {
			t.Errorf("result is %v", result)
		}
		if got := f.WaitForCacheSync(ctx.Done()); !reflect.DeepEqual(got, want) {
			t.Errorf("in sync are %v", got)
		}
	}},

	{statement: "F2", title: "the transform of the factory is that of its informers", test: func(t *T) {
		w := t.listing("a")
		f := t.newFactory(FactoryOptions{Transform: func(obj any) (any, error) {
			obj.(*v1.Pod).ResourceVersion = "transformed"
			return obj, nil
		}})
		pods := f.pods(w)
		f.Start(t.Context().Done())
		synctest.Wait()
		t.equal("store", stored(pods.GetStore()), []string{"a@transformed"})
	}},

	{statement: "F2", title: "an informer that refuses a transform is used without it", test: func(t *T) {
		w := t.listing("a")
		stop := w.run()
		defer stop()
		f := t.newFactory(FactoryOptions{Transform: func(any) (any, error) { return nil, errors.New("transformed") }})
		running := func(time.Duration) cache.SharedIndexInformer { return w.informer }
		if f.InformerFor(&v1.Pod{}, running) != w.informer {
			t.Error("the factory has another informer")
		}
	}},

	{statement: "F3", title: "a resync period may be set by type", test: func(t *T) {
		f := t.newFactory(FactoryOptions{
			Resync:       time.Hour,
			CustomResync: map[metav1.Object]time.Duration{&v1.Pod{}: time.Minute},
		})
		var periods []time.Duration
		note := func(resync time.Duration) cache.SharedIndexInformer {
			periods = append(periods, resync)
			return f.informerOf(t.listing())(resync)
		}
		f.InformerFor(&v1.Pod{}, note)
		f.InformerFor(&v1.Node{}, note)
		t.equal("periods", periods, []time.Duration{time.Minute, time.Hour})
	}},
}

// factory is a factory of informers of worlds.
type factory struct {
	Factory
	*T
}

// newFactory returns a factory that is stopped and shut down with the case.
func (t *T) newFactory(options FactoryOptions) factory {
	t.Helper()
	if t.impl.NewFactory == nil {
		t.Fatal("there is no NewFactory")
	}
	f := t.impl.NewFactory(options)
	// The context of the test ends before its cleanups.
	t.Cleanup(f.Shutdown)
	return factory{Factory: f, T: t}
}

// pods returns the factory's informer of pods. The first call makes it, for the pods of w.
func (f factory) pods(w *world) cache.SharedIndexInformer {
	return f.InformerFor(&v1.Pod{}, f.informerOf(w))
}

func (f factory) informerOf(w *world) func(time.Duration) cache.SharedIndexInformer {
	return func(resync time.Duration) cache.SharedIndexInformer {
		return f.newInformer(w.lw, cache.SharedIndexInformerOptions{ResyncPeriod: resync})
	}
}
