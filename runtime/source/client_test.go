package source

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

func TestRequest(t *testing.T) {
	type request struct{ Path, Query, Accept, UserAgent, Authorization string }
	var got request
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = request{r.URL.Path, r.URL.RawQuery, r.Header.Get("Accept"), r.Header.Get("User-Agent"), r.Header.Get("Authorization")}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			io.WriteString(w, `{"items":[]}`)
		}
	})
	cfg.UserAgent, cfg.BearerToken = "tester", "secret"
	seconds, yes := int64(5), true
	client := newClient(t, cfg)

	src := New[*corev1.Pod](client, pods, "ns")
	if _, _, _, err := listAll(t, src, metav1.ListOptions{ResourceVersion: "0", Limit: 500, LabelSelector: "a=b"}); err != nil {
		t.Fatal(err)
	}
	want := request{"/api/v1/namespaces/ns/pods", "labelSelector=a%3Db&limit=500&resourceVersion=0", protoType + "," + jsonType, "tester", "Bearer secret"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}

	w, err := New[*Widget](client, widgets, "").Watch(t.Context(), metav1.ListOptions{
		TimeoutSeconds: &seconds, SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: "NotOlderThan",
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
	want = request{
		"/apis/example.com/v1/widgets",
		"allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=5s&timeoutSeconds=5&watch=true",
		jsonType, "tester", "Bearer secret",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("watch (-want +got):\n%s", diff)
	}
}

func TestNoServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	_, _, _, err = listAll(t, New[*corev1.Pod](newClient(t, &rest.Config{Host: listener.Addr().String()}), pods, ""), metav1.ListOptions{})
	var opError *net.OpError
	if !errors.As(err, &opError) {
		t.Errorf("error %v", err)
	}
}

func TestTimeoutOfTheConfig(t *testing.T) {
	// An http.Client with a timeout wraps the body of the response, and the
	// content type has to be found all the same.
	cfg := serveBody(t, protoType, string(encoded(t, protoType, podList(1))))
	cfg.Timeout = time.Minute
	if got, _, _, err := listAll(t, New[*corev1.Pod](newClient(t, cfg), pods, ""), metav1.ListOptions{}); err != nil || len(got) != 1 {
		t.Errorf("%v, %d items", err, len(got))
	}
}

func TestAccept(t *testing.T) {
	const both = protoType + "," + jsonType
	pod, widget := &corev1.Pod{}, &Widget{}
	for _, c := range []struct {
		contentType, acceptTypes string
		objects                  runtime.Object
		want                     string
	}{
		{"", "", pod, both},
		{"", "", widget, jsonType},
		{jsonType, "", pod, jsonType},
		{protoType, "", pod, both},
		{protoType, "", widget, jsonType},
		{protoType, "application/json", pod, jsonType},
		{"", "application/json, " + protoType, pod, jsonType},
		{"", "application/vnd.kubernetes.protobuf;q=0.9", pod, both},
		{"application/cbor", "", pod, jsonType},
	} {
		client := newClient(t, &rest.Config{Host: "h", ContentConfig: rest.ContentConfig{ContentType: c.contentType, AcceptContentTypes: c.acceptTypes}})
		if got := client.accept(encodingsOf(reflect.TypeOf(c.objects))); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestClientIsShared(t *testing.T) {
	client := newClient(t, &rest.Config{Host: "h"})
	a, err := client.restClient(pods.GroupVersion())
	if err != nil {
		t.Fatal(err)
	}
	again, _ := client.restClient(pods.GroupVersion())
	b, err := client.restClient(schema.GroupVersion{Group: "apps", Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	if a != again {
		t.Error("REST client: made twice for one group and version")
	}
	other, err := client.RESTClient(pods.GroupVersion(), &Codecs{Serializer: statusCodecs.Serializer})
	if err != nil || other == a || other.GetRateLimiter() != a.GetRateLimiter() {
		t.Errorf("REST client with other codecs: %v, %v", other, err)
	}
	if a.GetRateLimiter() == nil || a.GetRateLimiter() != b.GetRateLimiter() {
		t.Error("rate limiter: not shared")
	}
	if limiter := mustREST(t, &rest.Config{Host: "h", QPS: -1}).GetRateLimiter(); limiter != nil {
		t.Error("rate limiter: exists with a negative QPS")
	}
}

func mustREST(t *testing.T, cfg *rest.Config) rest.Interface {
	t.Helper()
	client, err := newClient(t, cfg).restClient(pods.GroupVersion())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestConfigThatIsWrong(t *testing.T) {
	for _, cfg := range []*rest.Config{
		nil,
		{Host: "://"},
		{Host: "h", TLSClientConfig: rest.TLSClientConfig{CAFile: "/does/not/exist"}},
	} {
		if _, err := NewClient(cfg); err == nil {
			t.Errorf("%v: no error", cfg)
		}
	}
}

func TestStatusErrors(t *testing.T) {
	for _, c := range []struct {
		code       int
		retryAfter string
		body       string
		is         func(error) bool
	}{
		{403, "", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}`, apierrors.IsForbidden},
		{410, "", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"old","reason":"Expired","code":410}`, apierrors.IsResourceExpired},
		{410, "", `gone`, apierrors.IsGone},
		{404, "", `404 page not found`, apierrors.IsNotFound},
		{401, "", ``, apierrors.IsUnauthorized},
		{429, "7", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","details":{"retryAfterSeconds":7},"code":429}`, apierrors.IsTooManyRequests},
		{429, "7", `slow down`, apierrors.IsTooManyRequests},
		{503, "7", `starting`, apierrors.IsServiceUnavailable},
	} {
		requests := 0
		cfg := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			if c.retryAfter != "" {
				w.Header().Set("Retry-After", c.retryAfter)
			}
			if strings.HasPrefix(c.body, "{") {
				w.Header().Set("Content-Type", "application/json")
			}
			w.WriteHeader(c.code)
			io.WriteString(w, c.body)
		})
		src := New[*corev1.Pod](newClient(t, cfg), pods, "")
		_, _, _, listErr := listAll(t, src, metav1.ListOptions{})
		_, watchErr := src.Watch(t.Context(), metav1.ListOptions{})
		for _, err := range []error{listErr, watchErr} {
			if !c.is(err) {
				t.Errorf("%d %s: error %v", c.code, c.body, err)
			}
			if delay, ok := apierrors.SuggestsClientDelay(err); c.retryAfter != "" && (!ok || delay != 7) {
				t.Errorf("%d %s: delay %d, %v", c.code, c.body, delay, ok)
			}
		}
		if requests != 2 {
			t.Errorf("%d: %d requests for a list and a watch", c.code, requests)
		}
	}
}

// countingLimiter counts who waits for it.
type countingLimiter struct {
	flowcontrol.RateLimiter
	waits atomic.Int32
}

func (c *countingLimiter) Wait(context.Context) error {
	c.waits.Add(1)
	return nil
}

func TestListsAreLimitedAndWatchesAreNot(t *testing.T) {
	cfg := serveBody(t, "application/json", `{"items":[]}`)
	limiter := &countingLimiter{}
	cfg.RateLimiter = limiter
	src := New[*corev1.Pod](newClient(t, cfg), pods, "")
	if _, _, _, err := listAll(t, src, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	openWatch(t, src).Stop()
	if n := limiter.waits.Load(); n != 1 {
		t.Errorf("rate limiter: waited %d times for a list and a watch", n)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	for _, contentType := range []string{jsonType, protoType} {
		seen := map[string]bool{}
		body := encoded(t, contentType, podList(3))
		cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
			seen[r.RemoteAddr] = true
			w.Header().Set("Content-Type", contentType)
			w.Write(body)
		})
		src := New[*corev1.Pod](newClient(t, cfg), pods, "")
		for range 5 {
			if _, _, _, err := listAll(t, src, metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if len(seen) != 1 {
			t.Errorf("%s: %d connections for lists one after the other", contentType, len(seen))
		}
	}
}

func TestNoClient(t *testing.T) {
	if _, _, _, err := listAll(t, New[*corev1.Pod](nil, pods, ""), metav1.ListOptions{}); err == nil {
		t.Error("no error")
	}
}
