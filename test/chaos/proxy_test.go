package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// answer has the parts of a response that a client saw.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
}

const (
	firstFrame = `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}}` + "\n"
	bookmark   = `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2"}}}` + "\n"
)

var (
	aList  = fmt.Sprintf(`{"kind":"List","items":["%s"]}`+"\n", strings.Repeat("x", 20<<10))
	aWatch = firstFrame + bookmark
)

// A client sees the right effect of each kind of fault, at each point where it may happen, over HTTP/1.1
// and HTTP/2.
func TestFaults(t *testing.T) {
	broken := func(a answer) bool { return a.err != nil && !errors.Is(a.err, context.Canceled) }
	silent := func(a answer) bool { return errors.Is(a.err, context.Canceled) }
	invalid := func(a answer) bool { return a.err == nil && !validStream(a.body) }
	whole := func(body string) func(answer) bool {
		return func(a answer) bool { return a.err == nil && string(a.body) == body }
	}
	request, list, frame, bookmarks := Rates{Request: 1}, Rates{List: 1}, Rates{Frame: 1}, Rates{Bookmark: 1}
	for _, test := range []struct {
		kind  Kind
		rates Rates
		query string
		want  func(answer) bool
	}{
		{Cut, request, "", broken},
		{Cut, list, "", broken},
		{Cut, frame, "?watch=1", broken},
		{Reset, request, "", broken},
		{Reset, list, "", broken},
		{Reset, frame, "?watch=1", broken},
		{Abort, list, "", broken},
		{Abort, frame, "?watch=1", broken},
		{HalfOpen, request, "", silent},
		{HalfOpen, list, "", silent},
		{HalfOpen, frame, "?watch=1", silent},
		{HalfOpen, Rates{Request: 1, HalfOpen: time.Millisecond}, "", broken},
		{Delay, request, "", whole(aList)},
		{Delay, frame, "?watch=1", whole(aWatch)},
		{Status, request, "", func(a answer) bool {
			return slices.Contains(statuses, a.status) && bytes.Contains(a.body, []byte(`"kind":"Status"`)) &&
				(a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "1")
		}},
		{Status, frame, "?watch=1", func(a answer) bool {
			return a.status == http.StatusOK && bytes.HasPrefix(a.body, []byte(`{"type":"ERROR","object":{"kind":"Status"`)) && a.err == nil
		}},
		{Page, request, "", func(a answer) bool { return a.header.Get("Content-Type") == "text/html" }},
		{End, frame, "?watch=1", whole("")},
		{Truncate, list, "", invalid},
		{Truncate, frame, "?watch=1", func(a answer) bool { return a.err == nil && len(a.body) < len(firstFrame) }},
		{Garble, list, "", invalid},
		{Garble, frame, "?watch=1", invalid},
		{Duplicate, frame, "?watch=1", whole(firstFrame + firstFrame + bookmark)},
		{DropBookmark, bookmarks, "?watch=1", whole(firstFrame)},
		{DropBookmark, frame, "?watch=1", whole(aWatch)},
	} {
		for _, protocol := range []string{"http/1.1", "h2"} {
			t.Run(fmt.Sprintf("%v/%v%s", protocol, test.kind, test.query), func(t *testing.T) {
				p := newProxy(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					body := aList
					if r.URL.Query().Has("watch") {
						body = aWatch
					}
					_, _ = io.WriteString(w, body)
				})
				test.rates.Kinds = []Kind{test.kind}
				for range 3 {
					p.Set(test.rates)
					ctx, cancel := context.WithCancel(t.Context())
					if test.kind == HalfOpen && test.rates.HalfOpen == 0 {
						go whenMade(p, p.Faults()[HalfOpen]+1, cancel)
					}
					a := get(ctx, t, p, protocol, test.query)
					cancel()
					if !test.want(a) {
						t.Fatalf("got %d %q, %v", a.status, a.body[:min(100, len(a.body))], a.err)
					}
					p.Set(Rates{})
					want := map[string]string{"": aList, "?watch=1": aWatch}[test.query]
					if a := get(t.Context(), t, p, protocol, test.query); a.err != nil || string(a.body) != want {
						t.Fatalf("switched off: got %d %q, %v", a.status, a.body[:min(100, len(a.body))], a.err)
					}
				}
				if got := p.Faults()[test.kind]; test.rates.Frame == 0 && got < 3 {
					t.Errorf("counted %d faults, want 3 or more", got)
				}
			})
		}
	}
}

// whenMade gives a request up that has no answer, some time after the proxy has made its fault.
func whenMade(p *Proxy, halfOpen int, giveUp func()) {
	for p.Faults()[HalfOpen] < halfOpen {
		time.Sleep(time.Millisecond)
	}
	time.AfterFunc(50*time.Millisecond, giveUp)
}

// Without a fault, traffic passes unchanged, and a frame does not wait for the next one.
func TestPassThrough(t *testing.T) {
	for _, protocol := range []string{"http/1.1", "h2"} {
		t.Run(protocol, func(t *testing.T) {
			next := make(chan string)
			p := newProxy(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer token" {
					http.Error(w, "not what was sent", http.StatusBadRequest)
					return
				}
				w.Header().Set("Content-Type", r.URL.Query().Get("type"))
				w.Header().Set("Audit-Id", "one")
				_ = http.NewResponseController(w).Flush()
				for range 3 {
					_, _ = io.WriteString(w, <-next)
					_ = http.NewResponseController(w).Flush()
				}
			})
			for _, mediaType := range []string{"application/json", "application/cbor-seq"} {
				client := clientOf(t, p, protocol)
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Config().Host+"/?watch=1&type="+mediaType, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				if response.StatusCode != http.StatusOK || response.Header.Get("Audit-Id") != "one" {
					t.Fatalf("got %s with %v", response.Status, response.Header)
				}
				for range 3 {
					next <- firstFrame
					got := make([]byte, len(firstFrame))
					if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != firstFrame {
						t.Fatalf("got %q, %v", got, err)
					}
				}
				if rest, err := io.ReadAll(response.Body); err != nil || len(rest) > 0 {
					t.Fatalf("behind the last frame: got %q, %v", rest, err)
				}
				_ = response.Body.Close()
			}
		})
	}
}

// With the same seed a proxy makes the same faults.
func TestSeed(t *testing.T) {
	draws := func(seed uint64) (drawn []Kind) {
		p := newSeededProxy(t, seed, func(http.ResponseWriter, *http.Request) {})
		rates := Rates{Frame: 0.5}
		for range 100 {
			if kind, ok := rates.draw(p.random, inWatch); ok {
				drawn = append(drawn, kind)
			}
		}
		return drawn
	}
	if !slices.Equal(draws(1), draws(1)) {
		t.Error("the same seed makes other faults")
	}
	if slices.Equal(draws(1), draws(2)) {
		t.Error("another seed makes the same faults")
	}
}

func newProxy(t *testing.T, handler http.HandlerFunc) *Proxy {
	t.Helper()
	return newSeededProxy(t, 1, handler)
}

func newSeededProxy(t *testing.T, seed uint64, handler http.HandlerFunc) *Proxy {
	t.Helper()
	upstream := httptest.NewServer(handler)
	t.Cleanup(upstream.Close)
	p, err := NewProxy(&rest.Config{Host: upstream.URL, BearerToken: "token"}, seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func clientOf(t *testing.T, p *Proxy, protocol string) *http.Client {
	t.Helper()
	cfg := p.Config()
	cfg.NextProtos = []string{protocol}
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func get(ctx context.Context, t *testing.T, p *Proxy, protocol, query string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Config().Host+"/"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := clientOf(t, p, protocol).Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answer{status: response.StatusCode, header: response.Header, body: body, err: err}
}

// validStream reports whether all bytes are JSON values.
func validStream(stream []byte) bool {
	for in := json.NewDecoder(bytes.NewReader(stream)); ; {
		var value any
		if err := in.Decode(&value); err != nil {
			return err == io.EOF //nolint:errorlint // of the decoder
		}
	}
}
