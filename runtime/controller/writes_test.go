package controller_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/internal/written"
	"github.com/informer-gen/informer-gen/runtime/source"
)

var (
	configMaps        = corev1.SchemeGroupVersion.WithResource("configmaps")
	configMapResource = clients.NewResource[*corev1.ConfigMap, *corev1.ConfigMapList](corev1.SchemeGroupVersion.WithKind("ConfigMap"), "configmaps")
)

// noted is a controller with a work queue of its own, over an API whose watches are late.
type noted struct {
	api      *cachetest.API[*corev1.ConfigMap]
	client   *source.Client
	informer *cache.Informer[*corev1.ConfigMap]
	writes   *controller.Writes
}

const late = 10 * time.Second

func note(t *testing.T, tweak func(*metav1.ListOptions), objects ...*corev1.ConfigMap) *noted {
	t.Helper()
	return noteWith(t, cache.Options[*corev1.ConfigMap]{}, tweak, objects...)
}

func noteWith(t *testing.T, options cache.Options[*corev1.ConfigMap], tweak func(*metav1.ListOptions), objects ...*corev1.ConfigMap) *noted {
	t.Helper()
	server := cachetest.NewServer()
	n := &noted{api: cachetest.ServeObjects(server, configMaps, objects...)}
	var err error
	if n.client, err = source.NewClient(&rest.Config{Host: "http://cachetest", Transport: server, QPS: -1}); err != nil {
		t.Fatal(err)
	}
	n.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, After: len(objects) + 1, Stall: late})
	n.informer = cache.New(source.Tweak(source.New[*corev1.ConfigMap](n.client, configMaps, ""), tweak), options)
	if n.writes, err = controller.NewWrites(n.informer.Untyped()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.informer.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if err := n.informer.WaitForSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return n
}

func newConfigMap(name string, labels labels.Set) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: labels}}
}

// versions returns the names and versions of objects, sorted.
func versions(objects []*corev1.ConfigMap) (all []string) {
	for _, obj := range objects {
		all = append(all, obj.Name+" "+obj.ResourceVersion)
	}
	slices.Sort(all)
	return all
}

// Whatever a generated client writes with the context of a key, the key is not ready until the store
// has it, and others are.
func TestWritesOfClients(t *testing.T) {
	ctx := context.Background()
	type configMapClient = *clients.Client[*corev1.ConfigMap, *corev1.ConfigMapList]
	onlyLabelled := func(options *metav1.ListOptions) { options.LabelSelector = "team=a" }
	for name, c := range map[string]struct {
		tweak func(*metav1.ListOptions)
		write func(context.Context, configMapClient) error
		// ready is that there is nothing to wait for.
		ready bool
	}{
		"create": {write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Create(ctx, newConfigMap("new", nil), metav1.CreateOptions{})
			return err
		}},
		"update": {write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Update(ctx, newConfigMap("old", nil), metav1.UpdateOptions{})
			return err
		}},
		"patch": {write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Patch(ctx, "old", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{})
			return err
		}},
		"apply": {write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Apply(ctx, corev1apply.ConfigMap("new", "shop"), metav1.ApplyOptions{FieldManager: "test"})
			return err
		}},
		"delete": {write: func(ctx context.Context, c configMapClient) error {
			return c.Delete(ctx, "old", metav1.DeleteOptions{})
		}},
		"delete what was created": {write: func(ctx context.Context, c configMapClient) error {
			if _, err := c.Create(ctx, newConfigMap("new", nil), metav1.CreateOptions{}); err != nil {
				return err
			}
			return c.Delete(ctx, "new", metav1.DeleteOptions{})
		}},
		"delete another one than the store has": {write: func(ctx context.Context, c configMapClient) error {
			if err := c.Delete(context.Background(), "old", metav1.DeleteOptions{}); err != nil {
				return err
			}
			if _, err := c.Create(context.Background(), newConfigMap("old", nil), metav1.CreateOptions{}); err != nil {
				return err
			}
			return c.Delete(ctx, "old", metav1.DeleteOptions{})
		}},
		"delete one with a finalizer": {write: func(ctx context.Context, c configMapClient) error {
			finalized := newConfigMap("new", nil)
			finalized.Finalizers = []string{"example.com/mine"}
			if _, err := c.Create(ctx, finalized, metav1.CreateOptions{}); err != nil {
				return err
			}
			return c.Delete(ctx, "new", metav1.DeleteOptions{})
		}},
		"create an object that is selected": {tweak: onlyLabelled, write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Create(ctx, newConfigMap("new", labels.Set{"team": "a"}), metav1.CreateOptions{})
			return err
		}},
		"have an object not selected any more": {tweak: onlyLabelled, write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Update(ctx, newConfigMap("old", nil), metav1.UpdateOptions{})
			return err
		}},
		"create an object that is not selected": {ready: true, tweak: onlyLabelled, write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Create(ctx, newConfigMap("new", nil), metav1.CreateOptions{})
			return err
		}},
		"dry run": {ready: true, write: func(ctx context.Context, c configMapClient) error {
			_, err := c.Patch(ctx, "old", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		}},
		"what fails": {ready: true, write: func(ctx context.Context, c configMapClient) error {
			if err := c.Delete(ctx, "none", metav1.DeleteOptions{}); err == nil {
				t.Error("deleted what does not exist")
			}
			_, _ = c.Create(ctx, newConfigMap("old", nil), metav1.CreateOptions{})
			return nil
		}},
		"with another context": {ready: true, write: func(_ context.Context, c configMapClient) error {
			_, err := c.Create(context.Background(), newConfigMap("new", nil), metav1.CreateOptions{})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := note(t, c.tweak, newConfigMap("old", labels.Set{"team": "a"}))
				k, other := types.NamespacedName{Namespace: "shop", Name: "key"}, types.NamespacedName{Name: "other"}
				if err := c.write(n.writes.Context(ctx, k), configMapResource.Client(n.client, "shop")); err != nil {
					t.Fatal(err)
				}
				if n.writes.Ready(k) != c.ready || !n.writes.Ready(other) {
					t.Errorf("ready: %v, other: %v", n.writes.Ready(k), n.writes.Ready(other))
				}
				began := time.Now()
				for !n.writes.Ready(k) && time.Since(began) < 3*late {
					time.Sleep(100 * time.Millisecond)
				}
				if !n.writes.Ready(k) {
					t.Errorf("not ready after the events: %v", n.informer.Status())
				}
				if got, want := versions(n.informer.Store().List()), versions(n.api.Objects()); !c.ready && c.tweak == nil && !slices.Equal(got, want) {
					t.Errorf("when it is ready, the store has %v, want %v", got, want)
				}
			})
		})
	}
}

// A key waits for its writes, and not longer, whatever a transform has made of the objects in the store.
func TestWritesOfTransformedObjects(t *testing.T) {
	ctx := context.Background()
	for name, change := range map[string]func(*corev1.ConfigMap){
		"no version":    func(obj *corev1.ConfigMap) { obj.ResourceVersion = "" },
		"early version": func(obj *corev1.ConfigMap) { obj.ResourceVersion = "1" },
		"late version":  func(obj *corev1.ConfigMap) { obj.ResourceVersion = "1000000" },
		"no number":     func(obj *corev1.ConfigMap) { obj.ResourceVersion = "none" },
		"no UID":        func(obj *corev1.ConfigMap) { obj.UID = "" },
		"no deletion":   func(obj *corev1.ConfigMap) { obj.DeletionTimestamp = nil },
		"nothing":       func(*corev1.ConfigMap) {},
	} {
		for _, finalizers := range [][]string{nil, {"example.com/mine"}} {
			for _, deletes := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d finalizers, deletes %v", name, len(finalizers), deletes), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						obj := newConfigMap("old", nil)
						obj.Finalizers = finalizers
						n := noteWith(t, cache.Options[*corev1.ConfigMap]{Transform: func(obj *corev1.ConfigMap) (*corev1.ConfigMap, error) {
							change(obj)
							return obj, nil
						}}, nil, obj)
						k, client := types.NamespacedName{Name: "key"}, configMapResource.Client(n.client, "shop")
						var err error
						if writing := n.writes.Context(ctx, k); deletes {
							err = client.Delete(writing, "old", metav1.DeleteOptions{})
						} else {
							_, err = client.Patch(writing, "old", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{})
						}
						if err != nil {
							t.Fatal(err)
						}
						if n.writes.Ready(k) {
							t.Error("ready before the event")
						}
						time.Sleep(2 * late)
						if !n.writes.Ready(k) {
							t.Error("not ready after the event")
						}
					})
				})
			}
		}
	}
}

// An answer without a UID, and a store without UIDs, do not tell which object was deleted: the key is ready when
// the store has what the server has, also if that has another object of the name by then.
func TestDeletionWithoutUID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := noteWith(t, cache.Options[*corev1.ConfigMap]{Transform: func(obj *corev1.ConfigMap) (*corev1.ConfigMap, error) {
			obj.UID = ""
			return obj, nil
		}}, nil, newConfigMap("old", nil))
		n.api.Fail(cachetest.Fault{Verb: cachetest.Delete, Err: cachetest.ErrTruncated})
		key := types.NamespacedName{Namespace: "shop", Name: "key"}
		if err := configMapResource.Client(n.client, "shop").Delete(n.writes.Context(t.Context(), key), "old", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := n.api.Create(newConfigMap("old", nil)); err != nil {
			t.Fatal(err)
		}
		if n.writes.Ready(key) {
			t.Error("ready before the events")
		}
		time.Sleep(3 * late)
		if !n.writes.Ready(key) {
			t.Error("not ready after the events")
		}
	})
}

// A write whose answer is lost may have been made: the key is ready when the store has what the server
// has. One that the server has refused is none.
func TestUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		fault cachetest.Fault
		ready bool
	}{
		"made":                           {fault: cachetest.Fault{Verb: cachetest.Create, Opened: true, Err: cachetest.ErrConnectionReset}},
		"timeout":                        {fault: cachetest.Fault{Verb: cachetest.Create, Err: cachetest.Status(504)}},
		"made, and then asked for again": {fault: cachetest.Fault{Verb: cachetest.Create, Opened: true, Err: cachetest.StatusRetryAfter(500, 1)}},
		"refused":                        {ready: true, fault: cachetest.Fault{Verb: cachetest.Create, Err: cachetest.Status(409)}},
		"no server":                      {ready: true, fault: cachetest.Fault{Verb: cachetest.Create, Err: cachetest.ErrConnectionRefused}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := note(t, nil, newConfigMap("old", nil))
				if _, err := n.api.Update(newConfigMap("old", labels.Set{"changed": "true"})); err != nil {
					t.Fatal(err)
				}
				n.api.Fail(c.fault)
				key := types.NamespacedName{Namespace: "shop", Name: "key"}
				client := configMapResource.Client(n.client, "shop")
				if _, err := client.Create(n.writes.Context(t.Context(), key), newConfigMap("new", nil), metav1.CreateOptions{}); err == nil {
					t.Error("created")
				}
				synctest.Wait()
				if n.writes.Ready(key) != c.ready {
					t.Errorf("ready: %v, before the events", !c.ready)
				}
				time.Sleep(3 * late)
				_, exists := n.informer.Store().Get(types.NamespacedName{Namespace: "shop", Name: "new"})
				if !n.writes.Ready(key) || exists != c.fault.Opened {
					t.Errorf("ready: %v after the events, in the store: %v", n.writes.Ready(key), exists)
				}
			})
		})
	}
}

// Writes of other clients are noted by a call, and a write that never arrives is given up.
func TestWritesOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("old", nil))
		key := types.NamespacedName{Namespace: "shop", Name: "key"}
		updated, err := n.api.Update(newConfigMap("old", labels.Set{"a": "b"}))
		if err != nil {
			t.Fatal(err)
		}
		n.writes.Wrote(key, n.informer, updated)
		if _, err := n.api.Delete(types.NamespacedName{Namespace: "shop", Name: "old"}); err != nil {
			t.Fatal(err)
		}
		n.writes.Deleted(key, n.informer, updated)
		if n.writes.Ready(key) {
			t.Error("ready before the events")
		}
		time.Sleep(5 * late)
		if !n.writes.Ready(key) {
			t.Error("not ready after the events")
		}
		never := newConfigMap("never", nil)
		never.ResourceVersion = "1000000"
		n.writes.Wrote(key, n.informer, never)
		time.Sleep(time.Minute - time.Second)
		if n.writes.Ready(key) {
			t.Error("ready without the write")
		}
		time.Sleep(2 * time.Second)
		if !n.writes.Ready(key) {
			t.Error("not ready after a minute")
		}
	})
}

// The removal of the last finalizer is a deletion: the server returns the object with the version before.
func TestLastFinalizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil)
		client := configMapResource.Client(n.client, "shop")
		obj := newConfigMap("new", nil)
		obj.Finalizers = []string{"example.com/mine"}
		if _, err := client.Create(t.Context(), obj, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := client.Delete(t.Context(), "new", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * late)
		n.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Opened: true, Stall: late})
		n.api.CloseWatches()
		time.Sleep(time.Second)

		key := types.NamespacedName{Namespace: "shop", Name: "key"}
		released, err := client.Patch(n.writes.Context(t.Context(), key), "new", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n.writes.Ready(key) {
			t.Errorf("ready, and the store has %v; the server has returned %v", versions(n.informer.Store().List()), released)
		}
		time.Sleep(2 * late)
		if !n.writes.Ready(key) || n.informer.Store().Len() > 0 {
			t.Errorf("after the event: ready: %v; the store has %v", n.writes.Ready(key), versions(n.informer.Store().List()))
		}
	})
}

// An object that a write has selected and another one has not gets two events, also when the store has heard
// of neither.
func TestSecondWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, func(options *metav1.ListOptions) { options.LabelSelector = "team=a" })
		key := types.NamespacedName{Namespace: "shop", Name: "key"}
		version, _ := strconv.Atoi(n.api.ResourceVersion())
		notes := written.To(n.writes.Context(t.Context(), key))
		for i, team := range []string{"a", "b"} {
			obj := newConfigMap("new", labels.Set{"team": team})
			obj.ResourceVersion = strconv.Itoa(version + 1 + i)
			notes.Wrote(n.client, configMaps.GroupResource(), obj)
		}
		for i, ready := range []bool{false, true} {
			if _, err := n.api.Create(newConfigMap(strconv.Itoa(i), labels.Set{"team": "a"})); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * late)
			if n.writes.Ready(key) != ready {
				t.Errorf("after event %d: ready: %v", i+1, !ready)
			}
		}
	})
}

// In an outage, all unanswered writes together ask the server now and then, and hold their keys for a
// minute.
func TestUnansweredInOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil)
		n.api.Fail(cachetest.Fault{Verb: cachetest.Create, Times: -1, Err: cachetest.Status(504)},
			cachetest.Fault{Verb: cachetest.List, Times: -1, Err: cachetest.Status(503)})
		before := len(n.api.Requests())
		client := configMapResource.Client(n.client, "shop")
		key := func(i int) types.NamespacedName { return types.NamespacedName{Name: strconv.Itoa(i)} }
		for range 5 {
			for i := range 100 {
				_, _ = client.Create(n.writes.Context(t.Context(), key(i)), newConfigMap("new", nil), metav1.CreateOptions{})
				if n.writes.Ready(key(i)) {
					t.Fatal("ready without an answer")
				}
			}
			time.Sleep(time.Minute + time.Second)
			for i := range 100 {
				if !n.writes.Ready(key(i)) {
					t.Fatal("not ready after a minute")
				}
			}
		}
		lists := 0
		for _, r := range n.api.Requests()[before:] {
			if r.Verb == cachetest.List {
				lists++
			}
		}
		if lists < 5 || lists > 50 {
			t.Errorf("%d lists in five minutes", lists)
		}
	})
}

func TestWritesOfNothing(t *testing.T) {
	var none *cache.Informer[*corev1.ConfigMap]
	if _, err := controller.NewWrites(none.Untyped()); err == nil || !strings.Contains(err.Error(), "informer 1 is nil") {
		t.Errorf("got %v", err)
	}
}

// A controller waits for what generated clients write in its reconciles, deletions too.
func TestOwnWritesOfController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("owner", nil))
		client := configMapResource.Client(n.client, "shop")
		var seen []string
		c, err := controller.New("test", func(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
			if key.Name != "owner" {
				return result, nil
			}
			_, exists := n.informer.Store().Get(types.NamespacedName{Namespace: "shop", Name: "child"})
			switch len(seen) {
			case 0, 1:
				_, err = client.Create(ctx, newConfigMap("child", nil), metav1.CreateOptions{})
			case 2:
				err = client.Delete(ctx, "child", metav1.DeleteOptions{})
			}
			seen = append(seen, map[bool]string{true: "child", false: "none"}[exists])
			result.After = time.Second
			return result, err
		}, controller.Options{}, controller.KeysOf(n.informer))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(4 * late)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		// The second create fails, since it exists: what is noted is the first.
		if len(seen) < 4 || !slices.Equal(seen[:4], []string{"none", "child", "child", "none"}) {
			t.Errorf("saw %q", seen)
		}
	})
}

// A controller with a fence reconciles nothing before its informers have what the server had at its
// start, also if the server could not be reached then.
func TestFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("a", nil))
		// What the former leader has written since is on its way.
		if _, err := n.api.Update(newConfigMap("a", labels.Set{"written": "true"})); err != nil {
			t.Fatal(err)
		}
		n.api.Fail(cachetest.Fault{Verb: cachetest.List, Err: cachetest.ErrConnectionRefused})
		c, err := controller.New("test", func(_ context.Context, key types.NamespacedName) (result controller.Result, err error) {
			if a, _ := n.informer.Store().Get(key); a.Labels["written"] != "true" {
				t.Errorf("reconciled %v, as the former leader had not left it", a)
			}
			return result, nil
		}, controller.Options{Fence: true}, controller.KeysOf(n.informer))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(late - time.Second)
		if s := c.Status(); s.Synced || s.Fence != 0 {
			t.Errorf("before the event: %+v", s)
		}
		time.Sleep(2 * time.Second)
		if s := c.Status(); !s.Synced || s.Fence != late || s.Succeeded == 0 {
			t.Errorf("after the event: %+v", s)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// never is an informer whose store hears of no write before it is closed.
type never chan struct{}

func (n never) wait(ctx context.Context) error {
	select {
	case <-n:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (n never) WaitForWrite(ctx context.Context, _ metav1.Object) error    { return n.wait(ctx) }
func (n never) WaitForDeletion(ctx context.Context, _ metav1.Object) error { return n.wait(ctx) }

// A write that does not arrive holds its key for a minute. The status has the key until the write does
// arrive, or the controller ends.
func TestOverdueWrites(t *testing.T) {
	for name, arrives := range map[string]bool{"it arrives": true, "it never arrives": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := note(t, nil, newConfigMap("a", nil))
				deaf := make(never)
				var calls atomic.Int64
				began := time.Now()
				c, err := controller.New("test", func(_ context.Context, key types.NamespacedName) (result controller.Result, err error) {
					if calls.Add(1) <= 2 {
						result.Wrote(deaf, newConfigMap(key.Name, nil))
					}
					result.After = time.Second
					return result, nil
				}, controller.Options{}, controller.KeysOf(n.informer))
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- c.Run(ctx) }()
				check := func(after time.Duration, reconciles, awaiting, overdue int) {
					t.Helper()
					time.Sleep(time.Until(began.Add(after)))
					s, reconciled := c.Status(), int(calls.Load())
					if reconciled != reconciles || s.AwaitingWrites != awaiting || int(s.Overdue) != reconciles-1 && reconciles < 3 {
						t.Errorf("after %v: reconciled %d times, want %d; %+v", after, reconciled, reconciles, s)
					}
					if len(s.OverdueWrites) != overdue || overdue > 0 && !s.OverdueWrites[0].Time.Equal(began) {
						t.Errorf("after %v: overdue: %v, want %d since %v", after, s.OverdueWrites, overdue, began)
					}
				}
				check(59*time.Second, 1, 1, 0)
				check(61*time.Second, 2, 1, 1)
				check(119*time.Second, 2, 1, 1)
				time.Sleep(time.Until(began.Add(3 * time.Minute)))
				if s := c.Status(); s.Overdue != 2 || len(s.OverdueWrites) != 1 || calls.Load() < 50 {
					t.Errorf("after three minutes: reconciled %d times; %+v", calls.Load(), s)
				}
				if arrives {
					close(deaf)
					synctest.Wait()
					if s := c.Status(); len(s.OverdueWrites) != 0 {
						t.Errorf("after the arrival: %+v", s)
					}
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if s := c.Status(); len(s.OverdueWrites) != 0 || s.AwaitingWrites != 0 {
					t.Errorf("after the end: %+v", s)
				}
			})
		})
	}
}

// A restore of etcd ends the wait for a write of the history before, also if the key waits for another write, too.
func TestOverdueWriteOfHistoryBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("a", nil))
		backup := n.api.ResourceVersion()
		for i := range 10 {
			if _, err := n.api.Create(newConfigMap(fmt.Sprint("other", i), nil)); err != nil {
				t.Fatal(err)
			}
		}
		deaf := make(never)
		wrote := false
		c, err := controller.New("test", func(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
			if key.Name != "a" || wrote {
				return result, nil
			}
			wrote = true
			result.Wrote(deaf, newConfigMap("a", nil))
			_, err = configMapResource.Client(n.client, "shop").Update(ctx, newConfigMap("a", labels.Set{"changed": "true"}), metav1.UpdateOptions{})
			return result, err
		}, controller.Options{}, controller.KeysOf(n.informer))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(time.Second)
		if err := n.api.Restore(backup); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Minute)
		if s := c.Status(); len(s.OverdueWrites) != 1 {
			t.Errorf("before the arrival: %+v", s)
		}
		close(deaf)
		time.Sleep(time.Minute)
		if s := c.Status(); len(s.OverdueWrites) != 0 {
			t.Errorf("after the arrival: %v", s.OverdueWrites)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A write of the history before holds its key no longer once the informer knows of a restore of etcd.
func TestWriteOfHistoryBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("a", nil))
		key := types.NamespacedName{Namespace: "shop", Name: "key"}
		backup := n.api.ResourceVersion()
		for i := range 10 {
			if _, err := configMapResource.Client(n.client, "shop").Create(n.writes.Context(t.Context(), key), newConfigMap(fmt.Sprint(i), nil), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(3 * late)
		if _, err := configMapResource.Client(n.client, "shop").Update(n.writes.Context(t.Context(), key), newConfigMap("a", labels.Set{"changed": "true"}), metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		n.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
		if err := n.api.Restore(backup); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * late)
		if got, want := versions(n.informer.Store().List()), versions(n.api.Objects()); !slices.Equal(got, want) {
			t.Fatalf("the store has %v, want %v", got, want)
		}
		if !n.writes.Ready(key) {
			t.Error("not ready after the restore")
		}
	})
}
