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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

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
	// list and watch are nil for the client's own.
	list  func(typedcorev1.PodInterface) listPods
	watch func(typedcorev1.PodInterface) watchPods
}{
	{name: "none"},
	{name: "methods of the client in another type",
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
	{name: "an error after the list", list: func(pods typedcorev1.PodInterface) listPods {
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
	{name: "an error after the watch", watch: func(pods typedcorev1.PodInterface) watchPods {
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

// custom is a client whose lists and watches are made by functions.
type custom struct {
	typedcorev1.PodInterface
	list  listPods
	watch watchPods
}

func (c *custom) List(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
	return c.list(ctx, options)
}

func (c *custom) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return c.watch(ctx, options)
}

// clientsetPods is what a generated informer of pods lists and watches.
func clientsetPods(clientset kubernetes.Interface) cache.Objects {
	return ClientsetObjects[*corev1.Pod](clientset, pods, "", func() ResourceClient[*corev1.PodList] { return clientset.CoreV1().Pods("") })
}

// servedPods is the configuration of a server that has 20 pods, and of which every watch delivers two.
func servedPods(t *testing.T) *rest.Config {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		if !isTrue(r.URL.Query().Get("watch")) {
			w.Write(encoded(t, jsonType, podList(20)))
			return
		}
		w.Write(append(jsonFrame(t, "ADDED", podNamed("first")), jsonFrame(t, "ADDED", podNamed("second"))...))
	})
}

// What the methods of a client make of a response is what the source delivers.
func TestClientsWithMethodsOfTheirOwn(t *testing.T) {
	cfg := servedPods(t)
	for _, test := range functions {
		t.Run(test.name, func(t *testing.T) {
			client := func() ResourceClient[*corev1.PodList] {
				pods := must(kubernetes.NewForConfig(cfg))(t).CoreV1().Pods("")
				c := &custom{pods, pods.List, pods.Watch}
				if test.list != nil {
					c.list = test.list(pods)
				}
				if test.watch != nil {
					c.watch = test.watch(pods)
				}
				return c
			}
			one, same := client(), client()
			direct := FromClientset[*corev1.Pod](nil, one.List, one.Watch)
			src := cache.Source[*corev1.Pod]{Objects: ClientsetObjects[*corev1.Pod](t, pods, "", func() ResourceClient[*corev1.PodList] { return same })}
			for range 2 {
				if diff := cmp.Diff(deliveries(t.Context(), direct), deliveries(t.Context(), src)); diff != "" {
					t.Errorf("-client +here:\n%s", diff)
				}
			}
		})
	}
}

type (
	// generatedPods is a client as client-gen writes them.
	generatedPods struct {
		*gentype.ClientWithList[*corev1.Pod, *corev1.PodList]
	}
	// embedding and deeper have the methods of the client in them.
	embedding struct{ generatedPods }
	deeper    struct{ *embedding }
	// hiding has a List of its own. Types that embed it show no sign of that.
	hiding       struct{ *generatedPods }
	insideHiding struct{ hiding }
	belowHiding  struct{ *insideHiding }
	// watching has a Watch of its own.
	watching struct{ generatedPods }
	// two embeds two clients. Its methods are those of the client that is less deep.
	two struct {
		embedding
		lister
	}
	// mixed lists with one client and watches with another.
	mixed struct {
		embedding
		watcher
	}
	watcher struct {
		inner ResourceClient[*corev1.PodList]
	}
	lister interface {
		List(context.Context, metav1.ListOptions) (*corev1.PodList, error)
		Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	}
)

func (h hiding) List(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
	list, err := h.generatedPods.List(ctx, options)
	return hide(list), err
}

func (w *watching) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	all, err := w.generatedPods.Watch(ctx, options)
	return watch.Filter(all, func(event watch.Event) (watch.Event, bool) { return event, event.Object.(*corev1.Pod).Name != "first" }), err
}

func (w watcher) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return w.inner.Watch(ctx, options)
}

// A source sends the requests of a client whose methods are those of gentype, however deep it is
// embedded, and leaves them to any other client. Either way objects are what the client lists.
func TestWhoSendsTheRequests(t *testing.T) {
	clientset := must(kubernetes.NewForConfig(servedPods(t)))(t)
	pod := generatedPods{gentype.NewClientWithList[*corev1.Pod, *corev1.PodList]("pods", clientset.CoreV1().RESTClient(), scheme.ParameterCodec, "default",
		func() *corev1.Pod { return &corev1.Pod{} }, func() *corev1.PodList { return &corev1.PodList{} })}
	for _, test := range []struct {
		name   string
		client ResourceClient[*corev1.PodList]
		reason string
	}{
		{"client-go's", clientset.CoreV1().Pods(""), ""},
		{"gentype's", pod.ClientWithList, ""},
		{"a generated one", pod, ""},
		{"a generated one, by pointer", &pod, ""},
		{"embedded", embedding{pod}, ""},
		{"embedded twice", deeper{&embedding{pod}}, ""},
		{"embedded twice, by pointer", &deeper{&embedding{pod}}, ""},
		{"in an interface", unchanged{clientset.CoreV1().Pods("")}, "no method GetClient"},
		{"hides objects", hiding{&pod}, "source.hiding has methods of its own"},
		{"hides objects, by pointer", &hiding{&pod}, "source.hiding has methods of its own"},
		{"hides objects inside", insideHiding{hiding{&pod}}, "source.hiding has methods of its own"},
		{"hides objects below", &belowHiding{&insideHiding{hiding{&pod}}}, "source.hiding has methods of its own"},
		{"leaves out events", &watching{pod}, "source.watching has methods of its own"},
		{"methods from functions", &custom{clientset.CoreV1().Pods(""), clientset.CoreV1().Pods("").List, clientset.CoreV1().Pods("").Watch}, "no method GetClient"},
		{"a Watch of another client", mixed{embedding{pod}, watcher{&watching{pod}}}, "embeds several clients"},
		{"two clients", &two{embedding{pod}, hiding{&pod}}, "embeds several clients"},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := cache.Source[*corev1.Pod]{Objects: ClientsetObjects[*corev1.Pod](t, pods, "", func() ResourceClient[*corev1.PodList] { return test.client })}
			direct := FromClientset[*corev1.Pod](nil, test.client.List, test.client.Watch)
			if diff := cmp.Diff(deliveries(t.Context(), direct), deliveries(t.Context(), src)); diff != "" {
				t.Errorf("-client +here:\n%s", diff)
			}
			_, ours := src.Objects.(*restSource)
			if ours != (test.reason == "") {
				t.Errorf("the source sends the requests: %v", ours)
			}
			if !ours && !strings.Contains(src.Describe().DecodedByClient(), test.reason) {
				t.Errorf("reason %q, want %q", src.Describe().DecodedByClient(), test.reason)
			}
		})
	}
}

// broken is a client without one.
type broken struct{ typedcorev1.PodInterface }

// A client that can't be looked at, as in a unit test, is no reason to panic before there is a request.
func TestClientsThatPanic(t *testing.T) {
	var none *kubernetes.Clientset
	for _, of := range []func() ResourceClient[*corev1.PodList]{
		func() ResourceClient[*corev1.PodList] { return none.CoreV1().Pods("") },
		func() ResourceClient[*corev1.PodList] { return nil },
		func() ResourceClient[*corev1.PodList] { return broken{} },
	} {
		src := ClientsetObjects[*corev1.Pod](t, pods, "", of)
		if reason := src.Describe().DecodedByClient(); reason == "" {
			t.Error("no reason")
		}
	}
}

// A clientset that has another client later, as after a failover, is followed.
func TestClientThatChanges(t *testing.T) {
	now := must(kubernetes.NewForConfig(servedPods(t)))(t)
	src := ClientsetObjects[*corev1.Pod](t, pods, "", func() ResourceClient[*corev1.PodList] { return now.CoreV1().Pods("") })
	if _, ours := src.(*restSource); !ours {
		t.Fatal("the source does not send the requests")
	}
	now = must(kubernetes.NewForConfig(serveEncoded(t, jsonType, podList(2), podNamed("watched"))))(t)
	if got, _, _, err := listAll(t, cache.Source[*corev1.Pod]{Objects: src}, metav1.ListOptions{}); err != nil || len(got) != 2 {
		t.Errorf("%d objects of the later client, %v", len(got), err)
	}
	now = nil
	if _, _, _, err := listAll(t, cache.Source[*corev1.Pod]{Objects: src}, metav1.ListOptions{}); err == nil {
		t.Error("no client: no error")
	}
}

// A client of another resource or version than the source has is left alone.
func TestClientOfAnotherResource(t *testing.T) {
	clientset := must(kubernetes.NewForConfig(servedPods(t)))(t)
	for _, resource := range []schema.GroupVersionResource{pods.GroupVersion().WithResource("nodes"), {Group: "apps", Version: "v1", Resource: "pods"}} {
		src := ClientsetObjects[*corev1.Pod](clientset, resource, "", func() ResourceClient[*corev1.PodList] { return clientset.CoreV1().Pods("") })
		if _, ours := src.(*restSource); ours {
			t.Errorf("%v: the source sends the requests", resource)
		}
	}
}

// hidingListWatch hides objects.
type hidingListWatch struct{ *toolscache.ListWatch }

func (h hidingListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
	all, err := h.ListWatch.ListWithContext(ctx, options)
	return hide(all.(*corev1.PodList)), err
}

// withoutWatchLists is a ListWatch of a client that says that it has no watch-lists.
type withoutWatchLists struct{ *toolscache.ListWatch }

func (withoutWatchLists) IsWatchListSemanticsUnSupported() bool { return true }

// What a ListerWatcher says of watch-lists counts also when its requests are the source's.
func TestListWatchWithoutWatchLists(t *testing.T) {
	client := must(kubernetes.NewForConfig(servedPods(t)))(t).CoreV1().RESTClient()
	for _, unsupported := range []bool{false, true} {
		var lw toolscache.ListerWatcher = NewListWatch(client, "pods", "", nil)
		if unsupported {
			lw = withoutWatchLists{lw.(*toolscache.ListWatch)}
		}
		about := FromListerWatcher[*corev1.Pod](lw, &corev1.Pod{}).Describe()
		if about.Resource != pods || about.NoWatchList != unsupported {
			t.Errorf("no watch-lists: %v, want %v; described as %+v", about.NoWatchList, unsupported, about)
		}
	}
}

// A ListWatch of this package is asked what it requests, unless its functions were replaced.
func TestListWatch(t *testing.T) {
	client := must(kubernetes.NewForConfig(servedPods(t)))(t).CoreV1().RESTClient()
	of := func(change func(*toolscache.ListWatch)) *toolscache.ListWatch {
		lw := NewListWatch(client, "pods", "default", func(options *metav1.ListOptions) { options.LabelSelector = "a=b" })
		if change != nil {
			change(lw)
		}
		return lw
	}
	for _, test := range []struct {
		name string
		lw   toolscache.ListerWatcher
		ours bool
	}{
		{"as it is", of(nil), true},
		{"another list", of(func(lw *toolscache.ListWatch) {
			list := lw.ListWithContextFunc
			lw.ListWithContextFunc = func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
				all, err := list(ctx, options)
				if all != nil {
					all = hide(all.(*corev1.PodList))
				}
				return all, err
			}
		}), false},
		{"another watch", of(func(lw *toolscache.ListWatch) {
			open := lw.WatchFuncWithContext
			lw.WatchFuncWithContext = func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return open(ctx, options)
			}
		}), false},
		{"client-go's", toolscache.NewListWatchFromClient(client, "pods", "default", fields.Everything()), false},
		{"embedded", struct{ *toolscache.ListWatch }{of(nil)}, true},
		{"with a List of its own", hidingListWatch{of(nil)}, false},
		{"around a List of its own", struct{ hidingListWatch }{hidingListWatch{of(nil)}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := FromListerWatcher[*corev1.Pod](test.lw, &corev1.Pod{})
			direct := cache.Source[*corev1.Pod]{Objects: newCallingSource(test.lw, &corev1.Pod{})}
			if diff := cmp.Diff(deliveries(t.Context(), direct), deliveries(t.Context(), src)); diff != "" {
				t.Errorf("-client +here:\n%s", diff)
			}
			about := src.Describe()
			if ours := about.Resource == pods; ours != test.ours {
				t.Errorf("the source sends the requests: %v", ours)
			} else if ours && (about.Namespace != "default" || about.Selecting.LabelSelector != "a=b" || !about.OrderedResourceVersions) {
				t.Errorf("described as %+v", about)
			}
		})
	}
	for _, getter := range []toolscache.Getter{nil, (*rest.RESTClient)(nil)} {
		if _, _, _, err := listAll(t, FromListerWatcher[*corev1.Pod](NewListWatch(getter, "pods", "", nil), &corev1.Pod{}), metav1.ListOptions{}); err == nil {
			t.Error("no client: no error")
		}
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

// A transport in the configuration is asked for the lists and watches, whether it was there before or
// came later.
func TestStreamingOfTransports(t *testing.T) {
	cfg := serveEncoded(t, jsonType, podList(20), podNamed("watched"))
	for _, outside := range []bool{false, true} {
		streaming := NewStreaming(ClientOptions{})
		wrapped, answered := rest.CopyConfig(cfg), 0
		wrap := func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(req *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(req)
				if err == nil {
					answered++
				}
				return resp, err
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
		if err != nil || failed != nil || len(got) != 20 || answered != 1 || !took(streaming) {
			t.Errorf("outside %v: %v, %v, %d objects, %d requests, taken %v", outside, err, failed, len(got), answered, took(streaming))
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
