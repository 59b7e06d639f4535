package statuspage

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

var update = flag.Bool("update", false, "write the pictures of docs")

// get returns the answer of a page to a GET.
func get(t *testing.T, p http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	p.ServeHTTP(answer, request)
	return answer
}

func TestServeHTTP(t *testing.T) {
	now := time.Now()
	p := New(newShop(now), Options{Controllers: []Controller{shippers(now)}})
	for _, test := range []struct {
		name, method, target, accept string
		status                       int
		contentType, has             string
	}{
		{"page", "GET", "/", "", 200, "text/html; charset=utf-8", "<h1>Informers</h1>"},
		{"browser", "GET", "/", "text/html,application/xhtml+xml,*/*;q=0.8", 200, "text/html; charset=utf-8", "<h1>"},
		{"any path", "GET", "/debug/informers/", "", 200, "text/html; charset=utf-8", "<h1>"},
		{"head", "HEAD", "/", "", 200, "text/html; charset=utf-8", ""},
		{"accepts JSON", "GET", "/", "application/json", 200, "application/json", `"title": "Informers"`},
		{"accepts JSON first", "GET", "/", "application/json; q=1, text/html", 200, "application/json", `"problems": [`},
		{"format", "GET", "/?format=json", "text/html", 200, "application/json", `"title"`},
		{"format of a page", "GET", "/?format=html", "application/json", 200, "text/html; charset=utf-8", "<h1>"},
		{"unknown format", "GET", "/?format=xml", "", 400, "text/plain; charset=utf-8", "format: unknown; expected html or json"},
		{"broken query", "GET", "/?key=%zz&format=json", "", 200, "application/json", `"title"`},
		{"long key", "GET", "/?key=" + strings.Repeat("x", 600), "", 400, "text/plain; charset=utf-8", "key: too long"},
		{"post", "POST", "/", "", 405, "text/plain; charset=utf-8", "method POST: not allowed"},
		{"delete", "DELETE", "/?key=a", "", 405, "text/plain; charset=utf-8", "not allowed"},
		{"options", "OPTIONS", "/", "", 405, "text/plain; charset=utf-8", "not allowed"},
		{"refreshes", "GET", "/?refresh", "", 200, "text/html; charset=utf-8", `<meta http-equiv="refresh" content="5">`},
		{"progress", "GET", "/", "", 200, "text/html; charset=utf-8", "6\u202f500 objects so far of about 9\u202f120"},
		{"found", "GET", "/?key=customer-1/order-17", "", 200, "text/html; charset=utf-8", ">81234<"},
		{"not found", "GET", "/?key=a/b", "", 200, "text/html; charset=utf-8", `No store has <span class="key">a/b</span>`},
		{"left out", "GET", "/?key=customer-3/order-9", "", 200, "text/html; charset=utf-8", `orders.v1alpha1.shop.example.com</b> leaves it out: index &#34;byWarehouse&#34;: warehouse is missing`},
		{"left out, JSON", "GET", "/?format=json&key=customer-3/order-9", "", 200, "application/json", `"leftOut": {`},
		{"not found, JSON", "GET", "/?format=json&key=b", "", 200, "application/json", `"found": []`},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest(test.method, test.target, nil)
			if test.accept != "" {
				request.Header.Set("Accept", test.accept)
			}
			answer := httptest.NewRecorder()
			p.ServeHTTP(answer, request)
			if answer.Code != test.status || answer.Header().Get("Content-Type") != test.contentType || !strings.Contains(answer.Body.String(), test.has) {
				t.Errorf("%d %q:\n%s", answer.Code, answer.Header().Get("Content-Type"), answer.Body)
			}
			if allow := answer.Header().Get("Allow"); (allow == "GET, HEAD") != (test.status == 405) {
				t.Errorf("Allow: %q", allow)
			}
			for name, want := range map[string]string{"Content-Security-Policy": policy, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
				if got := answer.Header().Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			if strings.Contains(answer.Body.String(), "%!") {
				t.Errorf("a layout and its arguments do not fit:\n%s", answer.Body)
			}
			if strings.Contains(answer.Body.String(), `http-equiv="refresh"`) != (test.name == "refreshes") {
				t.Error("refreshes, or does not")
			}
		})
	}
}

// The data are the statuses as they are, and what was looked for.
func TestJSON(t *testing.T) {
	now := time.Now().Round(0)
	shop := newShop(now)
	p := New(shop, Options{Title: "Shop", Controllers: []Controller{shippers(now)}})
	var data struct {
		Title       string
		Problems    []problem
		Informers   []cache.Status
		Controllers []map[string]any
		Key         string
		Found       []found
	}
	if err := json.Unmarshal(get(t, p, "/?format=json&key=customer-1/order-17").Body.Bytes(), &data); err != nil {
		t.Fatal(err)
	}
	if data.Title != "Shop" || len(data.Informers) != 4 || len(data.Problems) != 8 || data.Controllers[0]["name"] != "shipments" {
		t.Errorf("%+v", data)
	}
	if s := data.Informers[0]; s.Objects != 18412 || s.Handlers[0].Lag != 74*time.Second {
		t.Errorf("%+v", s)
	}
	if data.Key != "customer-1/order-17" || len(data.Found) != 2 || data.Found[0].ResourceVersion != "81234" || data.Found[0].Content != nil {
		t.Errorf("%+v", data.Found)
	}
	var empty map[string]any
	if err := json.Unmarshal(get(t, New(justStatus{}, Options{}), "/?format=json").Body.Bytes(), &empty); err != nil {
		t.Fatal(err)
	}
	if problems, ok := empty["problems"].([]any); !ok || len(problems) != 0 || empty["found"] != nil {
		t.Errorf("of a factory without informers: %v", empty)
	}
}

// justStatus is a factory that can't look for objects.
type justStatus []cache.Status

func (s justStatus) Status() []cache.Status { return s }

func TestPagesOfOtherFactories(t *testing.T) {
	for _, test := range []struct {
		name       string
		factory    Factory
		has, lacks []string
	}{
		{"no informers", justStatus{}, []string{"The factory has no informers yet"}, []string{"<form", "Handlers", "Controllers", "No problems"}},
		{"without times", justStatus{{Name: "*v1.Pod", Phase: cache.PhaseWatching, Synced: true, Objects: 3}}, []string{"*v1.Pod", "not known", "No problems: 1 informer in sync."}, []string{"292"}},
		{"same names", justStatus{{Name: "pods"}, {Name: "pods"}}, []string{`id="informer-0"`, `id="informer-1"`}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := get(t, New(test.factory, Options{}), "/?key=a/b").Body.String()
			for _, text := range test.has {
				if !strings.Contains(page, text) {
					t.Errorf("lacks %q:\n%s", text, page)
				}
			}
			for _, text := range test.lacks {
				if strings.Contains(page, text) {
					t.Errorf("has %q:\n%s", text, page)
				}
			}
		})
	}
}

// An object may be left out whose name is not among those that the status has.
func TestLeftOut(t *testing.T) {
	all := []cache.Status{
		{Name: "well"},
		{Name: "this", LeftOut: 2, LeftOutObjects: map[string]string{"a/b": "bad", "a/c": "worse"}},
		{Name: "other", LeftOut: 1, LeftOutObjects: map[string]string{"a/c": "worse"}},
		{Name: "nameless", LeftOut: 1, LeftOutObjects: map[string]string{"": "not JSON"}},
		{Name: "many", LeftOut: 12, LeftOutObjects: map[string]string{"a/c": "worse"}},
	}
	want := map[string]string{
		"this":     "bad",
		"nameless": "maybe, as an object whose name is not known: not JSON",
		"many":     "maybe, as one of 11 objects that only the log names",
	}
	if diff := cmp.Diff(want, leftOut("a/b", all)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// informerFactory is a factory of one informer.
type informerFactory struct {
	*cache.Informer[*metav1.PartialObjectMetadata]
}

func (f informerFactory) Status() []cache.Status { return []cache.Status{f.Informer.Status()} }

// The page is green when all is well, and only then: not when a server hangs from the start,
// and again when a problem is over.
func TestGreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type object = metav1.PartialObjectMetadata
		newObject := func(bad string) *object {
			return &object{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"bad": bad}}}
		}
		api := cachetest.NewAPI(newObject(""))
		api.Fail(cachetest.Fault{Hang: true, Times: -1})
		informer := cache.New(api.Source(), cache.Options[*object]{Transform: func(obj *object) (*object, error) {
			if obj.Labels["bad"] == "transform" {
				return nil, errors.New("bad object")
			}
			return obj, nil
		}})
		handler := cache.HandlerFuncs[*object]{Update: func(_, obj *object) {
			if obj.Labels["bad"] == "handler" {
				panic("bad object")
			}
		}}
		if _, err := informer.AddHandler(handler, cache.HandlerOptions{Name: "h"}); err != nil {
			t.Fatal(err)
		}
		page := New(informerFactory{informer}, Options{})
		expect := func(when string, want ...string) {
			t.Helper()
			synctest.Wait()
			text := get(t, page, "/").Body.String()
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s: the page lacks %q", when, w)
				}
			}
			if green := strings.Contains(text, "No problems"); green != (len(want) == 0) {
				t.Errorf("%s: green is %v", when, green)
			}
		}
		update := func(bad string) {
			if _, err := api.Update(newObject(bad)); err != nil {
				t.Error(err)
			}
		}
		expect("before the start", "not started")
		go func() { _ = informer.Run(t.Context()) }()
		expect("at the start", "note-edge", "not in sync yet")
		time.Sleep(time.Second)
		expect("while the server hangs", "note-edge", "not in sync yet")
		time.Sleep(4 * time.Minute)
		expect("while the server still hangs", "bad-edge")
		api.ClearFaults()
		time.Sleep(10 * time.Minute)
		expect("when the server has answered")
		update("transform")
		expect("when an object is left out", "1 object left out now: a: transform: bad object")
		update("handler")
		expect("when a handler has panicked", "panicked 0s ago")
		time.Sleep(10 * time.Minute)
		expect("ten minutes later", "panicked 10m ago")
		time.Sleep(10 * time.Minute)
		expect("when all is over")
		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(http.StatusForbidden)})
		api.CloseWatches()
		time.Sleep(time.Minute)
		expect("when it is refused", "bad-edge", "forbidden")
		api.ClearFaults()
		time.Sleep(10 * time.Minute)
		expect("when it no longer is")
	})
}

// The page needs nothing but itself, and its policy allows nothing else.
func TestPageIsSelfContained(t *testing.T) {
	p := New(newShop(time.Now()), Options{Contents: true})
	page := get(t, p, "/?key=customer-1/order-17").Body.String()
	if n := strings.Count(page, "<style>"+style+"</style>"); n != 1 {
		t.Errorf("%d times the style that the policy allows", n)
	}
	for _, forbidden := range []string{"<script", " style=", " on", "//", "@import", "url("} {
		if strings.Contains(strings.ToLower(markupOf(page)), forbidden) {
			t.Errorf("the page has %q", forbidden)
		}
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[id[1]] {
			t.Errorf("id %q is there twice", id[1])
		}
		ids[id[1]] = true
	}
	for _, to := range regexp.MustCompile(`(?:href="#|aria-labelledby=")([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !ids[to[1]] {
			t.Errorf("nothing has the id %q", to[1])
		}
	}
}

// markupOf returns the tags of a page.
func markupOf(page string) string {
	return strings.Join(regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1), "")
}

// What is named badly is text everywhere.
func TestBadNames(t *testing.T) {
	p := New(hostile(), Options{Title: hostileName, Contents: true})
	page := get(t, p, "/?key="+url.QueryEscape(hostileKey)).Body.String()
	for _, tag := range regexp.MustCompile(`<(/?)([a-zA-Z!]\w*)`).FindAllStringSubmatch(page, -1) {
		if slices.Contains([]string{"script", "img", "textarea"}, strings.ToLower(tag[2])) {
			t.Errorf("a name became %s", tag[0])
		}
	}
	if strings.Contains(page, "<b>name") {
		t.Error("a key became an element")
	}
	if strings.Count(page, "</style>") != 1 {
		t.Error("a name ends the style")
	}
	if strings.Count(page, "&lt;script&gt;") < 10 {
		t.Error("the name is not shown")
	}
	if answer := get(t, p, "/?format=json&key="+url.QueryEscape(hostileKey)); !json.Valid(answer.Body.Bytes()) {
		t.Errorf("not JSON: %s", answer.Body)
	}
}

// Run samples until its context ends, and what is kept is bounded. Requests sample too, but
// not more often.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(newShop(time.Now()), Options{Interval: 2 * time.Second})
		ctx, stop := context.WithCancel(t.Context())
		var err error
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			err = p.Run(ctx)
		}()
		time.Sleep(9 * time.Second)
		synctest.Wait()
		for range 10 {
			get(t, p, "/")
		}
		if n := len(p.history.all()); n != 6 { // at 0, 2, 4, 6, 8, and 9 s
			t.Errorf("%d samples", n)
		}
		time.Sleep(time.Hour)
		if n := len(p.history.all()); n != historySize {
			t.Errorf("%d samples", n)
		}
		stop()
		<-ended
		if err != nil {
			t.Error(err)
		}
	})
}

// However many handlers a program adds, the page and what is kept for it are bounded.
func TestManyHandlers(t *testing.T) {
	handlers := func(n int) (all []cache.HandlerStatus) {
		for i := range n {
			all = append(all, cache.HandlerStatus{Name: fmt.Sprint("handler-", i)})
		}
		return all
	}
	p := New(justStatus{{Name: "pods", Handlers: handlers(600)}, {Name: "nodes", Handlers: handlers(5000)}, {Name: "last", Handlers: handlers(1)}}, Options{})
	page := get(t, p, "/").Body.String()
	for _, text := range []string{"And 100 handlers of pods.", "And 5\u202f000 handlers of nodes.", "And 1 handler of last.", ">handler-499<"} {
		if !strings.Contains(page, text) {
			t.Errorf("lacks %q", text)
		}
	}
	if strings.Contains(page, ">handler-500<") {
		t.Error("shows more than 500 handlers")
	}
	s := p.history.all()[0]
	if n := len(s.numbers); n != maxSampled {
		t.Errorf("%d informers and handlers are sampled", n)
	}
	if s := newSample(time.Now(), justStatus(make([]cache.Status, 3))); len(s.numbers) != 1 {
		t.Errorf("%v", s)
	}
}

// The header leads to the tables that there are, and to nothing else.
func TestContentsOfThePage(t *testing.T) {
	for _, test := range []struct {
		name    string
		factory justStatus
		options Options
		want    string
	}{
		{"nothing", nil, Options{}, ""},
		{"an informer", justStatus{{Name: "pods"}}, Options{}, "informers details"},
		{"everything", newShop(time.Now()).statuses, Options{Controllers: []Controller{shippers(time.Now())}}, "informers handlers controllers details"},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := get(t, New(test.factory, test.options), "/").Body.String()
			_, nav, _ := strings.Cut(page, "<nav")
			nav, _, _ = strings.Cut(nav, "</nav>")
			var got []string
			for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(nav, -1) {
				got = append(got, link[1])
				if !strings.Contains(page, `id="`+link[1]+`"`) {
					t.Errorf("nothing has the id %q", link[1])
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("links to %q, want %q", got, test.want)
			}
		})
	}
}

func BenchmarkPage(b *testing.B) {
	var all justStatus
	for range 50 {
		all = append(all, newShop(time.Now()).statuses[0])
	}
	p := New(all, Options{})
	remember(p, time.Now())
	b.ReportAllocs()
	for b.Loop() {
		p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}
}
