package cache_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Confirm returns what the server has at the call, whatever the store has, and does not wait.
func TestConfirm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("gone"))
		r := late(t, api, cache.Options[*thing]{})
		confirm := func(name string, version string) {
			t.Helper()
			after(t, name, 0, func() error {
				obj, exists, err := r.Confirm(t.Context(), keyOf(name))
				if exists != (version != "") || exists && obj.ResourceVersion != version {
					t.Errorf("%s: got %v, %v; want version %q", name, obj, exists, version)
				}
				return err
			})
		}
		a, _ := r.Store().Get(keyOf("a"))
		confirm("a", a.ResourceVersion)
		confirm("never", "")
		changed := touch(t, api, "a")
		if _, err := api.Delete(keyOf("gone")); err != nil {
			t.Fatal(err)
		}
		confirm("a", changed.ResourceVersion)
		confirm("gone", "")
		api.Fail(cachetest.Fault{Verb: cachetest.List, Err: cachetest.ErrConnectionRefused})
		if _, exists, err := r.Confirm(t.Context(), keyOf("a")); exists || err == nil {
			t.Errorf("without the server: %v, %v", exists, err)
		}
	})
}

// What the store could not take exists all the same.
func TestConfirmLeftOut(t *testing.T) {
	refuse := errors.New("refused")
	for name, transform := range map[string]func(*thing) (*thing, error){
		"refused by the transform": func(*thing) (*thing, error) { return nil, refuse },
		"dropped by the transform": func(*thing) (*thing, error) { return nil, nil },
		"without a version": func(obj *thing) (*thing, error) {
			obj.ResourceVersion = ""
			return obj, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				r := run(t, api, cache.Options[*thing]{Transform: transform})
				if err := r.WaitForSync(t.Context()); err != nil {
					t.Fatal(err)
				}
				want := touch(t, api, "a")
				obj, exists, err := r.Confirm(t.Context(), keyOf("a"))
				if err != nil || !exists || obj.ResourceVersion != want.ResourceVersion {
					t.Errorf("got %v, %v, %v; want version %s", obj, exists, err, want.ResourceVersion)
				}
			})
		})
	}
}

// What can't be read is an error, and does not say that the object is gone.
func TestConfirmUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		r := run(t, api, cache.Options[*thing]{})
		if err := r.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		api.Fail(cachetest.Fault{Verb: cachetest.List, Err: cachetest.ErrGarbled, Times: -1})
		if _, exists, err := r.Confirm(t.Context(), keyOf("a")); exists || err == nil || !strings.Contains(err.Error(), `"ns/a"`) {
			t.Errorf("garbled: %v, %v", exists, err)
		}
	})
}

// firstPages is a server that ignores the name that it is asked for, and has more pages.
type firstPages struct{ cache.Objects }

func (firstPages) List(_ context.Context, _ metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	each(newThing("a"), nil)
	return metav1.ListMeta{ResourceVersion: "1", Continue: "more"}, nil
}

// A page without an object does not show that the object is on no other page.
func TestConfirmFirstPage(t *testing.T) {
	informer := cache.New(sourceOf(firstPages{cachetest.NewAPI[*thing]().Source().Objects}), cache.Options[*thing]{})
	if _, exists, err := informer.Confirm(t.Context(), keyOf("a")); !exists || err != nil {
		t.Errorf("on the page: %v, %v", exists, err)
	}
	if _, exists, err := informer.Confirm(t.Context(), keyOf("b")); exists || !errors.Is(err, failure.ErrUnknown) {
		t.Errorf("not on the page: %v, %v", exists, err)
	}
}
