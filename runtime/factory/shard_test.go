package factory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	. "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// All informers of a factory follow its shard, also those over a clientset, but for those
// that have one of their own.
func TestWithShard(t *testing.T) {
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
			WithShard(mine),
			WithListWatch(core.ListWatch{PageSize: 3}),
			ForType(TypeOptions[*v1.Pod]{Name: "all", Shard: shard.New(shard.UID, shard.All())}),
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
		for _, status := range f.Status() {
			if status.Shard == "" {
				t.Errorf("%s: no shard", status.Name)
			}
		}
		cancel()
		f.Shutdown()
	})
}

// A shard of several namespaces is an error that says so.
func TestShardOfNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := podFactory{fake.NewClientset(), New(0,
			WithShard(shard.New(shard.UID, nil)),
			ForType(TypeOptions[*v1.Pod]{Namespaces: source.NewNamespaces("a")}),
		)}
		f.pods()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); !errors.Is(err, shard.ErrInvalid) {
			t.Errorf("got %v", err)
		}
		cancel()
		f.Shutdown()
	})
}
