package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// countedWatch counts how often it is stopped, and keeps its channel open.
type countedWatch struct {
	events chan watch.Event
	stops  int
}

func (c *countedWatch) ResultChan() <-chan watch.Event { return c.events }
func (c *countedWatch) Stop()                          { c.stops++ }

// overEvents returns a source whose watch is inner.
func overEvents[T kruntime.Object](inner watch.Interface) cache.Source[T] {
	return FromClientset[T](nil,
		func(context.Context, metav1.ListOptions) (*corev1.PodList, error) { return &corev1.PodList{}, nil },
		func(context.Context, metav1.ListOptions) (watch.Interface, error) { return inner, nil })
}

func TestClientset(t *testing.T) {
	clientset := fake.NewClientset(podNamed("a"), podNamed("b"))
	src := FromClientset[*corev1.Pod](clientset, clientset.CoreV1().Pods("default").List, clientset.CoreV1().Pods("default").Watch)
	if !src.Describe().NoWatchList {
		t.Error("fake clientset: its word on watch-lists is not passed on")
	}
	got, failed, _, err := listAll(t, src, metav1.ListOptions{})
	if err != nil || failed != nil || len(got) != 2 {
		t.Fatalf("%v %v, %d items", err, failed, len(got))
	}
	w := openWatch(t, src)
	if _, err := clientset.CoreV1().Pods("default").Create(t.Context(), podNamed("c"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for {
		event, err := w.Next() // a fake clientset may begin with what exists
		if err != nil || event.Type != watch.Added {
			t.Fatalf("%s %v", event.Type, err)
		}
		if event.Object.(*corev1.Pod).Name == "c" {
			break
		}
	}
	w.Stop()
	w.Stop()
	if _, err := w.Next(); !errors.Is(err, errStopped) {
		t.Errorf("after Stop: %v", err)
	}
}

func TestClientsetListErrors(t *testing.T) {
	forbidden := apierrors.NewForbidden(pods.GroupResource(), "", errors.New("no"))
	table := &unstructured.UnstructuredList{Object: map[string]any{"kind": "Table", "apiVersion": "meta.k8s.io/v1"}}
	for _, c := range []struct {
		name string
		list kruntime.Object
		err  error
		want error
	}{
		{"refused", nil, forbidden, forbidden},
		{"nothing", nil, nil, errNotAList},
		{"a nil pointer", (*corev1.PodList)(nil), nil, errNotAList},
		{"an object", &corev1.Pod{}, nil, errNotAList},
		{"a table", table, nil, errTable},
	} {
		src := FromClientset[kruntime.Object](nil,
			func(context.Context, metav1.ListOptions) (kruntime.Object, error) { return c.list, c.err }, nil)
		if _, _, _, err := listAll(t, src, metav1.ListOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

func TestClientsetItems(t *testing.T) {
	remaining := int64(1)
	page := &metav1.List{
		ListMeta: metav1.ListMeta{ResourceVersion: "8", Continue: "more", RemainingItemCount: &remaining},
		Items: []kruntime.RawExtension{
			{Object: podNamed("a")},
			{Object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "cm"}}},
			{},
		},
	}
	src := FromClientset[*corev1.Pod](nil, func(context.Context, metav1.ListOptions) (*metav1.List, error) { return page, nil }, nil)
	got, failed, meta, err := listAll(t, src, metav1.ListOptions{})
	if err != nil || len(got) != 2 || len(failed) != 1 { // the informer leaves out objects of another type
		t.Fatalf("%v, %d items, errors %v", err, len(got), failed)
	}
	if diff := cmp.Diff(page.ListMeta, meta); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if !isObjectError(failed[0]) {
		t.Errorf("error %v", failed[0])
	}
}

func TestClientsetPageIsNotPinned(t *testing.T) {
	page := podList(2)
	first := weak.Make(&page.Items[0])
	src := FromClientset[*corev1.Pod](nil, func(context.Context, metav1.ListOptions) (*corev1.PodList, error) {
		defer func() { page = nil }()
		return page, nil
	}, nil)
	got, _, _, err := listAll(t, src, metav1.ListOptions{})
	if err != nil || len(got) != 2 {
		t.Fatalf("%d items, %v", len(got), err)
	}
	runtime.GC()
	if first.Value() != nil {
		t.Error("page: is held by its items")
	}
	runtime.KeepAlive(got)
}

func TestClientsetWatchEvents(t *testing.T) {
	status := expired()
	for _, c := range []struct {
		name  string
		event watch.Event
		want  cache.WatchEvent
		is    func(error) bool
	}{
		{"added", watch.Event{Type: watch.Added, Object: podNamed("a")}, cache.WatchEvent{Type: watch.Added, Object: podNamed("a")}, nil},
		{"deleted", watch.Event{Type: watch.Deleted, Object: podNamed("a")}, cache.WatchEvent{Type: watch.Deleted, Object: podNamed("a")}, nil},
		{"bookmark", watch.Event{Type: watch.Bookmark, Object: bookmarkPod()}, cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: "77", InitialEventsEnd: true}, nil},
		{"expired", watch.Event{Type: watch.Error, Object: status}, cache.WatchEvent{}, apierrors.IsResourceExpired},
		{"undecodable event", watch.Event{Type: watch.Error, Object: unread("unable to decode watch event: json: cannot unmarshal")}, cache.WatchEvent{}, isOf(failure.ClassDecode)},
		{"connection lost", watch.Event{Type: watch.Error, Object: unread("http2: client connection lost")}, cache.WatchEvent{}, isOf(failure.ClassConnection)},
		{"stream error", watch.Event{Type: watch.Error, Object: unread("stream error: stream ID 5; INTERNAL_ERROR")}, cache.WatchEvent{}, isOf(failure.ClassOther)},
		{"error without a status", watch.Event{Type: watch.Error}, cache.WatchEvent{}, func(err error) bool { return errors.Is(err, errNoStatus) }},
		{"nil pointer", watch.Event{Type: watch.Added, Object: (*corev1.Pod)(nil)}, cache.WatchEvent{}, isObjectError},
		{"no object", watch.Event{Type: watch.Added}, cache.WatchEvent{}, isObjectError},
		{"bookmark of a status", watch.Event{Type: watch.Bookmark, Object: status}, cache.WatchEvent{}, isObjectError},
		{"unknown event type", watch.Event{Type: "RENAMED", Object: podNamed("a")}, cache.WatchEvent{}, isObjectError},
	} {
		events := &countedWatch{events: make(chan watch.Event, 1)}
		events.events <- c.event
		close(events.events)
		w := openWatch(t, overEvents[*corev1.Pod](events))
		got, err := w.Next()
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if (err != nil) != (c.is != nil) || err != nil && !c.is(err) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if _, err := w.Next(); err != io.EOF {
			t.Errorf("%s: then %v", c.name, err)
		}
	}
}

// unread is what a watch of client-go sends last when it can't read on.
func unread(why string) kruntime.Object {
	return apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", string(clientWatchDecoding)).
		AsObject(fmt.Errorf("unable to decode an event from the watch stream: %s", why))
}

func isOf(class failure.Class) func(error) bool {
	return func(err error) bool { return failure.ClassOf(err) == class }
}

func isObjectError(err error) bool {
	var objectError *failure.ObjectError
	return errors.As(err, &objectError)
}

func TestClientsetWatchOfTables(t *testing.T) {
	events := &countedWatch{events: make(chan watch.Event, 1)}
	events.events <- watch.Event{Type: watch.Added, Object: &unstructured.Unstructured{Object: map[string]any{"kind": "Table", "apiVersion": "meta.k8s.io/v1beta1"}}}
	if _, err := openWatch(t, overEvents[*unstructured.Unstructured](events)).Next(); !errors.Is(err, errTable) || !isObjectError(err) {
		t.Errorf("error %v", err)
	}
}

func TestClientsetWatchEndsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, end := range []string{"stop", "cancel", "stop, cancel", "cancel, stop"} {
			events := &countedWatch{events: make(chan watch.Event)}
			ctx, cancel := context.WithCancel(t.Context())
			w, err := overEvents[*corev1.Pod](events).Watch(ctx, metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			result := make(chan error, 1)
			go func() {
				_, err := w.Next()
				result <- err
			}()
			synctest.Wait()
			switch end {
			case "stop":
				w.Stop()
			case "cancel":
				cancel()
			case "stop, cancel":
				w.Stop()
				cancel()
			case "cancel, stop":
				cancel()
				synctest.Wait()
				w.Stop()
			}
			synctest.Wait()
			if err := <-result; !errors.Is(err, errStopped) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", end, err)
			}
			if events.stops != 1 {
				t.Errorf("%s: stopped %d times", end, events.stops)
			}
			cancel()
		}
	})
}
