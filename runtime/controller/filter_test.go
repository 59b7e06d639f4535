package controller

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// handled records the calls of a handler, those for updates with the step that has led to them
// and the cause.
type handled struct {
	why  cause.Cause
	made []string
}

func (c *handled) OnAdd(obj *thing, _ bool) { c.made = append(c.made, "add "+obj.Name) }
func (c *handled) OnUpdate(_, obj *thing) {
	c.made = append(c.made, "update "+obj.Annotations["step"]+": "+c.why.Kind.String())
}
func (c *handled) OnDelete(last *thing, _ bool) { c.made = append(c.made, "delete "+last.Name) }

func TestMatters(t *testing.T) {
	a, b, other := &thing{}, &thing{}, &thing{}
	other.UID = "another"
	yes := func(_, _ *thing) bool { return true }
	no := func(_, _ *thing) bool { return false }
	for _, c := range []struct {
		name     string
		old, obj *thing
		matters  []func(old, obj *thing) bool
		want     bool
	}{
		{name: "no functions", old: a, obj: b, want: true},
		{name: "it matters", old: a, obj: b, matters: []func(_, _ *thing) bool{yes}, want: true},
		{name: "it does not", old: a, obj: b, matters: []func(_, _ *thing) bool{no, no}},
		{name: "one of two says so", old: a, obj: b, matters: []func(_, _ *thing) bool{no, yes}, want: true},
		{name: "a resync", old: a, obj: a, matters: []func(_, _ *thing) bool{no}, want: true},
		{name: "another object of the name", old: a, obj: other, matters: []func(_, _ *thing) bool{no}, want: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := updateMatters(c.old, c.obj, c.matters...); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// Updates for which no predicate is true are left out, and nothing else is.
func TestFilterUpdates(t *testing.T) {
	labels := []func(old, obj *thing) bool{LabelsChanged[*thing]}
	never := []func(old, obj *thing) bool{func(_, _ *thing) bool { return false }}
	for _, test := range []struct {
		name    string
		matters []func(old, obj *thing) bool
		want    []string
	}{
		{"no predicate", nil, []string{"update note: watch", "update label: watch", "update recreate: list", "update recreate: resync"}},
		{"never", never, []string{"update recreate: list", "update recreate: resync"}},
		{"labels", labels, []string{"update label: watch", "update recreate: list", "update recreate: resync"}},
		{"one of two", append(never, labels...), []string{"update label: watch", "update recreate: list", "update recreate: resync"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(step("create", nil))
				informer := cache.New(api.Source(), cache.Options[*thing]{})
				seen := &handled{}
				_, err := informer.AddHandler(FilterUpdates(seen, test.matters...), cache.HandlerOptions{Cause: &seen.why, Resync: 90 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- informer.Run(ctx) }()
				synctest.Wait()
				change(t, api)
				stop()
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(slices.Concat([]string{"add a"}, test.want, []string{"delete a"}), seen.made); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// change annotates an object, labels it, replaces it unseen by another one, and deletes that
// after a resync.
func change(t *testing.T, api *cachetest.API[*thing]) {
	check := func(_ *thing, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key := types.NamespacedName{Namespace: "ns", Name: "a"}
	check(api.Update(step("note", nil)))
	check(api.Update(step("label", map[string]string{"app": "shop"})))
	synctest.Wait()
	api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused})
	api.BreakWatches(cachetest.ErrConnectionReset)
	synctest.Wait()
	check(api.Delete(key))
	check(api.Create(step("recreate", map[string]string{"app": "shop"})))
	api.Compact()
	time.Sleep(2 * time.Minute)
	check(api.Delete(key))
	synctest.Wait()
}

func step(name string, labels map[string]string) *thing {
	return &thing{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: "a", Labels: labels, Annotations: map[string]string{"step": name},
	}}
}
