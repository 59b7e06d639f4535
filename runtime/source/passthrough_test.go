package source

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

type (
	listPods  = func(context.Context, metav1.ListOptions) (*corev1.PodList, error)
	watchPods = func(context.Context, metav1.ListOptions) (watch.Interface, error)
)

var errOwn = errors.New("error of the function")

// hide leaves out one pod, and the labels of the others.
func hide(list *corev1.PodList) *corev1.PodList {
	var shown []corev1.Pod
	for _, pod := range list.Items {
		if pod.Name != "pod-1" {
			pod.Labels = nil
			shown = append(shown, pod)
		}
	}
	list.Items = shown
	return list
}

// tenant is a client that hides objects. Its other methods are those of the client in it.
type tenant struct{ typedcorev1.PodInterface }

func (t tenant) List(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
	list, err := t.PodInterface.List(ctx, options)
	if err != nil {
		return nil, err
	}
	return hide(list), nil
}

// unchanged is a client with the methods of the client in it.
type unchanged struct{ typedcorev1.PodInterface }

// Functions that make something of the response of a client. Each is compared with itself, over
// a client that decodes.
var functions = []struct {
	name string
	// list and watch are nil for those of the client.
	list  func(typedcorev1.PodInterface) listPods
	watch func(typedcorev1.PodInterface) watchPods
	// quiet says that nothing is logged: the responses are taken, or the function fails.
	quiet bool
}{
	{name: "none", quiet: true},
	{name: "methods of the client in another type", quiet: true,
		list:  func(pods typedcorev1.PodInterface) listPods { return unchanged{pods}.List },
		watch: func(pods typedcorev1.PodInterface) watchPods { return unchanged{pods}.Watch }},
	{name: "a client that hides objects", list: func(pods typedcorev1.PodInterface) listPods { return tenant{pods}.List }},
	{name: "objects are left out and changed in place", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			list, err := pods.List(ctx, options)
			return hide(list), err
		}
	}},
	{name: "after the return", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (list *corev1.PodList, err error) {
			defer func() { list = hide(list) }()
			return pods.List(ctx, options)
		}
	}},
	{name: "in another goroutine", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (list *corev1.PodList, err error) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				list, err = pods.List(ctx, options)
			}()
			<-done
			return hide(list), err
		}
	}},
	{name: "only objects that are left", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			list, err := pods.List(ctx, options)
			if err == nil && len(list.Items) > 0 {
				list = hide(list)
			}
			return list, err
		}
	}},
	{name: "several lists", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			all := &corev1.PodList{}
			for range 3 {
				list, err := pods.List(ctx, options)
				if err != nil {
					return nil, err
				}
				all.Items = append(all.Items, list.Items...)
				all.ListMeta = list.ListMeta
			}
			return all, nil
		}
	}},
	{name: "the second of two lists", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			if _, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "other"}); err != nil {
				return nil, err
			}
			return pods.List(ctx, options)
		}
	}},
	{name: "pages", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			pages := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (kruntime.Object, error) { return pods.List(ctx, options) }))
			all := &corev1.PodList{}
			err := pages.EachListItem(ctx, metav1.ListOptions{}, func(obj kruntime.Object) error {
				if all.Items = append(all.Items, *obj.(*corev1.Pod)); len(all.Items) == 50 {
					return errOwn
				}
				return nil
			})
			if !errors.Is(err, errOwn) {
				return nil, err
			}
			return all, nil
		}
	}},
	{name: "a list of before", list: func(pods typedcorev1.PodInterface) listPods {
		var last *corev1.PodList
		return func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			list, err := pods.List(ctx, options)
			if last == nil {
				last = hide(list)
			}
			return last.DeepCopy(), err
		}
	}},
	{name: "an error after the list", quiet: true, list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
			list, err := pods.List(ctx, options)
			if err == nil && len(list.Items) == 20 {
				return nil, errOwn
			}
			return list, err
		}
	}},
	{name: "a retry", list: func(pods typedcorev1.PodInterface) listPods {
		return func(ctx context.Context, options metav1.ListOptions) (list *corev1.PodList, err error) {
			for range 3 {
				if list, err = pods.List(ctx, options); err == nil && len(list.Items) == 20 {
					return list, nil
				}
			}
			return nil, errOwn
		}
	}},
	{name: "events are left out and changed", watch: func(pods typedcorev1.PodInterface) watchPods {
		return func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := pods.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return watch.Filter(w, func(event watch.Event) (watch.Event, bool) {
				pod := event.Object.(*corev1.Pod)
				pod.Labels = nil
				return event, pod.Name != "first"
			}), nil
		}
	}},
	{name: "the second of two watches", watch: func(pods typedcorev1.PodInterface) watchPods {
		return func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := pods.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			w.Stop()
			return pods.Watch(ctx, options)
		}
	}},
	{name: "an error after the watch", quiet: true, watch: func(pods typedcorev1.PodInterface) watchPods {
		return func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := pods.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			w.Stop()
			return nil, errOwn
		}
	}},
}

// What a function makes of a response is what the source delivers.
func TestStreamingOfFunctions(t *testing.T) {
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		if !isTrue(r.URL.Query().Get("watch")) {
			w.Write(encoded(t, jsonType, podList(20)))
			return
		}
		w.Write(append(jsonFrame(t, "ADDED", podNamed("first")), jsonFrame(t, "ADDED", podNamed("second"))...))
	})
	for _, test := range functions {
		t.Run(test.name, func(t *testing.T) {
			of := func(cfg *rest.Config) cache.Source[*corev1.Pod] {
				pods := must(kubernetes.NewForConfig(cfg))(t).CoreV1().Pods("")
				list, watch := pods.List, pods.Watch
				if test.list != nil {
					list = test.list(pods)
				}
				if test.watch != nil {
					watch = test.watch(pods)
				}
				return FromClientset[*corev1.Pod](nil, list, watch)
			}
			streaming := NewStreaming(ClientOptions{})
			var log strings.Builder
			ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log))))
			client, streamed := of(cfg), of(streaming.Config(cfg))
			for range 2 {
				want, got := deliveries(ctx, client), deliveries(ctx, streamed)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-client +here:\n%s", diff)
				}
			}
			// client-go logs there too, that it was stopped while it read a page ahead.
			if told := strings.Count(log.String(), "Lists and watches are decoded by the client"); (told == 0) != test.quiet || told > 1 {
				t.Errorf("told %d times, want quiet: %v; logged %q", told, test.quiet, log.String())
			}
		})
	}
}

// deliveries returns what a list and a watch of a source deliver.
func deliveries(ctx context.Context, src cache.Source[*corev1.Pod]) (all []any) {
	meta, err := src.List(ctx, metav1.ListOptions{}, func(item any, err error) {
		pod, _ := item.(*corev1.Pod)
		all = append(all, pod, errorText(err))
	})
	all = append(all, meta, errorText(err))
	w, err := src.Watch(ctx, metav1.ListOptions{})
	for err == nil {
		event, next := w.Next()
		all = append(all, event.Type, event.Object, errorText(next))
		if err = next; err != nil {
			w.Stop()
		}
	}
	return append(all, errorText(err))
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A transport around that of the configuration may change responses too, and the client then
// decodes them; one within it is the server as far as anybody can tell.
func TestStreamingOfTransports(t *testing.T) {
	cfg := serveEncoded(t, jsonType, podList(20), podNamed("watched"))
	for _, outside := range []bool{false, true} {
		streaming := NewStreaming(ClientOptions{})
		wrapped, paths := rest.CopyConfig(cfg), 0
		wrap := func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(req *http.Request) (*http.Response, error) {
				paths++
				return next.RoundTrip(req)
			})
		}
		if !outside {
			wrapped.Wrap(wrap)
		}
		wrapped = streaming.Config(wrapped)
		if outside {
			wrapped.Wrap(wrap)
		}
		got, failed, _, err := listAll(t, streaming.FromListerWatcher(podsOf(t, wrapped), &corev1.Pod{}), metav1.ListOptions{})
		if err != nil || failed != nil || len(got) != 20 || paths != 1 || took(streaming) == outside {
			t.Errorf("outside %v: %v, %v, %d objects, %d requests, taken %v", outside, err, failed, len(got), paths, took(streaming))
		}
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

// Where the client cannot decode the list that it gets in place of its own, it decodes all of
// them: its Go type has another name than the kind here.
func TestStreamingOfAnotherName(t *testing.T) {
	cfg := serveBody(t, jsonType, `{"kind":"GadgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}}]}`)
	types := kruntime.NewScheme()
	gv := widgets.GroupVersion()
	types.AddKnownTypeWithName(gv.WithKind("Gadget"), &Widget{})
	types.AddKnownTypeWithName(gv.WithKind("GadgetList"), &WidgetList{})
	streaming := NewStreaming(ClientOptions{})
	src := streaming.FromListerWatcher(toolscache.NewListWatchFromClient(widgetClientOf(t, streaming.Config(cfg), types), "widgets", "", fields.Everything()), &Widget{})
	for range 2 {
		got, failed, meta, err := listAll(t, src, metav1.ListOptions{})
		if err != nil || failed != nil || len(got) != 1 || meta.ResourceVersion != "9" {
			t.Errorf("%v, %v, %d objects at %q", err, failed, len(got), meta.ResourceVersion)
		}
	}
}
