package clients_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/source"
)

var configMaps = clients.NewResource[*corev1.ConfigMap, *corev1.ConfigMapList](corev1.SchemeGroupVersion.WithKind("ConfigMap"), "configmaps")

// exchange has the sent and the received parts of one request.
type exchange struct{ method, sent, accepted, received string }

// log is a transport that keeps the content types.
type log struct {
	next http.RoundTripper

	mu        sync.Mutex
	exchanges []exchange
}

func (l *log) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	e := exchange{method: r.Method, sent: r.Header.Get("Content-Type"), accepted: r.Header.Get("Accept")}
	if err == nil {
		e.received = resp.Header.Get("Content-Type")
	}
	l.exchanges = append(l.exchanges, e)
	return resp, err
}

// serve returns a connection to a server with config maps.
func serve(t *testing.T, config rest.Config) (*source.Client, *log) {
	t.Helper()
	server := cachetest.NewServer()
	api := cachetest.NewAPI[*corev1.ConfigMap]()
	cachetest.Serve(server, corev1.SchemeGroupVersion.WithResource("configmaps"), "ConfigMap", api)
	log := &log{next: server}
	config.Host, config.Transport = "http://cachetest", log
	client, err := source.NewClient(&config)
	if err != nil {
		t.Fatal(err)
	}
	return client, log
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"key": "value"}}
}

// Each method does what its verb says, without a scheme that knows the type.
func TestVerbs(t *testing.T) {
	t.Parallel()
	connection, _ := serve(t, rest.Config{})
	client, ctx := configMaps.Client(connection, "team"), t.Context()

	created, err := client.Create(ctx, configMap("a"), metav1.CreateOptions{})
	if err != nil || created.Namespace != "team" || created.UID == "" {
		t.Fatalf("created %v: %v", created, err)
	}
	events, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: created.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()

	changed := created.DeepCopy()
	changed.Data["key"] = "other"
	updated, err := client.Update(ctx, changed, metav1.UpdateOptions{})
	if err != nil || updated.Data["key"] != "other" {
		t.Errorf("updated %v: %v", updated, err)
	}
	if event := <-events.ResultChan(); event.Type != watch.Modified || event.Object.(*corev1.ConfigMap).Data["key"] != "other" {
		t.Errorf("watched %v", event)
	}
	if _, err := client.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update of an old object: %v", err)
	}

	patched, err := client.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"key":null,"patched":"yes"}}`), metav1.PatchOptions{})
	if diff := cmp.Diff(map[string]string{"patched": "yes"}, patched.Data); err != nil || diff != "" {
		t.Errorf("patched: %v %s", err, diff)
	}
	fields := corev1apply.ConfigMap("a", "team").WithData(map[string]string{"applied": "yes"})
	applied, err := client.Apply(ctx, fields, metav1.ApplyOptions{FieldManager: "test"})
	if diff := cmp.Diff(map[string]string{"patched": "yes", "applied": "yes"}, applied.Data); err != nil || diff != "" {
		t.Errorf("applied: %v %s", err, diff)
	}
	var none *corev1apply.ConfigMapApplyConfiguration
	if _, err := client.Apply(ctx, none, metav1.ApplyOptions{FieldManager: "test"}); err == nil {
		t.Error("applied nil: no error")
	}
	if _, err := client.ApplyStatus(ctx, nil, metav1.ApplyOptions{FieldManager: "test"}); err == nil {
		t.Error("applied nil: no error")
	}

	got, err := client.Get(ctx, "a", metav1.GetOptions{})
	if diff := cmp.Diff(applied, got); err != nil || diff != "" {
		t.Errorf("got: %v %s", err, diff)
	}
	if _, err := client.Create(ctx, configMap("b"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	list, err := configMaps.Client(connection, "").List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Errorf("listed %v: %v", list, err)
	}
	if err := client.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got what was deleted: %v", err)
	}
	if err := client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if list, err := client.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 0 {
		t.Errorf("left %v: %v", list, err)
	}
}

// Requests send JSON, and accept the formats that the configuration says and the type has.
func TestContentTypes(t *testing.T) {
	t.Parallel()
	const json, protobuf = "application/json", "application/vnd.kubernetes.protobuf"
	for _, test := range []struct {
		name               string
		config             rest.ContentConfig
		accepted, received string
	}{
		{"default", rest.ContentConfig{}, protobuf + "," + json, protobuf},
		{"protobuf", rest.ContentConfig{ContentType: protobuf}, protobuf + "," + json, protobuf},
		{"JSON", rest.ContentConfig{ContentType: json}, json, json},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			connection, log := serve(t, rest.Config{ContentConfig: test.config})
			if created, err := configMaps.Client(connection, "team").Create(t.Context(), configMap("a"), metav1.CreateOptions{}); err != nil || created.Data["key"] != "value" {
				t.Errorf("created %v: %v", created, err)
			}
			want := []exchange{{http.MethodPost, json, test.accepted, test.received}}
			if diff := cmp.Diff(want, log.exchanges, cmp.AllowUnexported(exchange{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Clients have the rate limiter of the connection.
func TestRateLimiter(t *testing.T) {
	t.Parallel()
	connection, log := serve(t, rest.Config{RateLimiter: flowcontrol.NewFakeNeverRateLimiter()})
	if _, err := configMaps.Client(connection, "team").Get(t.Context(), "a", metav1.GetOptions{}); err == nil || len(log.exchanges) > 0 {
		t.Errorf("error %v, requests %v", err, log.exchanges)
	}
}

// A connection that could not be made is the error of each request.
func TestNilClient(t *testing.T) {
	t.Parallel()
	client := configMaps.Client(nil, "team")
	_, err := client.Get(t.Context(), "a", metav1.GetOptions{})
	if err == nil || !strings.Contains(err.Error(), "client: is nil") {
		t.Errorf("get: %v", err)
	}
	if _, err := client.Create(t.Context(), configMap("a"), metav1.CreateOptions{}); err == nil {
		t.Error("create: no error")
	}
}

// A kind may have a name that a type of every API group has, such as Status.
func TestKindNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Status", "ListOptions", "WatchEvent", "DeleteOptions"} {
		kind := corev1.SchemeGroupVersion.WithKind(name)
		kind.Group = "shop.example.com"
		connection, _ := serve(t, rest.Config{})
		things := clients.NewResource[*corev1.ConfigMap, *corev1.ConfigMapList](kind, "things").Client(connection, "team")
		if err := things.Delete(t.Context(), "a", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// respond is a transport that sends one response to all requests.
type respond string

func (r respond) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(string(r))),
	}, nil
}

// respondProtobuf is respond in protobuf.
type respondProtobuf string

func (r respondProtobuf) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := respond(r).RoundTrip(req)
	resp.Header.Set("Content-Type", runtime.ContentTypeProtobuf)
	return resp, err
}

// A Status with code 200 is no list and no object: a failure is the error that it says, and a success an
// error that says so.
func TestStatusInPlaceOfAResponse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status metav1.Status
		says   string
		is     func(error) bool
	}{
		{"failure", cachetest.Status(http.StatusForbidden).ErrStatus, "scripted fault", apierrors.IsForbidden},
		{"failure without a message", metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}, "status without a message", apierrors.IsNotFound},
		{"success", metav1.Status{Status: metav1.StatusSuccess, Message: "hello"}, `is a Status (Success), message "hello"`, isNoStatus},
		{"neither", metav1.Status{}, "status without a message", func(err error) bool { return !isNoStatus(err) }},
	} {
		test.status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
		for name, transport := range map[string]http.RoundTripper{"JSON": respond(encode(t, &test.status, runtime.ContentTypeJSON)), "protobuf": respondProtobuf(encode(t, &test.status, runtime.ContentTypeProtobuf))} {
			t.Run(test.name+" in "+name, func(t *testing.T) {
				t.Parallel()
				client := configMaps.Client(must(source.NewClient(&rest.Config{Host: "http://none", Transport: transport}))(t), "team")
				_, listErr := client.List(t.Context(), metav1.ListOptions{})
				_, getErr := client.Get(t.Context(), "a", metav1.GetOptions{})
				for _, err := range []error{listErr, getErr} {
					if err == nil || !strings.Contains(err.Error(), test.says) || !test.is(err) {
						t.Errorf("error %v, want %q", err, test.says)
					}
				}
			})
		}
	}
}

// isNoStatus reports whether an error does not say what the server decided.
func isNoStatus(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status)
}

// encode returns an object in a content type.
func encode(t *testing.T, obj runtime.Object, contentType string) string {
	t.Helper()
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), contentType)
	return string(must(runtime.Encode(info.Serializer, obj))(t))
}

func must[V any](value V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// A CustomResourceDefinition chooses the kind of its lists; the kind of the objects is a promise.
func TestListKinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body, fails string
	}{
		{"its name", `{"kind":"ConfigMapList","apiVersion":"v1","items":[{"kind":"ConfigMap","apiVersion":"v1"}]}`, ""},
		{"another name", `{"kind":"ConfigMapCollection","apiVersion":"v1","items":[{"kind":"ConfigMap","apiVersion":"v1"}]}`, ""},
		{"no name", `{"items":[{"kind":"ConfigMap","apiVersion":"v1"}]}`, ""},
		{"items without a kind", `{"kind":"ConfigMapCollection","apiVersion":"v1","items":[{}]}`, ""},
		{"other objects", `{"kind":"SecretList","apiVersion":"v1","items":[{"kind":"Secret","apiVersion":"v1"}]}`, "has a Secret"},
		{"another group", `{"kind":"ConfigMapList","apiVersion":"example.com/v1","items":[{}]}`, "not a list of"},
		{"an object", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`, "not a list of"},
		{"a table", `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`, "not a list of"},
		{"no JSON", `<html>`, "invalid character"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			connection, err := source.NewClient(&rest.Config{Host: "http://none", Transport: respond(test.body)})
			if err != nil {
				t.Fatal(err)
			}
			list, err := configMaps.Client(connection, "team").List(t.Context(), metav1.ListOptions{})
			switch {
			case test.fails == "" && (err != nil || len(list.Items) != 1):
				t.Errorf("listed %v: %v", list, err)
			case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
				t.Errorf("error %v, want %q", err, test.fails)
			}
		})
	}
}
