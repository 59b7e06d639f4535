package cachetest

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

func TestListerWatcherLists(t *testing.T) {
	api := NewAPI(carp("a/one"), carp("b/two"), carp("b/three"))
	lw := NewListerWatcher(api.Source(), &testv1.CarpList{})
	obj, err := lw.List(metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	list := obj.(*testv1.CarpList)
	if len(list.Items) != 1 || list.Items[0].Name != "one" || list.ResourceVersion != "4" || list.Continue == "" || *list.RemainingItemCount != 2 {
		t.Errorf("got %+v", list)
	}
	b := NewListerWatcher(api.InNamespace("b"), &testv1.CarpList{})
	if obj, err = b.List(metav1.ListOptions{}); err != nil || meta.LenList(obj) != 2 {
		t.Errorf("got %v, %v", obj, err)
	}
	for name, fault := range map[string]Fault{
		"refused":     {Err: Status(http.StatusForbidden)},
		"undecodable": {After: 1, Err: &failure.ObjectError{Err: errors.New("bad")}},
	} {
		api.Fail(fault)
		if obj, err := lw.List(metav1.ListOptions{}); err == nil {
			t.Errorf("%s: got %v", name, obj)
		}
	}
}

func TestListerWatcherWatches(t *testing.T) {
	const initial = "ADDED one 2, BOOKMARK  2 end"
	for name, test := range map[string]struct {
		end  func(*API[*testv1.Carp])
		want string
	}{
		"closed":      {(*API[*testv1.Carp]).CloseWatches, initial},
		"broken":      {func(api *API[*testv1.Carp]) { api.BreakWatches(nil) }, initial},
		"reset":       {func(api *API[*testv1.Carp]) { api.BreakWatches(ErrConnectionReset) }, initial},
		"status":      {func(api *API[*testv1.Carp]) { api.BreakWatches(Status(http.StatusGone)) }, initial + ", ERROR Expired"},
		"undecodable": {func(api *API[*testv1.Carp]) { api.BreakWatches(errors.New("bad")) }, initial + ", ERROR InternalError"},
		"bookmark":    {func(api *API[*testv1.Carp]) { api.Bookmark(); api.CloseWatches() }, initial + ", BOOKMARK  2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := NewAPI(carp("a/one"))
				w, err := NewListerWatcher(api.Source(), &testv1.CarpList{}).Watch(watchList(""))
				if err != nil {
					t.Fatal(err)
				}
				test.end(api)
				var got string
				for event := range w.ResultChan() {
					got += ", " + describeEvent(event)
				}
				if diff := cmp.Diff(", "+test.want, got); diff != "" {
					t.Error(diff)
				}
				w.Stop()
			})
		})
	}
}

func describeEvent(event watch.Event) string {
	if status, ok := event.Object.(*metav1.Status); ok {
		return fmt.Sprintf("%s %s", event.Type, status.Reason)
	}
	m, _ := meta.Accessor(event.Object)
	line := fmt.Sprintf("%s %s %s", event.Type, m.GetName(), m.GetResourceVersion())
	if m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
		line += " end"
	}
	return line
}

// A watch that is stopped while nobody reads it leaves nothing running: the
// bubble would say so.
func TestListerWatcherIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		w, err := NewListerWatcher(api.Source(), &testv1.CarpList{}).Watch(watchList(""))
		if err != nil {
			t.Fatal(err)
		}
		w.Stop()
		w.Stop()
		synctest.Wait()
		if got := api.Watches(); got != 0 {
			t.Errorf("%d watches are open", got)
		}
	})
}
