package cachetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// state is a plain model of what a client knows: name to resourceVersion.
type state map[string]string

// TestHistoryReplays compares with a plain map, for random writes. The exact list at every resourceVersion
// has the objects of that version. That list and the watch from it give the latest state, with and without
// a selector.
func TestHistoryReplays(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			api := NewAPI[*testv1.Carp]()
			all := []state{nil, {}} // by resourceVersion
			chosen := []state{nil, {}}
			for len(all) < 60 {
				name := fmt.Sprint(random.IntN(6))
				obj := carp("a/"+name, fmt.Sprint("app=", random.IntN(2)))
				_, err := api.Get(key("a/" + name))
				switch {
				case err != nil:
					obj, err = api.Create(obj)
				case random.IntN(3) == 0:
					obj, err = api.Delete(key("a/" + name))
					obj.Name = ""
				default:
					obj, err = api.Update(on(fmt.Sprint(len(all)), obj))
				}
				if err != nil {
					t.Fatal(err)
				}
				nextAll, nextChosen := maps.Clone(all[len(all)-1]), maps.Clone(chosen[len(all)-1])
				delete(nextAll, name)
				delete(nextChosen, name)
				if obj.Name != "" {
					nextAll[name] = obj.ResourceVersion
					if obj.Labels["app"] == "1" {
						nextChosen[name] = obj.ResourceVersion
					}
				}
				all, chosen = append(all, nextAll), append(chosen, nextChosen)
				if random.IntN(5) == 0 {
					api.Bookmark()
				}
			}
			oldest := 1 + random.IntN(10)
			api.history.compact(uint64(oldest))
			for rv := oldest; rv < len(all); rv++ {
				replay(t, api, rv, "", all)
				replay(t, api, rv, "app=1", chosen)
			}
		})
	}
}

func replay(t *testing.T, api *API[*testv1.Carp], rv int, selector string, states []state) {
	t.Helper()
	view := state{}
	_, err := api.List(t.Context(), metav1.ListOptions{
		LabelSelector:        selector,
		ResourceVersion:      fmt.Sprint(rv),
		ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	}, func(item any, _ error) {
		obj, _ := item.(*testv1.Carp)
		view[obj.Name] = obj.ResourceVersion
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(states[rv], view); diff != "" {
		t.Fatalf("list at %d of %q:\n%s", rv, selector, diff)
	}
	w, err := api.Watch(t.Context(), metav1.ListOptions{LabelSelector: selector, ResourceVersion: fmt.Sprint(rv)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	// The watch ends after what was there before.
	api.CloseWatches()
	for {
		event, err := w.Next()
		if err != nil {
			break
		}
		_, known := view[event.Object.(*testv1.Carp).Name]
		if known == (event.Type == watch.Added) {
			t.Fatalf("watch from %d of %q: %s of an object that is known: %v", rv, selector, event.Type, known)
		}
		view[event.Object.(*testv1.Carp).Name] = event.Object.(*testv1.Carp).ResourceVersion
		if event.Type == watch.Deleted {
			delete(view, event.Object.(*testv1.Carp).Name)
		}
	}
	if diff := cmp.Diff(states[len(states)-1], view); diff != "" {
		t.Fatalf("watch from %d of %q:\n%s", rv, selector, diff)
	}
}
