package factory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	. "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// All informers of a factory follow a shard, also those over a clientset, but for those that have a
// function of their own.
func TestShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		first, second := shard.Ranges{}, shard.Ranges{}
		for i := range 10 {
			p := pod("a", fmt.Sprint(i), nil)
			p.UID = types.UID(fmt.Sprintf("%d-4f6bd1b9", i))
			if err := client.Tracker().Add(p); err != nil {
				t.Fatal(err)
			}
			hash := shard.Hash(string(p.UID))
			if one := (shard.Ranges{{First: hash, Last: hash}}); i < 4 {
				first = first.Union(one)
			} else {
				second = second.Union(one)
			}
		}
		mine := shard.New(shard.UID, first)
		f := podFactory{client, New(0,
			WithWrapSource(mine.Objects),
			WithListWatch(core.ListWatch{PageSize: 3}),
			ForType(TypeOptions[*v1.Pod]{Name: "all", WrapSource: func(all core.Objects) core.Objects { return all }}),
		)}
		some, all := f.pods(), f.named("all").pods()
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if got := keys(some); !slices.Equal(got, []string{"a/0", "a/1", "a/2", "a/3"}) {
			t.Errorf("first shard: %q", got)
		}
		if got := keys(all); len(got) != 10 {
			t.Errorf("all: %q", got)
		}
		mine.Set(second)
		synctest.Wait()
		if got := keys(some); !slices.Equal(got, []string{"a/4", "a/5", "a/6", "a/7", "a/8", "a/9"}) {
			t.Errorf("second shard: %q", got)
		}
		cancel()
		f.Shutdown()
	})
}

// A shard of several namespaces is the objects of each that are in the shard.
func TestShardOfNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		for _, namespace := range []string{"a", "b", "c"} {
			for i := range 4 {
				p := pod(namespace, fmt.Sprint(i), nil)
				p.UID = types.UID(fmt.Sprintf("%d-%s-4f6bd1b9", i, namespace))
				if err := client.Tracker().Add(p); err != nil {
					t.Fatal(err)
				}
			}
		}
		mine, namespaces := shard.New(shard.UID, nil), source.NewNamespaces("a", "b")
		f := podFactory{client, New(0,
			WithWrapSource(mine.Objects),
			ForType(TypeOptions[*v1.Pod]{Namespaces: namespaces}),
		)}
		pods := f.pods()
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		for step, change := range []func(){
			func() {},
			func() { mine.Set(must(t)(shard.Of(0, 2))) },
			func() { namespaces.Set("b", "c") },
			func() { mine.Set(must(t)(shard.Of(1, 2))) },
			func() { mine.Set(shard.All()) },
		} {
			change()
			synctest.Wait()
			want := []string{}
			for _, namespace := range namespaces.Names() {
				for i := range 4 {
					name := fmt.Sprint(i)
					p, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
					if err != nil {
						t.Fatal(err)
					}
					if mine.Has(p) {
						want = append(want, namespace+"/"+name)
					}
				}
			}
			if got := keys(pods); !slices.Equal(got, want) {
				t.Errorf("step %d: got %q, want %q", step, got, want)
			}
		}
		cancel()
		f.Shutdown()
	})
}

// A shard of a set of names is an error that says so.
func TestShardOfNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := podFactory{fake.NewClientset(), New(0,
			WithWrapSource(shard.New(shard.UID, nil).Objects),
			ForType(TypeOptions[*v1.Pod]{References: references.NewSet()}),
		)}
		f.pods()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err == nil || !strings.Contains(err.Error(), "divide the names instead") {
			t.Errorf("got %v", err)
		}
		cancel()
		f.Shutdown()
	})
}

func must(t *testing.T) func(shard.Ranges, error) shard.Ranges {
	return func(ranges shard.Ranges, err error) shard.Ranges {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return ranges
	}
}
