package cache_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// podWithQuantity returns an object that must not be compared, since its readers may write to it.
func podWithQuantity(name string) *v1.Pod {
	size := resource.MustParse("1Gi")
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name},
		Spec:       v1.PodSpec{Volumes: []v1.Volume{{VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{SizeLimit: &size}}}}},
	}
}

// A bookmark shows that later changes have later versions, so that a relist knows an unchanged object
// by its version: also the only one, and one whose content can't be compared.
func TestRelistOfOneObject(t *testing.T) {
	for _, test := range []struct {
		name     string
		lists    bool
		bookmark bool
		// late is set if the object is created after the first list.
		late bool
		want []string
	}{
		{name: "watch-list", want: []string{"add a"}},
		{name: "watch-list, created later", late: true, want: []string{"add a"}},
		{name: "list, and a bookmark", lists: true, bookmark: true, want: []string{"add a"}},
		{name: "list, a bookmark, created later", lists: true, bookmark: true, late: true, want: []string{"add a"}},
		{name: "list without a bookmark", lists: true, want: []string{"add a", "update a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI[*v1.Pod]()
				create := func() { must[*v1.Pod](t)(api.Create(podWithQuantity("a"))) }
				if !test.late {
					create()
				}
				informer := cache.New(api.Source(), cache.Options[*v1.Pod]{DisableWatchList: test.lists})
				recorder := &cachetest.Recorder[*v1.Pod]{}
				must[*cache.Registration](t)(informer.AddHandler(recorder, cache.HandlerOptions{}))
				ctx, stop := context.WithCancel(t.Context())
				running := make(chan error)
				go func() { running <- informer.Run(ctx) }()
				defer func() { stop(); <-running }()
				settle()
				if test.late {
					create()
				}
				if test.bookmark {
					api.Bookmark()
				}
				settle()
				api.BreakWatches(cachetest.Status(410))
				time.Sleep(time.Minute)
				var events []string
				for _, e := range recorder.Events() {
					events = append(events, string(e.Type)+" "+e.Key.Name)
				}
				expect(t, "events", test.want, events)
				if s := informer.Status(); s.Relists != 1 {
					t.Errorf("%d relists", s.Relists)
				}
			})
		})
	}
}

// kinded is a source whose lists have objects with their kind, and whose watches have them without: so do
// client-go's typed clients of custom resources.
type kinded struct{ cache.Objects }

func (k kinded) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return k.Objects.List(ctx, options, func(obj any, err error) {
		if obj, ok := obj.(*thing); ok {
			obj.TypeMeta = metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Thing"}
		}
		each(obj, err)
	})
}

// An object is the same whether it was listed or watched.
func TestRelistOfWatchedObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		r := start(t, cache.New(unordered(sourceOf(kinded{api.Source()})), cache.Options[*thing]{DisableWatchList: true}))
		recorder, _ := r.handle(cache.HandlerOptions{})
		settle()
		touch(t, api, "a")
		settle()
		for range 2 {
			api.BreakWatches(cachetest.Status(410))
			time.Sleep(time.Minute)
		}
		touch(t, api, "b")
		settle()
		expect(t, "events", []string{"add a 2 initial", "add b 3 initial", "update a 2 4", "update b 3 5"}, lines(recorder.Events()))
		if s := r.Status(); s.Relists != 2 {
			t.Errorf("%d relists", s.Relists)
		}
	})
}
