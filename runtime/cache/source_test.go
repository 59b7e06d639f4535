package cache_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// mixed is an API whose object "b" has another type.
type mixed struct{ *cachetest.API[*thing] }

func (m mixed) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return m.API.List(ctx, options, func(obj any, err error) { each(otherType(obj), err) })
}

func (m mixed) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	w, err := m.API.Watch(ctx, options)
	return mixedWatcher{w}, err
}

type mixedWatcher struct{ cache.Watcher }

func (w mixedWatcher) Next() (cache.WatchEvent, error) {
	event, err := w.Watcher.Next()
	event.Object = otherType(event.Object)
	return event, err
}

func otherType(obj any) any {
	if t, ok := obj.(*thing); ok && t.Name == "b" {
		u := &unstructured.Unstructured{}
		u.SetNamespace(t.Namespace)
		u.SetName(t.Name)
		u.SetResourceVersion(t.ResourceVersion)
		return u
	}
	return obj
}

// An object of another type than the informer's is left out, with an error that names both.
func TestObjectOfAnotherType(t *testing.T) {
	for _, lists := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			api := cachetest.NewAPI(newThing("a"), newThing("b"))
			informer := cache.New(sourceOf(mixed{api}), cache.Options[*thing]{DisableWatchList: lists})
			start(t, informer)
			settle()
			touch(t, api, "b")
			settle()
			expect(t, "store", []string{"a 2"}, names(informer.Store().List()))
			s := informer.Status()
			if reason := s.LeftOutObjects["ns/b"]; s.LeftOut != 1 || !strings.Contains(reason, "is a *unstructured.Unstructured, not a *v1.PartialObjectMetadata") {
				t.Errorf("left out: %v", s.LeftOutObjects)
			}
		})
	}
}

// An informer without a source says so.
func TestNoSource(t *testing.T) {
	informer := cache.New(cache.Source[*thing]{}, cache.Options[*thing]{Name: "things"})
	if err := informer.Run(t.Context()); err == nil || err.Error() != `informer "things": source: is nil` {
		t.Errorf("got %v", err)
	}
}
