package source_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

var podResource = corev1.SchemeGroupVersion.WithResource("pods")

// podServer answers lists with a list that a test changes, and each watch with 410, so that informers
// list all the time, unless it is quiet: then watches have no events.
type podServer struct {
	contentType string

	mu    sync.Mutex
	list  response
	quiet bool
	// initial has the events of the first watch-list.
	initial string
}

// response is a list of pods, as far as it says what it is. A pod on a node of no name can't be decoded.
type response struct {
	apiVersion, kind, version string
	pods                      []corev1.Pod
}

func (s *podServer) answer(list response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = list
}

// silence is the body of a watch without events.
type silence struct{ context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.Done()
	return 0, s.Err()
}

func (s silence) Close() error { return nil }

func (s *podServer) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(contentType string, body io.ReadCloser) *http.Response {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Request: req, Body: body}
	}
	if req.URL.Query().Get("watch") != "" && s.quiet {
		return answer(runtime.ContentTypeJSON, silence{req.Context()}), nil
	} else if req.URL.Query().Get("watch") != "" {
		events := s.initial + `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`
		s.initial = ""
		return answer(runtime.ContentTypeJSON, io.NopCloser(strings.NewReader(events))), nil
	}
	body, err := s.list.encode(s.contentType)
	return answer(s.contentType, io.NopCloser(bytes.NewReader(body))), err
}

func (r response) encode(contentType string) ([]byte, error) {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: r.version}, Items: r.pods}
	if contentType == runtime.ContentTypeProtobuf {
		message, err := list.Marshal()
		if err != nil {
			return nil, err
		}
		envelope, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: r.apiVersion, Kind: r.kind}, Raw: message}).Marshal()
		return append([]byte("k8s\x00"), envelope...), err
	}
	members := []string{fmt.Sprintf(`"metadata":{"resourceVersion":%q},"items":[`, r.version)}
	for i, pod := range r.pods {
		if i > 0 {
			members = append(members, ",")
		}
		spec := "{}"
		if pod.Spec.NodeName == "" {
			spec = `"no object"`
		}
		members = append(members, fmt.Sprintf(`{"metadata":{"namespace":"ns","name":%q,"uid":%q,"resourceVersion":"5"},"spec":%s}`, pod.Name, pod.UID, spec))
	}
	head := ""
	if r.kind != "" {
		head += fmt.Sprintf(`"kind":%q,`, r.kind)
	}
	if r.apiVersion != "" {
		head += fmt.Sprintf(`"apiVersion":%q,`, r.apiVersion)
	}
	return []byte("{" + head + strings.Join(members, "") + "]}"), nil
}

// clients are the ways to list pods. What an informer over each makes of an answer is in TestProof.
var clients = []struct {
	name, contentType string
	objects           func(*rest.Config) (cache.Objects, error)
}{
	{"REST in JSON", runtime.ContentTypeJSON, overREST[*corev1.Pod]},
	{"REST in protobuf", runtime.ContentTypeProtobuf, overREST[*corev1.Pod]},
	{"REST, unstructured", runtime.ContentTypeJSON, overREST[*unstructured.Unstructured]},
	{"REST, metadata", runtime.ContentTypeJSON, overREST[*metav1.PartialObjectMetadata]},
	{"clientset", runtime.ContentTypeProtobuf, overClientset},
	{"clientset that decodes JSON", runtime.ContentTypeJSON, overDecodingClientset},
	{"clientset that decodes protobuf", runtime.ContentTypeProtobuf, overDecodingClientset},
	{"dynamic client", runtime.ContentTypeJSON, func(cfg *rest.Config) (cache.Objects, error) {
		client, err := dynamic.NewForConfig(cfg)
		return source.ClientsetObjects[*unstructured.Unstructured](client, podResource, "", func() source.ResourceClient[*unstructured.UnstructuredList] { return client.Resource(podResource) }), err
	}},
	{"metadata client", runtime.ContentTypeJSON, func(cfg *rest.Config) (cache.Objects, error) {
		client, err := metadata.NewForConfig(cfg)
		return source.ClientsetObjects[*metav1.PartialObjectMetadata](client, podResource, "", func() source.ResourceClient[*metav1.PartialObjectMetadataList] { return client.Resource(podResource) }), err
	}},
}

func overREST[T runtime.Object](cfg *rest.Config) (cache.Objects, error) {
	client, err := source.NewClient(cfg)
	return client.Objects(reflect.TypeFor[T](), podResource, ""), err
}

func overClientset(cfg *rest.Config) (cache.Objects, error) {
	clientset, err := kubernetes.NewForConfig(cfg)
	return source.ClientsetObjects[*corev1.Pod](clientset, podResource, "", func() source.ResourceClient[*corev1.PodList] { return clientset.CoreV1().Pods("") }), err
}

// overDecodingClientset has a client in a wrapper, which decodes what it lists.
func overDecodingClientset(cfg *rest.Config) (cache.Objects, error) {
	clientset, err := kubernetes.NewForConfig(cfg)
	return source.ClientsetObjects[*corev1.Pod](clientset, podResource, "", func() source.ResourceClient[*corev1.PodList] {
		return struct{ typedcorev1.PodInterface }{clientset.CoreV1().Pods("")}
	}), err
}

// When the objects that a list does not have are deleted: at once if it proves that they are gone,
// later if it is doubtful and stays so, and never if the client refuses it. Clients of client-go refuse
// some lists, fill some in, and return others empty, without even a version.
func TestProof(t *testing.T) {
	const atOnce, later, never = "at once", "later", "never"
	for _, test := range []struct {
		name string
		list response
		// rest, and the other fields, have when objects are deleted: over REST and over a clientset, over
		// clientsets that decode JSON and protobuf, over a dynamic client and over a metadata client.
		rest, inJSON, inProtobuf, dynamic, metadata string
	}{
		{"its own", response{"v1", "PodList", "9", nil}, atOnce, atOnce, atOnce, atOnce, atOnce},
		{"its own, without a version", response{"v1", "PodList", "", nil}, atOnce, atOnce, later, atOnce, atOnce},
		{"its own, of version 0", response{"v1", "PodList", "0", nil}, atOnce, atOnce, atOnce, atOnce, atOnce},
		{"no kind", response{"", "", "9", nil}, later, atOnce, atOnce, never, never},
		{"no kind and no version", response{"", "", "", nil}, later, atOnce, later, never, never},
		{"any kind", response{"v1", "List", "9", nil}, later, later, later, later, atOnce},
		{"another kind", response{"v1", "NodeList", "9", nil}, later, later, later, later, atOnce},
		{"another kind, with objects", response{"v1", "NodeList", "9", []corev1.Pod{podNamed("other")}}, later, later, later, later, atOnce},
		{"another group", response{"example.com/v1", "PodList", "9", nil}, later, never, never, later, atOnce},
		{"another version", response{"v2", "PodList", "9", nil}, later, never, never, later, atOnce},
	} {
		wants := map[string]string{
			"clientset that decodes JSON": test.inJSON, "clientset that decodes protobuf": test.inProtobuf,
			"dynamic client": test.dynamic, "metadata client": test.metadata,
		}
		for _, client := range clients {
			want := cmp.Or(wants[client.name], test.rest)
			t.Run(test.name+"/"+client.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := &podServer{contentType: client.contentType, list: response{"v1", "PodList", "7", []corev1.Pod{podNamed("a"), podNamed("b")}}}
					cfg := &rest.Config{Host: "http://memory", Transport: server, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: client.contentType}}
					objects, err := client.objects(cfg)
					if err != nil {
						t.Fatal(err)
					}
					f := followProof(t, objects)
					time.Sleep(time.Minute)
					server.answer(test.list)
					time.Sleep(4 * time.Minute)
					got := never
					if !f.has("a") {
						got = atOnce
					}
					time.Sleep(6 * time.Minute)
					if got == never && !f.has("a") {
						got = later
					}
					if got != want {
						t.Errorf("deleted %s, want %s; status: %v", got, want, f.informer.Status())
					}
					if logged := strings.Contains(f.log.String(), "Doubtful list counts"); logged != (got == later) {
						t.Errorf("deleted %s, logged: %v", got, logged)
					}
				})
			})
		}
	}
}

// What a list said that counted, the next one may say: the kind of its lists, a wrong group, or nothing.
func TestProofIsLearned(t *testing.T) {
	a := []corev1.Pod{podNamed("a")}
	for name, steps := range map[string][]struct {
		list response
		// after is when the list counts.
		after time.Duration
	}{
		"a kind of lists":         {{response{"v1", "PodCollection", "7", a}, 0}, {response{"v1", "PodCollection", "", nil}, 0}},
		"another kind":            {{response{"v1", "PodList", "7", a}, 0}, {response{"v1", "PodCollection", "8", nil}, 5 * time.Minute}, {response{"v1", "PodCollection", "9", a}, 0}, {response{"v1", "PodCollection", "", nil}, 0}},
		"a group":                 {{response{"pods/v1", "PodList", "7", a}, 5 * time.Minute}, {response{"pods/v1", "PodList", "8", nil}, 0}},
		"no kind":                 {{response{"", "", "7", a}, 0}, {response{"", "", "8", nil}, 0}},
		"no kind any more":        {{response{"v1", "PodList", "7", a}, 0}, {response{"", "", "8", nil}, 5 * time.Minute}, {response{"", "", "9", a}, 0}, {response{"", "", "10", nil}, 0}},
		"no kind, and no version": {{response{"", "", "7", a}, 0}, {response{"", "", "", nil}, 5 * time.Minute}, {response{"", "", "", a}, 0}, {response{"", "", "", nil}, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &podServer{contentType: runtime.ContentTypeJSON, list: steps[0].list}
				objects, err := overREST[*unstructured.Unstructured](&rest.Config{Host: "http://memory", Transport: server, QPS: -1})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				f := followProof(t, objects)
				if took := time.Since(began); took < steps[0].after {
					t.Errorf("step 0: counts after %v", took)
				}
				for i, step := range steps {
					server.answer(step.list)
					if i > 0 && step.after > 0 {
						time.Sleep(step.after - time.Second)
						if f.has("a") == (step.list.pods != nil) {
							t.Errorf("step %d: counts too early", i)
						}
					}
					time.Sleep(3 * time.Minute) // more than two backoffs
					if f.has("a") != (step.list.pods != nil) {
						t.Errorf("step %d: does not count; status: %v", i, f.informer.Status())
					}
				}
			})
		})
	}
}

// Before the first list, the objects of a watch-list show which kind lists should have.
func TestProofAfterAWatchList(t *testing.T) {
	for _, test := range []struct {
		list  response
		gone4 bool
	}{
		{response{"v1", "PodList", "", nil}, true},
		{response{"", "", "9", nil}, false},
		{response{"v1", "NodeList", "9", nil}, false},
	} {
		for _, over := range []func(*rest.Config) (cache.Objects, error){overREST[*corev1.Pod], overREST[*unstructured.Unstructured]} {
			synctest.Test(t, func(t *testing.T) {
				server := &podServer{contentType: runtime.ContentTypeJSON, list: test.list, initial: `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns","name":"a","resourceVersion":"5"}}}
					{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}`}
				objects, err := over(&rest.Config{Host: "http://memory", Transport: server, QPS: -1})
				if err != nil {
					t.Fatal(err)
				}
				f := followProof(t, objects)
				time.Sleep(4 * time.Minute)
				if gone := !f.has("a"); gone != test.gone4 {
					t.Errorf("%+v: deleted: %v; status: %v", test.list, gone, f.informer.Status())
				}
				time.Sleep(4 * time.Minute)
				if f.has("a") {
					t.Errorf("%+v: never deleted; status: %v", test.list, f.informer.Status())
				}
			})
		}
	}
}

// An object that is read by its name, to be confirmed or since it could not be decoded, is not taken
// for gone when a doubtful list answers.
func TestProofOfOneObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := podNamed("a"), podNamed("b")
		server := &podServer{contentType: runtime.ContentTypeJSON, list: response{"v1", "PodList", "7", []corev1.Pod{a, b}}}
		objects, err := overREST[*corev1.Pod](&rest.Config{Host: "http://memory", Transport: server, QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		f := followProof(t, objects)
		b.Spec.NodeName = ""
		server.answer(response{"v1", "PodList", "7", []corev1.Pod{a, b}})
		time.Sleep(2 * time.Minute)
		server.mu.Lock()
		server.quiet = true
		server.mu.Unlock()
		time.Sleep(2 * time.Minute)
		if f.informer.Status().LeftOut != 1 {
			t.Fatalf("status: %v", f.informer.Status())
		}
		server.answer(response{"", "", "", nil})
		time.Sleep(time.Hour)
		if !f.has("a") || !f.has("b") {
			t.Errorf("deleted by a list without a kind; status: %v", f.informer.Status())
		}
		_, _, err = f.informer.Confirm(t.Context(), types.NamespacedName{Namespace: "ns", Name: "a"})
		if err == nil || !strings.Contains(err.Error(), "doubtful list") {
			t.Errorf("confirmed: %v", err)
		}
		if err := f.informer.WaitForLatest(t.Context()); err == nil || !strings.Contains(err.Error(), "doubtful list") {
			t.Errorf("waited for the latest: %v", err)
		}
		server.answer(response{"v1", "PodList", "9", nil})
		time.Sleep(time.Hour)
		if !f.has("a") || f.has("b") {
			t.Errorf("the object that was looked up is not deleted, or another one; status: %v", f.informer.Status())
		}
	})
}

func podNamed(name string) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name), ResourceVersion: "5"}, Spec: corev1.PodSpec{NodeName: "node"}}
}

// proofFollower runs an informer until the end of the test.
type proofFollower struct {
	informer *cache.Informer[runtime.Object]
	log      *syncBuffer
}

func followProof(t *testing.T, objects cache.Objects) proofFollower {
	f := proofFollower{cache.New(cache.Source[runtime.Object]{Objects: objects}, cache.Options[runtime.Object]{}), &syncBuffer{}}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(f.log)))
	ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logger))
	ended := make(chan error)
	go func() { ended <- f.informer.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	if err := f.informer.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f proofFollower) has(name string) bool {
	_, exists := f.informer.Store().Get(types.NamespacedName{Namespace: "ns", Name: name})
	return exists
}

// syncBuffer is a buffer for several goroutines.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
