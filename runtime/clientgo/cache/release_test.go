package cache_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// calls are the calls of a handler.
type calls []string

func (c *calls) OnAdd(obj any, _ bool) { *c = append(*c, "add "+obj.(*v1.Pod).Name) }

func (c *calls) OnUpdate(_, obj any) { *c = append(*c, "update "+obj.(*v1.Pod).Name) }

func (c *calls) OnDelete(last any) { *c = append(*c, fmt.Sprintf("delete %T", last)) }

// releases are the calls of a handler with OnRelease.
type releases struct{ calls }

func (r *releases) OnRelease(last any) { r.calls = append(r.calls, "release "+last.(*v1.Pod).Name) }

// typedReleases are the calls of a typed handler with OnRelease.
type typedReleases struct{ calls }

func (r *typedReleases) OnAdd(pod *v1.Pod, initial bool) { r.calls.OnAdd(pod, initial) }

func (r *typedReleases) OnUpdate(old, pod *v1.Pod) { r.calls.OnUpdate(old, pod) }

func (r *typedReleases) OnDelete(gone cache.DeletedObject[*v1.Pod]) { r.calls.OnDelete(gone) }

func (r *typedReleases) OnRelease(last any) {
	r.calls = append(r.calls, "release "+last.(*v1.Pod).Name)
}

// What each kind of handler is called for when its informer loses an object to another shard,
// and gets it back.
func TestRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "1"}})
		mine := shard.New(shard.UID, shard.All())
		informer := cache.Typed(core.New(shard.Source(api.Source(), mine), core.Options[*v1.Pod]{}), cache.AdapterOptions{})
		var plain, wrapped calls
		var releasing releases
		var typed typedReleases
		for _, handler := range []cache.ResourceEventHandler{&plain, cache.DeleteOnRelease(&wrapped), &releasing} {
			if _, err := informer.AddEventHandler(handler); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := informer.AddTypedEventHandler(&typed); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			informer.RunWithContext(ctx)
		}()
		synctest.Wait()
		mine.Set(nil)
		synctest.Wait()
		mine.Set(shard.All())
		synctest.Wait()
		stop()
		<-ended
		for _, test := range []struct {
			handler   string
			got, want []string
		}{
			{"without OnRelease", plain, []string{"add a", "add a"}},
			{"of DeleteOnRelease", wrapped, []string{"add a", "delete cache.Released", "add a"}},
			{"with OnRelease", releasing.calls, []string{"add a", "release a", "add a"}},
			{"typed, with OnRelease", typed.calls, []string{"add a", "release a", "add a"}},
		} {
			if !slices.Equal(test.got, test.want) {
				t.Errorf("handler %s: called for %v, want %v", test.handler, test.got, test.want)
			}
		}
	})
}
