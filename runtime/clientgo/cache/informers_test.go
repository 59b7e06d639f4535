package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// streamedPods are informers of pods of a server in memory.
type streamedPods struct {
	*cache.Informers
	t      *testing.T
	api    *cachetest.API[*v1.Pod]
	config *rest.Config
}

func newStreamedPods(t *testing.T, options ...source.ClientOptions) *streamedPods {
	t.Helper()
	server := cachetest.NewServer()
	api := cachetest.ServeObjects(server, v1.SchemeGroupVersion.WithResource("pods"),
		&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}})
	config, informers := cache.Streaming(&rest.Config{Transport: server, QPS: -1}, options...)
	return &streamedPods{informers, t, api, config}
}

// lists returns a ListerWatcher over functions of a client.
func lists[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error), open func(context.Context, metav1.ListOptions) (watch.Interface, error)) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return list(ctx, options)
		},
		WatchFuncWithContext: open,
	}
}

func client[C any](t *testing.T, newFor func(*rest.Config) (C, error), config *rest.Config) C {
	t.Helper()
	c, err := newFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *streamedPods) typed(namespace string) cache.SharedIndexInformer {
	pods := client(p.t, kubernetes.NewForConfig, p.config).CoreV1().Pods(namespace)
	return p.New(lists(pods.List, pods.Watch), &v1.Pod{}, 0, nil)
}

func (p *streamedPods) create(pod *v1.Pod) {
	p.t.Helper()
	if _, err := p.api.Create(pod); err != nil {
		p.t.Error(err)
	}
}

// run runs an informer until the function that it returns is called, or the test ends.
func (p *streamedPods) run(informer cache.SharedIndexInformer) (stop func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	go informer.RunWithContext(ctx)
	return cancel
}

// pass lets the informers work for a while.
func (p *streamedPods) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (p *streamedPods) want(names ...string) {
	p.t.Helper()
	var got []string
	for _, status := range p.Status() {
		got = append(got, status.Name)
	}
	if !slices.Equal(got, names) {
		p.t.Errorf("got informers %q, want %q", got, names)
	}
}

// Informers have the names of what they have requested, whatever their objects are, and are
// forgotten when they stop.
func TestInformersAreNamedByResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newStreamedPods(t)
		resource := v1.SchemeGroupVersion.WithResource("pods")
		untyped := client(t, dynamic.NewForConfig, p.config).Resource(resource)
		partial := client(t, metadata.NewForConfig, p.config).Resource(resource)
		example := &unstructured.Unstructured{}
		example.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind("Pod"))

		all := p.typed("")
		p.want("k8s.io/api/core/v1.Pod")
		stop := p.run(all)
		p.run(p.typed("default"))
		p.run(p.New(lists(untyped.List, untyped.Watch), example, 0, nil))
		p.run(p.New(lists(partial.List, partial.Watch), &metav1.PartialObjectMetadata{}, 0, nil))
		p.pass(time.Minute)
		p.want("pods.v1", "pods.v1 (metadata)", "pods.v1 (unstructured)", "pods.v1/default")
		for _, status := range p.Status() {
			if !status.Synced || status.Objects != 1 {
				t.Errorf("got %s %v with %d objects, want it in sync with one", status.Name, status, status.Objects)
			}
		}
		found := p.Lookup(types.NamespacedName{Namespace: "default", Name: "first"})
		if len(found) != 4 || found["pods.v1"].(*v1.Pod).Name != "first" {
			t.Errorf("found %v, want the pod of four informers", found)
		}

		stop()
		p.pass(0)
		p.want("pods.v1 (metadata)", "pods.v1 (unstructured)", "pods.v1/default")
		if err := p.HealthCheck(time.Hour)(nil); err != nil {
			t.Errorf("after one was stopped: %v", err)
		}
	})
}

// Log, errors, statuses and checks have one name for an informer: its resource, from its first request.
func TestInformersHaveOneName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newStreamedPods(t)
		p.api.Fail(cachetest.Fault{Err: cachetest.Status(http.StatusForbidden), Times: 4})
		informer := p.typed("default")
		var failures []string
		if err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
			failures = append(failures, r.Name())
			klog.FromContext(ctx).Info("Handled", "err", err)
		}); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log), textlogger.Verbosity(4))))
		go informer.RunWithContext(ctx)
		p.pass(time.Second)
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := cache.WaitForSync(soon, informer)
		if err == nil || !strings.HasPrefix(err.Error(), `informer "pods.v1/default": `) {
			t.Errorf("it waits for sync: %v", err)
		}
		p.pass(time.Hour)
		p.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(http.StatusInternalServerError)})
		p.api.CloseWatches()
		p.pass(time.Minute)
		p.want("pods.v1/default")
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		for _, line := range lines {
			if !strings.Contains(line, ` informer="pods.v1/default"`) {
				t.Errorf("another name in the log: %s", line)
			}
		}
		if len(lines) < 5 || len(failures) == 0 || slices.ContainsFunc(failures, func(name string) bool { return name != "pods.v1/default" }) {
			t.Errorf("%d lines, failures of %q", len(lines), failures)
		}
	})
}

// The options of the client hold for the informers: objects share nothing if that is disabled, and larger
// objects are left out.
func TestStreamingWithOptions(t *testing.T) {
	for _, test := range []struct {
		name            string
		options         []source.ClientOptions
		shares, hasLong bool
	}{
		{"none", nil, true, true},
		{"zero", []source.ClientOptions{{}}, true, true},
		{"without sharing", []source.ClientOptions{{DisableSharing: true}}, false, true},
		{"small objects", []source.ClientOptions{{MaxObjectBytes: 100_000}}, true, false},
		{"both", []source.ClientOptions{{MaxObjectBytes: 100_000, DisableSharing: true}}, false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newStreamedPods(t, test.options...)
			pods := client(t, kubernetes.NewForConfig, p.config).CoreV1().RESTClient()
			informer := p.New(cache.NewListWatchFromClient(pods, "pods", "", fields.Everything()), &v1.Pod{}, 0, nil)
			p.run(informer)
			p.pass(time.Minute)
			for i := range 10 {
				pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("pod-", i)}}
				pod.Spec.NodeSelector = map[string]string{"topology.kubernetes.io/zone": "north", "node.kubernetes.io/instance-type": "large"}
				p.create(pod)
			}
			p.create(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "long", Annotations: map[string]string{"a": strings.Repeat("long ", 30_000)}}})
			p.pass(time.Minute)
			selectors := map[uintptr]int{}
			for _, obj := range informer.GetStore().List() {
				if pod := obj.(*v1.Pod); pod.Spec.NodeSelector != nil {
					selectors[reflect.ValueOf(pod.Spec.NodeSelector).Pointer()]++
				}
			}
			if shares := len(selectors) < 10; shares != test.shares || len(selectors) == 0 {
				t.Errorf("%s: %d selectors of 10 pods", test.name, len(selectors))
			}
			if _, hasLong, _ := informer.GetStore().GetByKey("default/long"); hasLong != test.hasLong {
				t.Errorf("%s: has the long one: %v", test.name, hasLong)
			}
		})
	}
}

// Informers are ready when all have been in sync, and not while a resource is not installed;
// they are healthy unless they may be out of date.
func TestChecksOfInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newStreamedPods(t)
		check := func(when string, got error, want string) {
			t.Helper()
			if (got == nil) != (want == "") || got != nil && !strings.HasPrefix(got.Error(), want) {
				t.Errorf("%s: got %v, want %q", when, got, want)
			}
		}
		healthy := p.HealthCheck(10 * time.Minute)
		check("without informers", p.ReadyCheck(nil), "")
		p.api.Uninstall()
		informer := p.typed("")
		check("before the start", p.ReadyCheck(nil), `informer "k8s.io/api/core/v1.Pod": not in sync: not started`)
		check("before the start", healthy(nil), "")
		p.run(informer)
		p.pass(time.Hour)
		check("without the resource", p.ReadyCheck(nil), `informer "pods.v1": not in sync: waiting for the resource to be installed`)
		check("without the resource", healthy(nil), "")
		p.api.Install()
		p.pass(time.Minute)
		check("in sync", p.ReadyCheck(nil), "")
		check("in sync", healthy(nil), "")
		p.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused})
		p.api.CloseWatches()
		p.pass(time.Hour)
		check("without the server", p.ReadyCheck(nil), "")
		check("without the server", healthy(nil), `informer "pods.v1": stale for 1h`)
	})
}
