package source

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

func TestListerWatcher(t *testing.T) {
	events := &countedWatch{events: make(chan watch.Event, 3)}
	events.events <- watch.Event{Type: watch.Modified, Object: podNamed("c")}
	events.events <- watch.Event{Type: watch.Modified, Object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cm"}}}
	close(events.events)
	src := FromListerWatcher[kruntime.Object](&toolscache.ListWatch{
		ListFunc:  func(metav1.ListOptions) (kruntime.Object, error) { return podList(2), nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return events, nil },
	}, &corev1.Pod{})
	got, failed, meta, err := listAll(t, src, metav1.ListOptions{})
	if err != nil || failed != nil || len(got) != 2 || meta.Continue != "more" {
		t.Errorf("%v %v, %d items, metadata %v", err, failed, len(got), meta)
	}
	w := openWatch(t, src)
	if event, err := w.Next(); err != nil || nameOf(event.Object.(kruntime.Object)) != "default/c" {
		t.Errorf("%v %v", event, err)
	}
	if _, err := w.Next(); !isObjectError(err) {
		t.Errorf("object of another type: %v", err)
	}
}

func TestExpectedKind(t *testing.T) {
	kind := func(kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"kind": kind, "apiVersion": "example.com/v1"}}
	}
	check := expect(kind("Widget"))
	if err := check(kind("Widget")); err != nil {
		t.Error(err)
	}
	if check(kind("Gadget")) == nil || check(&corev1.Pod{}) == nil {
		t.Error("another kind: no error")
	}
	if err := expect(&unstructured.Unstructured{})(kind("Gadget")); err != nil {
		t.Error(err)
	}
	if expect(nil) != nil {
		t.Error("nothing expected: a check")
	}
}

func TestListFuncThatPanics(t *testing.T) {
	src := FromListerWatcher[*corev1.Pod](&toolscache.ListWatch{
		ListFunc: func(metav1.ListOptions) (kruntime.Object, error) { panic("boom") },
	}, nil)
	defer func() {
		if r := recover(); r != "boom" {
			t.Errorf("recovered %v", r)
		}
	}()
	src.List(t.Context(), metav1.ListOptions{}, nil)
	t.Error("list: returned")
}

func TestListFuncThatExits(t *testing.T) {
	src := FromListerWatcher[*corev1.Pod](&toolscache.ListWatch{
		ListFunc: func(metav1.ListOptions) (kruntime.Object, error) { runtime.Goexit(); return nil, nil },
	}, nil)
	if _, err := src.List(t.Context(), metav1.ListOptions{}, nil); !errors.Is(err, errExited) {
		t.Errorf("error %v", err)
	}
}

func TestFunctionsWithoutAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		late := &countedWatch{}
		src := FromListerWatcher[*corev1.Pod](&toolscache.ListWatch{
			ListFunc:  func(metav1.ListOptions) (kruntime.Object, error) { <-release; panic("too late") },
			WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { <-release; return late, nil },
		}, nil)
		for _, call := range []func(context.Context) error{
			func(ctx context.Context) error {
				_, err := src.List(ctx, metav1.ListOptions{}, nil)
				return err
			},
			func(ctx context.Context) error {
				_, err := src.Watch(ctx, metav1.ListOptions{})
				return err
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error)
			go func() { result <- call(ctx) }()
			synctest.Wait()
			cancel()
			if err := <-result; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if err := call(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("after the end: error %v", err)
			}
		}
		close(release)
		synctest.Wait()
		if late.stops != 1 {
			t.Errorf("late watch: stopped %d times", late.stops)
		}
	})
}

type noWatchList struct{}

func (noWatchList) IsWatchListSemanticsUnSupported() bool { return true }

func TestTweak(t *testing.T) {
	var seen []metav1.ListOptions
	src := FromClientset[*corev1.Pod](noWatchList{},
		func(_ context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			seen = append(seen, options)
			return podList(1), nil
		},
		func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			seen = append(seen, options)
			return &countedWatch{}, nil
		})
	if Tweak(src, nil) != src {
		t.Error("nil tweak: another source")
	}
	tweaked := Tweak(src, func(options *metav1.ListOptions) { options.LabelSelector = "a=b" })
	if !tweaked.Describe().NoWatchList {
		t.Error("tweaked source: NoWatchList is lost")
	}
	options := metav1.ListOptions{Limit: 5}
	if _, _, _, err := listAll(t, tweaked, options); err != nil {
		t.Fatal(err)
	}
	if _, err := tweaked.Watch(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 {
		t.Fatalf("%d requests, want a list and a watch", len(seen))
	}
	for _, got := range seen {
		if got.LabelSelector != "a=b" || got.Limit != 5 {
			t.Errorf("options %+v", got)
		}
	}
	if options.LabelSelector != "" {
		t.Error("options: those of the caller were changed")
	}
}
