package source

import (
	"io"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	partialList  = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","uid":"1"}}]}`
	partialEvent = `{"type":"MODIFIED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"6"}}}`
	wholeList    = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a","uid":"1"},"spec":{"nodeName":"x"}}]}`
	wholeEvent   = `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"6"},"spec":{"nodeName":"x"}}}`
)

// The server is asked for the metadata of objects; one that sends all of them will do.
func TestMetadataOnly(t *testing.T) {
	for name, answers := range map[string][2]string{
		"the server sends metadata": {partialList, partialEvent},
		"the server sends objects":  {wholeList, wholeEvent},
		"a server that is upgraded": {partialList, wholeEvent},
		"a server that is replaced": {wholeList, partialEvent},
		"an object of another kind": {wholeList, `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"6"},"data":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			accepted := map[bool]string{}
			client := newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				watching := r.URL.Query().Get("watch") == "true"
				accepted[watching] = r.Header.Get("Accept")
				w.Header().Set("Content-Type", jsonType)
				io.WriteString(w, answers[map[bool]int{true: 1}[watching]])
			}))
			src := New[*metav1.PartialObjectMetadata](client, pods, "")
			objects, failed, meta, err := listAll(t, src, metav1.ListOptions{})
			if err != nil || len(failed) != 0 || len(objects) != 1 || objects[0].Name != "a" || objects[0].Kind != "" || meta.ResourceVersion != "5" {
				t.Fatalf("listed %+v at %q: %v %v", objects, meta.ResourceVersion, failed, err)
			}
			w, err := src.Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			event, err := w.Next()
			if err != nil || event.Type != watch.Modified || event.Object.(*metav1.PartialObjectMetadata).ResourceVersion != "6" || event.Object.(*metav1.PartialObjectMetadata).Kind != "" {
				t.Errorf("event %+v: %v", event, err)
			}
			const list, one = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
			both := protoType + "," + jsonType
			if accepted[false] != protoType+list+jsonType+list+both || accepted[true] != protoType+one+jsonType+one+both {
				t.Errorf("Accept: %v", accepted)
			}
		})
	}
}

// In protobuf the metadata are the first field of any object.
func TestMetadataOnlyInProtobuf(t *testing.T) {
	list := podList(3)
	for name, body := range map[string][]byte{
		"metadata": encoded(t, protoType, partialOf(list)),
		"objects":  encoded(t, protoType, list),
	} {
		objects, failed, _, err := listAll(t, New[*metav1.PartialObjectMetadata](newClient(t, serveBody(t, protoType, string(body))), pods, ""), metav1.ListOptions{})
		if err != nil || len(failed) != 0 || len(objects) != 3 || objects[2].Name != "pod-2" || objects[2].Labels["app"] != "shop" {
			t.Errorf("%s: %+v: %v %v", name, objects, failed, err)
		}
	}
}

func partialOf(pods *corev1.PodList) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}, ListMeta: pods.ListMeta}
	for _, pod := range pods.Items {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: pod.ObjectMeta})
	}
	return list
}
