package source

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicclient "k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

const (
	bareItem  = `{"metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"7"}}`
	wholeItem = `{"apiVersion":"%s","kind":"%s","metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"7"}}`
)

// serveOne serves a list of one object, and a watch with its state.
func serveOne(t *testing.T, contentType string, list, event []byte) *rest.Config {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		if r.URL.Query().Get("watch") == "" {
			w.Write(list)
			return
		}
		if contentType == protoType {
			w.Header().Set("Content-Type", protoType+";stream=watch")
		}
		w.Write(event)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
}

// serveJSON serves an object of a kind, as item of a list and in a watch event.
func serveJSON(t *testing.T, gv schema.GroupVersion, kind, item string) *rest.Config {
	whole := fmt.Sprintf(wholeItem, gv, kind)
	if item == wholeItem {
		item = whole
	}
	list := fmt.Sprintf(`{"apiVersion":"%s","kind":"%sList","metadata":{"resourceVersion":"9"},"items":[%s]}`, gv, kind, item)
	return serveOne(t, jsonType, []byte(list), []byte(`{"type":"ADDED","object":`+whole+"}\n"))
}

// anyWidgets is client-go's client that decodes widgets to *unstructured.Unstructured.
func anyWidgets(t *testing.T, cfg *rest.Config) rest.Interface {
	t.Helper()
	gv := widgets.GroupVersion()
	cfg = dynamicclient.ConfigFor(cfg)
	cfg.APIPath, cfg.GroupVersion = "/apis", &gv
	return must(rest.RESTClientFor(cfg))(t)
}

// An object has the same TypeMeta whether it was listed or watched: none if it is typed, as client-go's
// typed clients leave none in watch events, and the object's if it is unstructured.
func TestTypeMeta(t *testing.T) {
	core, example := corev1.SchemeGroupVersion, widgets.GroupVersion()
	protoPod := podNamed("a")
	pod := podNamed("a")
	pod.TypeMeta = metav1.TypeMeta{}
	protoPods := &corev1.PodList{Items: []corev1.Pod{*pod}, ListMeta: metav1.ListMeta{ResourceVersion: "9"}}
	partial := metav1.SchemeGroupVersion
	none, widget := metav1.TypeMeta{}, metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}
	for _, test := range []struct {
		name string
		cfg  *rest.Config
		// source lists and watches without a client, and client is client-go's; nil if it is not compared.
		source func(*Client) cache.Objects
		client func(*testing.T, *rest.Config) rest.Interface
		of     kruntime.Object
		want   metav1.TypeMeta
	}{
		{"built-in", serveJSON(t, core, "Pod", bareItem), podSource, podClient, &corev1.Pod{}, none},
		{"built-in, kinds in the list", serveJSON(t, core, "Pod", wholeItem), podSource, podClient, &corev1.Pod{}, none},
		{"built-in, protobuf", serveOne(t, protoType, encoded(t, protoType, protoPods), protoFrame(t, "ADDED", protoPod)), podSource, podClient, &corev1.Pod{}, none},
		{"custom", serveJSON(t, example, "Widget", wholeItem), widgetSource[*Widget], widgetClient, &Widget{}, none},
		{"custom, no kinds in the list", serveJSON(t, example, "Widget", bareItem), widgetSource[*Widget], widgetClient, &Widget{}, none},
		{"unstructured", serveJSON(t, example, "Widget", wholeItem), widgetSource[*unstructured.Unstructured], anyWidgets, &unstructured.Unstructured{}, widget},
		{"unstructured, no kinds in the list", serveJSON(t, example, "Widget", bareItem), widgetSource[*unstructured.Unstructured], anyWidgets, &unstructured.Unstructured{}, widget},
		{"metadata", serveJSON(t, partial, "PartialObjectMetadata", wholeItem), widgetSource[*metav1.PartialObjectMetadata], nil, nil, none},
		{"metadata of objects", serveJSON(t, example, "Widget", wholeItem), widgetSource[*metav1.PartialObjectMetadata], nil, nil, none},
	} {
		t.Run(test.name, func(t *testing.T) {
			check := func(t *testing.T, src cache.Objects, watched any) {
				t.Helper()
				listed, failed, _, err := listAll(t, cache.Source[kruntime.Object]{Objects: src}, metav1.ListOptions{})
				if err != nil || failed != nil || len(listed) != 1 {
					t.Fatal(err, failed, listed)
				}
				event, err := openWatch(t, cache.Source[kruntime.Object]{Objects: src}).Next()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(event.Object, any(listed[0])); diff != "" {
					t.Errorf("listed (-watched +listed):\n%s", diff)
				}
				apiVersion, kind := listed[0].GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
				if got := (metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}); got != test.want {
					t.Errorf("TypeMeta %v, want %v", got, test.want)
				}
				if watched != nil {
					if diff := cmp.Diff(watched, event.Object); diff != "" {
						t.Errorf("watched (-client +here):\n%s", diff)
					}
				}
			}
			if test.client == nil {
				check(t, test.source(newClient(t, test.cfg)), nil)
				return
			}
			resource := test.source(newClient(t, test.cfg)).Describe().Resource.Resource
			listWatch := func(cfg *rest.Config) *toolscache.ListWatch {
				return toolscache.NewListWatchFromClient(test.client(t, cfg), resource, "", fields.Everything())
			}
			theirs := must(listWatch(test.cfg).WatchWithContext(t.Context(), metav1.ListOptions{}))(t)
			defer theirs.Stop()
			watched := (<-theirs.ResultChan()).Object
			t.Run("rest", func(t *testing.T) { check(t, test.source(newClient(t, test.cfg)), watched) })
			t.Run("streaming", func(t *testing.T) {
				streaming := NewStreaming(ClientOptions{})
				check(t, streaming.FromListerWatcher(listWatch(streaming.Config(test.cfg)), test.of).Objects, watched)
			})
		})
	}
}

func podSource(client *Client) cache.Objects { return New[*corev1.Pod](client, pods, "").Objects }

func widgetSource[T kruntime.Object](client *Client) cache.Objects {
	return New[T](client, widgets, "").Objects
}

func podClient(t *testing.T, cfg *rest.Config) rest.Interface {
	t.Helper()
	return must(kubernetes.NewForConfig(cfg))(t).CoreV1().RESTClient()
}
