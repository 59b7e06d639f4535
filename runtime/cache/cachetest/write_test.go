package cachetest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// clientOf is a typed client of pods, as clientsets have it, and a log of the
// content types of its requests and answers.
func clientOf(t *testing.T, api *API[*corev1.Pod]) (corev1client.PodInterface, *contentTypes) {
	t.Helper()
	server := NewServer()
	Serve(server, corev1.SchemeGroupVersion.WithResource("pods"), "Pod", api)
	seen := &contentTypes{next: server}
	client, err := corev1client.NewForConfig(&rest.Config{Host: "http://cachetest", Transport: seen, QPS: -1, ContentConfig: rest.ContentConfig{
		ContentType:        protoType,
		AcceptContentTypes: protoType + "," + jsonType,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return client.Pods("a"), seen
}

// contentTypes is a transport that keeps the content types that it sees.
type contentTypes struct {
	next http.RoundTripper
	last string
}

func (c *contentTypes) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := c.next.RoundTrip(r)
	if err == nil {
		c.last = r.Method + " " + r.Header.Get("Content-Type") + " -> " + res.Header.Get("Content-Type")
	}
	return res, err
}

func pod(name string, containers ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}}
	for _, container := range containers {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: container, Image: container + ":1"})
	}
	return p
}

// TestClientset: a client of a type that is built in writes protobuf, updates
// without a resourceVersion, and merges lists by their keys.
func TestClientset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods, seen := clientOf(t, NewAPI[*corev1.Pod]())
		created := must(pods.Create(t.Context(), pod("one", "x"), metav1.CreateOptions{}))(t)
		if want := "POST " + protoType + " -> " + protoType; seen.last != want {
			t.Errorf("content types are %s, want %s", seen.last, want)
		}
		if !created.CreationTimestamp.Time.Equal(time.Now()) || created.Generation != 1 || created.ManagedFields[0].Manager != "cachetest.test" {
			t.Errorf("created %+v", created.ObjectMeta)
		}
		updated := must(pods.Update(t.Context(), pod("one", "x", "y"), metav1.UpdateOptions{}))(t)
		if updated.UID != created.UID || updated.Generation != 2 || updated.ResourceVersion != "3" {
			t.Errorf("updated %+v", updated.ObjectMeta)
		}
		patch := `{"spec":{"containers":[{"name":"y","image":"y:2"}]}}`
		patched := must(pods.Patch(t.Context(), "one", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}))(t)
		images := func(p *corev1.Pod) (images []string) {
			for _, c := range p.Spec.Containers {
				images = append(images, c.Image)
			}
			return images
		}
		if got := images(patched); !cmp.Equal(got, []string{"x:1", "y:2"}) {
			t.Errorf("images are %v", got)
		}
		apply := applycorev1.Pod("one", "a").WithSpec(applycorev1.PodSpec().WithContainers(applycorev1.Container().WithName("z").WithImage("z:1")))
		applied := must(pods.Apply(t.Context(), apply, metav1.ApplyOptions{FieldManager: "me"}))(t)
		if got := images(applied); !cmp.Equal(got, []string{"x:1", "y:2", "z:1"}) {
			t.Errorf("images are %v", got)
		}
		apply.Spec.Containers[0].WithName("x").WithImage("x:2")
		if _, err := pods.Apply(t.Context(), apply, metav1.ApplyOptions{FieldManager: "me"}); !apierrors.IsConflict(err) {
			t.Errorf("apply of another's field: %v", err)
		}
		listed := must(pods.List(t.Context(), metav1.ListOptions{}))(t)
		if len(listed.Items) != 1 {
			t.Errorf("listed %d", len(listed.Items))
		}
		if err := pods.Delete(t.Context(), "one", *metav1.NewPreconditionDeleteOptions(string(created.UID))); err != nil {
			t.Error(err)
		}
	})
}

// TestMetadataClient: a client of metadata gets that, from lists and watches
// too.
func TestMetadataClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(on("n", carp("a/one", "k=v")))
		server := NewServer()
		Serve(server, carps, "Carp", api)
		client := metadata.NewForConfigOrDie(&rest.Config{Host: "http://cachetest", Transport: server}).Resource(carps).Namespace("a")
		one := must(client.Get(t.Context(), "one", metav1.GetOptions{}))(t)
		list := must(client.List(t.Context(), metav1.ListOptions{}))(t)
		w := must(client.Watch(t.Context(), metav1.ListOptions{}))(t)
		defer w.Stop()
		event := <-w.ResultChan()
		for _, obj := range []*metav1.PartialObjectMetadata{one, &list.Items[0], event.Object.(*metav1.PartialObjectMetadata)} {
			if obj.Name != "one" || obj.Labels["k"] != "v" {
				t.Errorf("metadata is %+v", obj)
			}
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", carpsPath+"carps", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
		res := must(server.RoundTrip(req))(t)
		text := must(io.ReadAll(res.Body))(t)
		if bytes.Contains(text, []byte("nodeName")) || !bytes.HasPrefix(text, []byte(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1"`)) {
			t.Errorf("list is %s", text)
		}
	})
}

// TestNegotiate: the first format of those that are accepted and known.
func TestNegotiate(t *testing.T) {
	const partial = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	for _, test := range []struct {
		accept           string
		single, protobuf bool
		want             string
	}{
		{"", true, true, "application/json false"},
		{"*/*", true, true, "application/json false"},
		{"application/json", true, true, "application/json false"},
		{protoType, true, true, protoType + " false"},
		{protoType + ",application/json", true, false, "application/json false"},
		{protoType + ",application/json", false, true, "application/json false"},
		{protoType, true, false, "406"},
		{protoType, false, true, "406"},
		{protoType + partial + ",application/json", true, false, protoType + " true"},
		{"application/json" + partial + ",application/json", false, true, "application/json true"},
		{"application/json;as=Table;g=meta.k8s.io;v=v1,application/json", false, true, "application/json false"},
		{"application/json;as=Table;g=meta.k8s.io;v=v1", false, true, "406"},
		{"text/html", true, true, "406"},
	} {
		f, err := negotiate(&http.Request{Header: http.Header{"Accept": {test.accept}}}, test.single, test.protobuf)
		got := fmt.Sprint(f.contentType(), " ", f.metadata)
		if err != nil {
			got = fmt.Sprint(statusOf(err).Code)
		}
		if got != test.want {
			t.Errorf("%q, %v, %v is %s, want %s", test.accept, test.single, test.protobuf, got, test.want)
		}
	}
}

// TestWriteEvents: what a client writes is an event if it changes something,
// and of a version that is later.
func TestWriteEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := served(carp("a/one"))
		next, stop := watchHTTP(t, client, carpsPath+"namespaces/a/carps?watch=true&resourceVersion=2")
		defer stop()
		send := func(method, path, kind, body string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), method, carpsPath+"namespaces/a/carps/one"+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", kind)
			res := must(client.Do(req))(t)
			text := must(io.ReadAll(res.Body))(t)
			if res.StatusCode != http.StatusOK {
				t.Fatalf("%s %s %s: %d %s", method, path, body, res.StatusCode, text)
			}
		}
		const merge, apply = string(types.MergePatchType), string(types.ApplyYAMLPatchType)
		send("PATCH", "", merge, `{"metadata":{"finalizers":["test/a"]}}`)
		send("PATCH", "", merge, `{"metadata":{"finalizers":["test/a"]}}`)
		send("PATCH", "/status", merge, `{"status":{"phase":"up"}}`)
		send("PATCH", "", merge, `{"status":{"phase":"down"}}`)
		send("PATCH", "?dryRun=All", merge, `{"spec":{"nodeName":"n"}}`)
		time.Sleep(time.Hour) // so that the times of managed fields differ
		send("PATCH", "?fieldManager=me", apply, `{"apiVersion":"pond.test/v1","kind":"Carp","metadata":{"name":"one"},"spec":{"nodeName":"n"}}`)
		time.Sleep(time.Hour)
		send("PATCH", "?fieldManager=me", apply, `{"apiVersion":"pond.test/v1","kind":"Carp","metadata":{"name":"one"},"spec":{"nodeName":"n"}}`)
		send("DELETE", "", "", "")
		send("DELETE", "", "", "")
		send("PATCH", "", merge, `{"metadata":{"finalizers":null}}`)
		for _, want := range []string{"MODIFIED one@3", "MODIFIED one@4", "MODIFIED one@5", "MODIFIED one@6", "DELETED one@7"} {
			if got := next(); got != want {
				t.Errorf("event is %s, want %s", got, want)
			}
		}
	})
}

// TestUninstalled: what is not installed can't be written either.
func TestUninstalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := served(carp("a/one"))
		api.Uninstall()
		for _, r := range [][2]string{{"PUT", "carps/one"}, {"PATCH", "carps/one"}, {"DELETE", "carps/one"}, {"DELETE", "carps"}, {"GET", "carps/one/status"}, {"GET", "carps/one/scale"}} {
			if code, body := do(t, client, r[0], carpsPath+"namespaces/a/"+r[1], "{}"); code != http.StatusNotFound || body != "404 page not found\n" {
				t.Errorf("%s %s is %d %s", r[0], r[1], code, body)
			}
		}
	})
}

// TestDecodeErrors: bodies that are no objects are refused, in each format.
func TestDecodeErrors(t *testing.T) {
	e := newEndpoint(&NewAPI[*testv1.Carp]().engine, carps, "Carp", ServeOptions{})
	for _, b := range []body{
		{jsonType, []byte(`{"metadata":`)},
		{yamlType, []byte("\t")},
		{protoType, []byte("k8s")},
		{protoType, []byte("k8s\x00\xff")},
		{protoType, []byte("k8s\x00\x12\x01\xff")},
	} {
		if _, err := e.createObject(write{body: b}); !apierrors.IsBadRequest(err) {
			t.Errorf("%s %q: %v", b.kind, b.text, err)
		}
	}
}
