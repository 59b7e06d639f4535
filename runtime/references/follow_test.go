package references_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/references"
)

type pod = *corev1.Pod

// newPod returns a pod with volumes of config maps.
func newPod(name string, configMaps ...string) pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
	for _, configMap := range configMaps {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap},
		}}})
	}
	return p
}

var byConfigMap = cache.Index[pod]{Name: "byConfigMap", Values: func(p pod) (values []string, _ error) {
	for _, volume := range p.Spec.Volumes {
		if volume.ConfigMap.Name == "panic" {
			panic("of the function")
		}
		values = append(values, volume.ConfigMap.Name)
	}
	return values, nil
}}

func sorted(set *references.Set) string {
	var all []string
	for _, name := range set.Names() {
		all = append(all, name.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// What objects refer to is in the set from the first reference to the last.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newPod("a", "one", "two", ""), newPod("b", "two", "two"))
		pods := cache.New(api.Source(), cache.Options[pod]{})
		set := references.NewSet(names("mine")...)
		if _, err := references.Follow(set, pods, references.By(byConfigMap)); err != nil {
			t.Fatal(err)
		}
		(&following{T: t}).run(pods.Run)
		for _, step := range []struct {
			change func() error
			want   string
		}{
			{func() error { return nil }, "mine one two"},
			{func() error { _, err := api.Update(newPod("a", "three")); return err }, "mine three two"},
			{func() error { _, err := api.Update(newPod("a", "panic")); return err }, "mine three two"},
			{func() error { _, err := api.Delete(names("b")[0]); return err }, "mine three"},
			{func() error { _, err := api.Create(newPod("c", "three")); return err }, "mine three"},
			{func() error { _, err := api.Delete(names("a")[0]); return err }, "mine three"},
			{func() error { set.Remove(names("mine", "never")...); return nil }, "three"},
			{func() error { _, err := api.Delete(names("c")[0]); return err }, ""},
		} {
			if err := step.change(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if got := sorted(set); got != step.want {
				t.Errorf("set of %q, want %q", got, step.want)
			}
		}
	})
}

// reconciled are the keys that a controller has reconciled.
type reconciled struct {
	mu   sync.Mutex
	keys map[string]int
}

func (r *reconciled) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for key := range r.keys {
		all = append(all, key)
	}
	slices.Sort(all)
	r.keys = nil
	return strings.Join(all, " ")
}

// A change of an object enqueues those that refer to it, and each reconcile knows the state of what
// its object refers to, also that there is none.
func TestReferrers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, references.NewSet(), references.Options{}, newConfigMap("shop", "one", "1"), newConfigMap("shop", "other", "1"))
		podAPI := cachetest.NewAPI(newPod("a", "one", "absent"), newPod("b", "one"), newPod("c"))
		pods := cache.New(podAPI.Source(), cache.Options[pod]{})
		refs := references.By(byConfigMap)
		if _, err := references.Follow(f.set, pods, refs); err != nil {
			t.Fatal(err)
		}
		var seen reconciled
		reconcile := func(ctx context.Context, key types.NamespacedName) (controller.Result, error) {
			object, exists := pods.Store().Get(key)
			if !exists {
				return controller.Result{}, nil
			}
			if err := f.informer.WaitForNames(ctx, refs(object)...); err != nil {
				return controller.Result{}, err
			}
			line := key.Name
			for _, name := range refs(object) {
				switch configMap, exists, err := f.informer.Get(ctx, name); {
				case err != nil:
					return controller.Result{}, err
				case exists:
					line += "+" + configMap.Data["value"]
				default:
					line += "-"
				}
			}
			seen.mu.Lock()
			defer seen.mu.Unlock()
			if seen.keys == nil {
				seen.keys = map[string]int{}
			}
			seen.keys[line]++
			return controller.Result{}, nil
		}
		c, err := controller.New("pods", reconcile, controller.Options{}, controller.KeysOf(pods), controller.ReferrersOf(f.informer, pods, refs))
		if err != nil {
			t.Fatal(err)
		}
		f.run(pods.Run)
		f.run(c.Run)
		for _, step := range []struct {
			change func() error
			want   string
		}{
			{func() error { return nil }, "a+1- b+1 c"},
			{func() error { _, err := f.api.Update(newConfigMap("shop", "one", "2")); return err }, "a+2- b+2"},
			{func() error { _, err := f.api.Update(newConfigMap("shop", "other", "2")); return err }, ""},
			{func() error { _, err := f.api.Create(newConfigMap("shop", "absent", "3")); return err }, "a+2+3"},
			{func() error { _, err := f.api.Delete(names("one")[0]); return err }, "a-+3 b-"},
			{func() error { _, err := podAPI.Update(newPod("c", "other")); return err }, "c+2"},
		} {
			if err := step.change(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			if got := seen.take(); got != step.want {
				t.Errorf("reconciled %q, want %q", got, step.want)
			}
		}
	})
}

func TestReferrersOfNothing(t *testing.T) {
	_, err := controller.New("pods", func(context.Context, types.NamespacedName) (controller.Result, error) {
		return controller.Result{}, nil
	}, controller.Options{},
		controller.ReferrersOf[configMap, pod](nil, nil, nil))
	if err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("got %v", err)
	}
}

// A set on demand has what was asked for, and of that the latest.
func TestOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, references.NewSetOnDemand(3), references.Options{}, newConfigMap("shop", "a", "1"), newConfigMap("shop", "b", "1"), newConfigMap("shop", "c", "1"))
		adapter := clientgocache.Untyped(f.informer, clientgocache.AdapterOptions{})
		lister := listers.NewNamespaced(listers.New[configMap](adapter.GetIndexer(), configMaps.GroupResource()), "shop")
		ask := func(name, want string) {
			t.Helper()
			got, err := lister.Get(name)
			switch {
			case want == "" && !apierrors.IsNotFound(err), want != "" && (err != nil || got.Data["value"] != want):
				t.Errorf("%s: got %v, %v; want %q", name, got, err, want)
			}
		}
		ask("a", "1")
		ask("absent", "")
		ask("b", "1")
		if _, err := f.api.Update(newConfigMap("shop", "a", "2")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		ask("a", "2")
		if _, _, err := adapter.GetIndexer().GetByKey("shop/a"); err != nil { // which counts
			t.Error(err)
		}
		ask("c", "1")
		if got := sorted(f.set); got != "a b c" {
			t.Errorf("asked for lately: %q", got)
		}
		f.set.Add(names("a")...)
		ask("d", "")
		ask("e", "")
		ask("f", "")
		if got := sorted(f.set); got != "a d e f" {
			t.Errorf("one was added: %q", got)
		}
		began := time.Now()
		if _, _, err := f.informer.Get(t.Context(), names("")[0]); !errors.Is(err, failure.ErrUnknown) || time.Since(began) > 0 {
			t.Errorf("no name: %v after %v", err, time.Since(began))
		}
		f.set.Remove(names("a")...)
		if got := sorted(f.set); got != "d e f" {
			t.Errorf("it was removed: %q", got)
		}
		synctest.Wait()
		f.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused})
		began = time.Now()
		if _, err := lister.Get("c"); !errors.Is(err, failure.ErrUnknown) || time.Since(began) > 10*time.Minute {
			t.Errorf("a server that is down: %v after %v", err, time.Since(began))
		}
	})
}

// A name that the server refuses is said, and the others go on; a name without characters is an
// error of the informer.
func TestBadNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, references.NewSet(names("a", "secret")...), references.Options{}, newConfigMap("shop", "a", "1"))
		f.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(403), If: func(r cachetest.Request) bool { return strings.Contains(r.Options.FieldSelector, "secret") }})
		if err := f.informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.has()
		if err := f.informer.WaitForNames(t.Context(), names("secret")...); !apierrors.IsForbidden(err) {
			t.Errorf("got %v", err)
		}
		if n := f.informer.Status().Names; n.Failing != 1 || !strings.Contains(n.Reasons["shop/secret"], "scripted fault; RBAC must grant list and watch on configmaps") {
			t.Errorf("status: %+v", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, references.NewSet(), references.Options{})
		if _, err := f.api.Create(newConfigMap("shop", "a", "1")); err != nil {
			t.Fatal(err)
		}
		f.set.Add(types.NamespacedName{Name: "a"})
		time.Sleep(time.Second)
		if s := f.informer.Status(); s.LeftOut != 1 || !strings.Contains(s.LastObjectError.Error(), `not of the namespace ""`) {
			t.Errorf("a name without its namespace: %v, %v", s.LeftOut, s.LastObjectError)
		}
		began := time.Now()
		if err := f.informer.WaitForNames(t.Context(), names("never")...); !errors.Is(err, failure.ErrUnknown) || time.Since(began) != time.Minute {
			t.Errorf("a name that is never in the set: %v after %v", err, time.Since(began))
		}
	})
	api := cachetest.NewAPI[configMap]()
	objects := references.Objects(references.NewSet(names("")...), func(string) cache.Objects { return api }, nil, references.Options{})
	informer := cache.New(cache.Source[configMap]{Objects: objects}, cache.Options[configMap]{})
	if err := informer.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `name ""`) {
		t.Errorf("an empty name: got %v", err)
	}
}

// An object whose name leaves the set is released, for it may well exist, and comes back as new.
func TestRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, references.NewSet(names("a", "b")...), references.Options{}, newConfigMap("shop", "a", "1"), newConfigMap("shop", "b", "1"))
		var calls []string
		var why cause.Cause
		record := func(call string) func(configMap) {
			return func(c configMap) { calls = append(calls, call+" "+c.Name+" "+why.Kind.String()) }
		}
		_, err := f.informer.AddHandler(cache.HandlerFuncs[configMap]{
			Add:     func(c configMap, _ bool) { record("add")(c) },
			Delete:  func(c configMap, _ bool) { record("delete")(c) },
			Release: record("release"),
		}, cache.HandlerOptions{Cause: &why})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		calls = nil
		f.set.Remove(names("a")...)
		time.Sleep(time.Second)
		f.set.Add(names("a")...)
		time.Sleep(time.Second)
		synctest.Wait() // the race detector knows nothing of the order that a sleep gives
		if got := strings.Join(calls, ", "); got != "release a released, add a list" {
			t.Errorf("calls: %s", got)
		}
	})
}

// A name whose object is left out is known, and its object is not absent.
func TestNameIsLeftOut(t *testing.T) {
	for kind, newSet := range map[string]func() *references.Set{
		"fixed":     func() *references.Set { return references.NewSet(names("bad", "absent")...) },
		"on demand": func() *references.Set { return references.NewSetOnDemand(3) },
	} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				set := newSet()
				f := follow(t, set, references.Options{}, newConfigMap("shop", "bad", "1"))
				informer := cache.New(references.Source[configMap](f.client, configMaps, set, references.Options{}), cache.Options[configMap]{
					Transform: func(configMap) (configMap, error) { return nil, errors.New("no good") },
				})
				f.run(informer.Run)
				time.Sleep(time.Minute)
				if _, exists, err := informer.Get(t.Context(), names("bad")[0]); exists || !errors.Is(err, failure.ErrLeftOut) || errors.Is(err, failure.ErrUnknown) {
					t.Errorf("left out: got %v, %v", exists, err)
				}
				if _, exists, err := informer.Get(t.Context(), names("absent")[0]); exists || err != nil {
					t.Errorf("absent: got %v, %v", exists, err)
				}
				time.Sleep(time.Second) // what was read is followed
				if n := informer.Status().Names; n.Known != 2 || n.Absent != 1 {
					t.Errorf("status: %+v", n)
				}
			})
		})
	}
}
