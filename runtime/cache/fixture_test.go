package cache_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

type thing = metav1.PartialObjectMetadata

// sourceOf returns a source of things.
func sourceOf(objects cache.Objects) cache.Source[*thing] {
	return cache.Source[*thing]{Objects: objects}
}

func newThing(name string) *thing {
	t := &thing{}
	t.Namespace, t.Name = "ns", name
	return t
}

func keyOf(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "ns", Name: name}
}

// running is an informer at work in a synctest bubble.
type running struct {
	*cache.Informer[*thing]
	t    *testing.T
	stop func()
}

// run starts an informer over api, and stops it at the end of the test.
func run(t *testing.T, api *cachetest.API[*thing], options cache.Options[*thing]) running {
	t.Helper()
	informer := cache.New(api.Source(), options)
	return start(t, informer)
}

func start(t *testing.T, informer *cache.Informer[*thing]) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := informer.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	stop := sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return running{Informer: informer, t: t, stop: stop}
}

// handle adds a recorder.
func (r running) handle(options cache.HandlerOptions) (*cachetest.Recorder[*thing], *cache.Registration) {
	r.t.Helper()
	recorder := &cachetest.Recorder[*thing]{}
	registration, err := r.AddHandler(recorder, options)
	if err != nil {
		r.t.Fatal(err)
	}
	return recorder, registration
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// touch changes an object, which gives it a new resourceVersion.
func touch(t *testing.T, api *cachetest.API[*thing], name string) *thing {
	t.Helper()
	obj := must[*thing](t)(api.Get(keyOf(name)))
	obj.Annotations = map[string]string{"changed-after": obj.ResourceVersion}
	return must[*thing](t)(api.Update(obj))
}

// lines describes events: "add a 2 initial", "update a 2 3", "delete a 4".
func lines(events []cachetest.Event[*thing]) []string {
	var all []string
	for _, e := range events {
		line := fmt.Sprintf("%s %s", e.Type, e.Key.Name)
		if e.Type == cachetest.Update {
			line += " " + e.Old.ResourceVersion
		}
		line += " " + e.Object.ResourceVersion
		if e.Initial {
			line += " initial"
		}
		if e.FinalStateUnknown {
			line += " unseen"
		}
		all = append(all, line)
	}
	return all
}

func expect(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// requests describes what an API was asked: "list 0", "watch 3", "watchlist ".
func requests(api *cachetest.API[*thing]) []string {
	var all []string
	for _, r := range api.Requests() {
		all = append(all, fmt.Sprintf("%s %s", r.Verb, r.Options.ResourceVersion))
	}
	return all
}

func names(objects []*thing) []string {
	var all []string
	for _, obj := range objects {
		all = append(all, obj.Name+" "+obj.ResourceVersion)
	}
	slices.Sort(all)
	return all
}

// settle lets everything happen that does not need time to pass.
func settle() { synctest.Wait() }
