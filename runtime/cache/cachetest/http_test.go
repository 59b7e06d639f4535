package cachetest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

var carps = schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: "carps"}

const carpsPath = "http://cachetest/apis/pond.test/v1/"

// served is an API with a server before it, and a client of that.
func served(objs ...*testv1.Carp) (*API[*testv1.Carp], *http.Client) {
	api := NewAPI(objs...)
	server := NewServer()
	Serve(server, carps, "Carp", api)
	return api, &http.Client{Transport: server}
}

// do sends a request and returns the code and the body of the answer.
func do(t testing.TB, client *http.Client, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func TestHTTPObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := served(carp("a/one"))
		api.Fail(Fault{Verb: List, Times: -1, Err: Status(http.StatusInternalServerError)}) // not for these
		for _, step := range []struct {
			method, path, body string
			code               int
			want               string // contained in the answer
		}{
			{"GET", "namespaces/a/carps/one", "", 200, `"kind":"Carp","apiVersion":"pond.test/v1","metadata":{"name":"one","namespace":"a"`},
			{"GET", "namespaces/a/carps/two", "", 404, `"message":"carps.pond.test \"two\" not found"`},
			{"POST", "namespaces/a/carps", `{"kind":"Carp","apiVersion":"pond.test/v1","metadata":{"name":"two"}}`, 201, `"resourceVersion":"3"`},
			{"POST", "namespaces/a/carps", `{"metadata":{"name":"two"}}`, 409, `"reason":"AlreadyExists"`},
			{"POST", "namespaces/a/carps", `{"metadata":{"name":"two","namespace":"b"}}`, 400, `does not match the namespace`},
			{"POST", "namespaces/a/carps", `{"kind":"Pike","apiVersion":"pond.test/v1","metadata":{"name":"x"}}`, 400, `expected a pond.test/v1, Kind=Carp`},
			{"POST", "namespaces/a/carps", `{"metadata":7}`, 400, `"reason":"BadRequest"`},
			{"PUT", "namespaces/a/carps/two", `{"metadata":{"name":"two","resourceVersion":"3"},"spec":{"nodeName":"n"}}`, 200, `"resourceVersion":"4"`},
			{"PUT", "namespaces/a/carps/two", `{"metadata":{"name":"two","resourceVersion":"3"}}`, 409, `"reason":"Conflict"`},
			{"PUT", "namespaces/a/carps/two", `{"metadata":{"name":"one"}}`, 400, `the name of the object (one) does not match the name on the URL (two)`},
			{"DELETE", "namespaces/a/carps/two", `{"preconditions":{"resourceVersion":"3"}}`, 409, `"reason":"Conflict"`},
			{"DELETE", "namespaces/a/carps/two", `{"kind":"DeleteOptions","apiVersion":"v1"}`, 200, `"status":"Success"`},
			{"DELETE", "namespaces/a/carps/two", ``, 404, `"reason":"NotFound"`},
			{"PATCH", "namespaces/a/carps/one", `{}`, 415, `"reason":"UnsupportedMediaType"`},
			{"PUT", "namespaces/a/carps", ``, 405, `"reason":"MethodNotAllowed"`},
			{"DELETE", "namespaces/a/carps/one/status", ``, 405, `"reason":"MethodNotAllowed"`},
			{"GET", "namespaces/a/carps/one/status", ``, 200, `"name":"one"`},
			{"GET", "namespaces/a/carps/one/scale", ``, 404, `"reason":"NotFound"`},
			{"DELETE", "namespaces/a/carps", ``, 200, `"items":[{"kind":"Carp"`},
			{"GET", "namespaces/a/carps/one", ``, 404, `"reason":"NotFound"`},
			{"GET", "pikes", ``, 404, "404 page not found"},
		} {
			code, body := do(t, client, step.method, carpsPath+step.path, step.body)
			if code != step.code || !strings.Contains(body, step.want) {
				t.Errorf("%s %s %s: %d %s\nwant %d and %s", step.method, step.path, step.body, code, body, step.code, step.want)
			}
		}
	})
}

func TestParsePath(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/pods":                        "/v1, Resource=pods /",
		"/api/v1/namespaces":                  "/v1, Resource=namespaces /",
		"/api/v1/namespaces/a":                "/v1, Resource=namespaces /a",
		"/api/v1/namespaces/a/pods":           "/v1, Resource=pods a/",
		"/api/v1/namespaces/a/pods/p":         "/v1, Resource=pods a/p",
		"/apis/apps/v1/deployments":           "apps/v1, Resource=deployments /",
		"/apis/pond.test/v1/ponds/p":          "pond.test/v1, Resource=ponds /p",
		"/api/v1":                             "",
		"/apis/apps/v1":                       "",
		"/version":                            "",
		"/api/v1/namespaces/a/pods/p/log":     "/v1, Resource=pods a/p log",
		"/api/v1/namespaces/a/pods/p/log/x":   "",
		"/api/v1/namespaces/a/status":         "/v1, Resource=namespaces /a status",
		"/apis/pond.test/v1/carps/one/status": "pond.test/v1, Resource=carps /one status",
	} {
		got := ""
		if target, ok := parsePath(path); ok {
			got = strings.TrimSpace(target.resource.String() + " " + target.key.Namespace + "/" + target.key.Name + " " + target.subresource)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

func TestHTTPList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := served(carp("a/one"), carp("a/two", "app=x"), carp("b/three"))
		var page struct {
			metav1.TypeMeta
			metav1.ListMeta `json:"metadata"`
			Items           []*testv1.Carp
		}
		code, body := do(t, client, "GET", carpsPath+"namespaces/a/carps?limit=1", "")
		if err := json.Unmarshal([]byte(body), &page); code != 200 || err != nil {
			t.Fatalf("%d %s: %v", code, body, err)
		}
		if page.Kind != "CarpList" || page.APIVersion != "pond.test/v1" || page.ResourceVersion != "4" || page.Continue == "" || page.Items[0].Kind != "Carp" {
			t.Errorf("page is %s", body)
		}
		if got := names(page.Items); !cmp.Equal(got, []string{"a/one@2"}) {
			t.Errorf("items are %v", got)
		}
		if code, body := do(t, client, "GET", carpsPath+"carps?labelSelector=app%3Dy", ""); code != 200 || !strings.Contains(body, `"items":[]`) {
			t.Errorf("empty list is %d %s", code, body)
		}
		want := []Request{
			{Verb: List, Namespace: "a", Options: metav1.ListOptions{Limit: 1}, Arrived: time.Now(), Answered: true},
			{Verb: List, Options: metav1.ListOptions{LabelSelector: "app=y"}, Arrived: time.Now(), Answered: true},
		}
		if diff := cmp.Diff(want, api.Requests()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHTTPListFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := served(carp("a/one"), carp("a/two"))
		get := func() (*http.Response, string, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, "GET", carpsPath+"carps", nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.Do(req)
			if err != nil {
				return nil, "", err
			}
			defer func() { _ = res.Body.Close() }()
			body, err := io.ReadAll(res.Body)
			return res, string(body), err
		}

		api.Fail(Fault{Err: StatusRetryAfter(http.StatusTooManyRequests, 7)})
		if res, body, err := get(); err != nil || res.StatusCode != 429 || res.Header.Get("Retry-After") != "7" || !strings.Contains(body, `"reason":"TooManyRequests"`) {
			t.Errorf("429 is %v %s %v", res, body, err)
		}
		api.Fail(Fault{Err: ErrConnectionRefused})
		if _, _, err := get(); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("error is %v", err)
		}
		api.Fail(Fault{After: 1, Err: ErrConnectionReset})
		if res, body, err := get(); !errors.Is(err, syscall.ECONNRESET) || res.StatusCode != 200 || !strings.HasSuffix(body, "}") {
			t.Errorf("list that breaks is %s, %v", body, err)
		}
		api.Fail(Fault{Hang: true})
		if _, _, err := get(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		api.Fail(Fault{Err: &failure.ObjectError{Err: errors.New("bad")}})
		_, body, err := get()
		if want := `"metadata":{"labels":"object \"a/one\": bad","name":"one","namespace":"a"}`; err != nil || !strings.Contains(body, want) {
			t.Errorf("list with a bad item is %s, %v", body, err)
		}
		if _, _, err := get(); err != nil {
			t.Error(err)
		}
	})
}

// TestHTTPBodies: what is wrong with a body of status 200, and nothing else.
func TestHTTPBodies(t *testing.T) {
	for name, test := range map[string]struct {
		fault       Fault
		list, watch []string // "ok" or why it does not decode, item by item and event by event
	}{
		"none":              {Fault{}, []string{"ok"}, []string{"ok", "ok"}},
		"truncated at once": {Fault{Err: ErrTruncated}, []string{"unexpected end of JSON input"}, []string{"unexpected end of JSON input"}},
		"truncated":         {Fault{After: 1, Err: ErrTruncated}, []string{"unexpected end of JSON input"}, []string{"ok", "unexpected end of JSON input"}},
		"garbled":           {Fault{After: 1, Err: ErrGarbled}, []string{`invalid character '\x00' looking for beginning of value`}, []string{"ok", `invalid character '\x00' looking for beginning of value`}},
		"garbled at once":   {Fault{Err: ErrGarbled}, []string{`invalid character '\x00' looking for beginning of value`}, []string{`invalid character '\x00' looking for beginning of value`, "ok"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, client := served(carp("a/one"), carp("a/two"))
				test.fault.Times = 2
				api.Fail(test.fault)
				check := func(what, query, separator string, want []string) {
					t.Helper()
					code, body := do(t, client, "GET", carpsPath+"carps?"+query, "")
					var got []string
					for part := range strings.SplitSeq(strings.TrimSuffix(body, separator), separator) {
						verdict := "ok"
						if err := json.Unmarshal([]byte(part), &struct{}{}); err != nil {
							verdict = err.Error()
						}
						got = append(got, verdict)
					}
					if code != http.StatusOK || !cmp.Equal(got, want) {
						t.Errorf("%s is %d %q: %q, want %q", what, code, body, got, want)
					}
				}
				check("list", "", "\x01", test.list)
				check("watch", "watch=1&resourceVersion=1&timeoutSeconds=1", "\n", test.watch)
			})
		})
	}
}

// TestHTTPPadding: an object is as much longer as it should be, and the same
// object.
func TestHTTPPadding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := served(carp("a/one"), carp("a/two"))
		for _, query := range []string{"", "watch=1&resourceVersion=1&timeoutSeconds=1"} {
			_, plain := do(t, client, "GET", carpsPath+"carps?"+query, "")
			api.Fail(Fault{After: 1, Padding: 1000})
			_, padded := do(t, client, "GET", carpsPath+"carps?"+query, "")
			begin, end := strings.Index(padded, `"padding"`), strings.LastIndex(padded, `x",`)+3
			if got := len(padded) - len(plain); got != 1000 || begin < len(plain)/3 || padded[:begin]+padded[end:] != plain {
				t.Errorf("%q is longer by %d: %s", query, got, padded)
			}
		}
	})
}

// TestHTTPNotFound: a resource that is not there, and any other answer that is
// no status, is text.
func TestHTTPNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := served()
		api.Fail(Fault{Err: apierrors.NewGenericServerResponse(http.StatusBadGateway, "GET", schema.GroupResource{}, "", "<html>", 0, true)})
		if code, body := do(t, client, "GET", carpsPath+"carps", ""); code != http.StatusBadGateway || body != "<html>\n" {
			t.Errorf("proxy's answer is %d %q", code, body)
		}
		api.Uninstall()
		for _, request := range [][]string{{"GET", "carps", ""}, {"GET", "carps?watch=1", ""}, {"POST", "namespaces/a/carps", `{"metadata":{"name":"one"}}`}} {
			if code, body := do(t, client, request[0], carpsPath+request[1], request[2]); code != http.StatusNotFound || body != "404 page not found\n" {
				t.Errorf("%s %s is %d %q", request[0], request[1], code, body)
			}
		}
	})
}

// watchHTTP opens a watch and returns a function that reads its next line.
func watchHTTP(t testing.TB, client *http.Client, url string) (next func() string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 {
		t.Fatalf("code is %d", res.StatusCode)
	}
	lines := bufio.NewReader(res.Body)
	next = func() string {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err.Error()
		}
		var event struct {
			Type   string
			Object struct {
				Code     int
				Metadata struct {
					Name, ResourceVersion string
					Annotations           map[string]string
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return fmt.Sprintf("%s: %v", line, err)
		}
		m := event.Object.Metadata
		text := fmt.Sprint(event.Type, " ", m.Name, "@", m.ResourceVersion)
		if event.Object.Code != 0 {
			text += fmt.Sprint(" code=", event.Object.Code)
		}
		if m.Annotations[metav1.InitialEventsAnnotationKey] == "true" {
			text += " end"
		}
		return text
	}
	return next, func() { cancel(); _ = res.Body.Close() }
}

// TestHTTPWatch runs through both transports: the one in memory, and a socket.
func TestHTTPWatch(t *testing.T) {
	run := func(t *testing.T, api *API[*testv1.Carp], client *http.Client, host string) {
		base := host + "/apis/pond.test/v1/namespaces/a/carps?watch=true&allowWatchBookmarks=true"
		next, stop := watchHTTP(t, client, base+"&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
		defer stop()
		expect := func(want string) {
			t.Helper()
			if got := next(); got != want {
				t.Errorf("event is %q, want %q", got, want)
			}
		}
		expect("ADDED one@2")
		expect("BOOKMARK @2 end")
		must(api.Update(on("n", carp("a/one"))))(t)
		expect("MODIFIED one@3")
		must(api.Delete(key("a/one")))(t)
		expect("DELETED one@4")
		api.Bookmark()
		expect("BOOKMARK @4")
		api.CloseWatches()
		expect("EOF")

		api.Fail(Fault{After: 1, Err: Status(http.StatusInternalServerError)})
		next, stop = watchHTTP(t, client, base+"&resourceVersion=2")
		defer stop()
		expect("MODIFIED one@3")
		expect("ERROR @ code=500")
		expect("EOF")

		next, stop = watchHTTP(t, client, base+"&resourceVersion=4")
		defer stop()
		api.BreakWatches(nil)
		expect("unexpected EOF")
	}
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api, client := served(carp("a/one"))
			run(t, api, client, "http://cachetest")
			next, stop := watchHTTP(t, client, carpsPath+"carps?watch=1&resourceVersion=4&timeoutSeconds=60")
			defer stop()
			if got := next(); got != "EOF" {
				t.Errorf("event is %q at the timeout", got)
			}
			// A client that goes away leaves nothing behind.
			next, stop = watchHTTP(t, client, carpsPath+"carps?watch=1&resourceVersion=4")
			go func() { time.Sleep(time.Second); stop() }()
			if got := next(); got != context.Canceled.Error() && got != io.ErrClosedPipe.Error() {
				t.Errorf("event is %q after the end", got)
			}
			synctest.Wait()
			if got := api.Watches(); got != 0 {
				t.Errorf("%d watches are open", got)
			}
		})
	})
	t.Run("socket", func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		server := NewServer()
		Serve(server, carps, "Carp", api)
		socket := httptest.NewServer(server)
		defer socket.Close()
		run(t, api, socket.Client(), socket.URL)
	})
}

// TestHTTPUnstructured: objects that bring their own kind keep it.
func TestHTTPUnstructured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI[*unstructured.Unstructured]()
		server := NewServer()
		Serve(server, carps, "Carp", api)
		client := &http.Client{Transport: server}
		body := `{"kind":"Carp","apiVersion":"pond.test/v1","metadata":{"name":"one"},"spec":{"fins":7}}`
		if code, answer := do(t, client, "POST", carpsPath+"carps", body); code != 201 {
			t.Fatalf("%d %s", code, answer)
		}
		got := must(api.Get(key("/one")))(t)
		if fins, _, _ := unstructured.NestedInt64(got.Object, "spec", "fins"); fins != 7 || got.GetKind() != "Carp" {
			t.Errorf("stored %v", got.Object)
		}
	})
}

// The kind of the objects that are served is the name of their Go type.
func TestServeObjects(t *testing.T) {
	server := NewServer()
	api := ServeObjects(server, carps, &testv1.Carp{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "first"}})
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, carpsPath+"namespaces/ns/carps", nil))
	if body := w.Body.String(); len(api.Objects()) != 1 || !strings.Contains(body, `"kind":"CarpList"`) || !strings.Contains(body, `"name":"first"`) {
		t.Errorf("got %s", body)
	}
}
