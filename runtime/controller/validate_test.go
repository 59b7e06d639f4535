package controller

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// waiter is in sync.
type waiter struct{}

func (waiter) WaitForSync(context.Context) error { return nil }

func TestWrongArguments(t *testing.T) {
	w := newWorld[*corev1.ConfigMap]()
	var seen calls
	var none *cache.Informer[*corev1.ConfigMap]
	keysOf := func(*corev1.ConfigMap) []types.NamespacedName { return nil }
	for _, c := range []struct {
		name      string
		nameless  bool
		reconcile Reconcile
		options   Options
		sources   []Source
		want      string
	}{
		{name: "no name", nameless: true, want: `controller "": name is empty; logs and metrics need one`},
		{name: "no function", reconcile: nil, want: "function that reconciles is nil"},
		{name: "negative workers", options: Options{Workers: -1}, want: "Options.Workers is -1; use zero for one worker"},
		{name: "no sources", sources: []Source{}, want: "no sources; add one such as KeysOf(informer)"},
		{name: "empty source", sources: []Source{{}}, want: "source 1 is empty; make one by KeysOf, OwnersOf or MappedKeysOf"},
		{name: "nil informer", sources: []Source{KeysOf(w.informer), KeysOf(none)}, want: "source 2: informer is nil, as factory.Core returns for one that is not of this module"},
		{name: "nil mapping", sources: []Source{MappedKeysOf(w.informer, nil)}, want: "source 1: function that maps to keys is nil"},
		{name: "nil predicate", sources: []Source{KeysOf(w.informer, nil)}, want: "source 1: function 1 that says which updates matter is nil"},
		{name: "no owner", sources: []Source{OwnersOf(w.informer, schema.GroupKind{})}, want: "source 1: owner has no kind"},
		{name: "twice", sources: []Source{KeysOf(w.informer), KeysOf(w.informer)}, want: `sources 1 and 2 are both objects of informer "*v1.ConfigMap"`},
		{name: "nil WaitFor", options: Options{WaitFor: []SyncWaiter{w.informer, none}}, want: "Options.WaitFor[1] is nil"},
		{name: "fence without informers", options: Options{Fence: true, WaitFor: []SyncWaiter{w.informer, waiter{}}}, want: "Options.WaitFor[1] is a controller.waiter, whose latest state Options.Fence cannot wait for"},
		{name: "not the same", sources: []Source{KeysOf(w.informer), OwnersOf(w.informer, orderKind), MappedKeysOf(w.informer, keysOf), MappedKeysOf(w.informer, keysOf)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, reconcile := "test", c.reconcile
			if c.nameless {
				name = ""
			}
			if c.name != "no function" {
				reconcile = seen.reconcile
			}
			if c.sources == nil {
				c.sources = []Source{KeysOf(w.informer)}
			}
			_, err := New(name, reconcile, c.options, c.sources...)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := New("", nil, Options{Workers: -1}); strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("not every problem is reported: %v", err)
	}
}
