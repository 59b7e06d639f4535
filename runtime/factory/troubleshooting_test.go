package factory_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

var update = flag.Bool("update", false, "write the messages of the scenarios to docs/troubleshooting.md")

const (
	troubleshooting = "../../docs/troubleshooting.md"
	columns         = 96
)

// Each block of text in docs/troubleshooting.md is the output of the scene that has the name of the heading
// above it, and each scene is in the document.
func TestTroubleshooting(t *testing.T) {
	text, err := os.ReadFile(troubleshooting)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n```text\n")
	shown := map[string]bool{}
	for i := 1; i < len(parts); i++ {
		before := parts[i-1]
		_, heading, _ := strings.Cut(before[strings.LastIndex("\n"+before, "\n#"):], "# ")
		heading, _, _ = strings.Cut(heading, "\n")
		shown[heading] = true
		was, after, _ := strings.Cut(parts[i], "```")
		shown := show(t, heading)
		if diff := cmp.Diff(was, shown); diff != "" && !*update {
			t.Errorf("%s: %s (-document +shown; -update writes it):\n%s", troubleshooting, heading, diff)
		}
		parts[i] = shown + "```" + after
	}
	for heading := range scenes {
		if !shown[heading] {
			t.Errorf("%s: no heading %q", troubleshooting, heading)
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(troubleshooting, []byte(strings.Join(parts, "\n```text\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// show plays the scene of that name, and returns its output.
func show(t *testing.T, heading string) string {
	play, ok := scenes[heading]
	if !ok {
		t.Fatalf("%s: no scenario %q", troubleshooting, heading)
	}
	var shown string
	t.Run(heading, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			play(s)
			s.end()
			klog.ClearLogger()
			shown = s.shown.String()
		})
	})
	return shown
}

// stage is an API server of orders and a factory with an informer of them, and its output.
type stage struct {
	*testing.T
	ctx      context.Context
	stop     func()
	api      *cachetest.API[*shopv1alpha1.Order]
	factory  *factory.Factory
	source   cache.Source[*shopv1alpha1.Order]
	informer *cache.Informer[*shopv1alpha1.Order]

	// These are for start.
	options   cache.Options[*shopv1alpha1.Order]
	limits    source.ClientOptions
	wrap      func(cache.Objects) cache.Objects
	verbosity int
	// answer is the body of the answer to every list, if it is not empty.
	answer string

	log   lockedBuffer
	shown strings.Builder
}

func newStage(t *testing.T) *stage {
	ctx, stop := context.WithCancel(t.Context())
	s := &stage{T: t, ctx: ctx, stop: stop, api: cachetest.NewAPI(order("first"), order("second"))}
	s.options = cache.Options[*shopv1alpha1.Order]{
		Name: "orders.v1alpha1.shop.example.com",
		// The default without its jitter.
		ListWatch: cache.ListWatch{Backoff: &wait.Backoff{Duration: time.Second, Factor: 2, Steps: 10, Cap: 30 * time.Second}},
	}
	return s
}

func order(name string) *shopv1alpha1.Order {
	return &shopv1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
}

// new makes the informer.
func (s *stage) new() *stage {
	s.Helper()
	klog.SetLoggerWithOptions(
		textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&s.log), textlogger.Verbosity(s.verbosity))),
		klog.ContextualLogger(true))
	server, orders := cachetest.NewServer(), shopv1alpha1.GroupVersion.WithResource("orders")
	cachetest.Serve(server, orders, "Order", s.api)
	var transport http.RoundTripper = server
	if s.answer != "" {
		transport = answering(s.answer)
	}
	client, err := source.NewClientWithOptions(&rest.Config{Host: "https://api.example.com", Transport: transport, QPS: -1}, s.limits)
	if err != nil {
		s.Fatal(err)
	}
	s.source = source.New[*shopv1alpha1.Order](client, orders, "shop")
	if s.wrap != nil {
		s.source.Objects = s.wrap(s.source.Objects)
	}
	s.informer = cache.New(s.source, s.options)
	s.factory = factory.New(0)
	s.factory.InformerFor(&shopv1alpha1.Order{}, func(time.Duration) toolscache.SharedIndexInformer {
		return clientgocache.Untyped(s.informer, clientgocache.AdapterOptions{})
	})
	return s
}

// start makes the informer unless it is there, and lets it run for a while.
func (s *stage) start(d time.Duration) {
	s.Helper()
	if s.informer == nil {
		s.new()
	}
	s.factory.StartWithContext(s.ctx)
	s.pass(d)
}

// end stops everything.
func (s *stage) end() {
	s.stop()
	if s.factory != nil {
		s.factory.Shutdown()
	}
}

func (s *stage) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// see adds a text to the output, in lines that are not too long.
func (s *stage) see(label string, what any) {
	s.shown.WriteString(label + ":")
	width := len(label) + 1
	for word := range strings.FieldsSeq(nextAttempt.ReplaceAllString(timeout.ReplaceAllString(fmt.Sprint(what), "timeout=5m0s&timeoutSeconds=300"), "next attempt in 1s$1")) {
		word = normal(word)
		if width += len(word) + 1; width > columns {
			s.shown.WriteString("\n ")
			width = len(word) + 2
		}
		s.shown.WriteString(" " + word)
	}
	s.shown.WriteString("\n")
}

// timeout matches the timeout of a watch, which is random.
var timeout = regexp.MustCompile(`timeout=\w+&timeoutSeconds=\d+`)

// nextAttempt is a time that depends on chance.
var nextAttempt = regexp.MustCompile(`next attempt in [^,:; ]+([,:; ]|$)`)

// normal is a word, with a duration that depends on chance replaced by another one.
func normal(word string) string {
	bare := strings.Trim(word, "(,:;")
	d, err := time.ParseDuration(bare)
	switch {
	case err != nil || bare == "0":
		return word
	case d < 10*time.Second:
		return strings.Replace(word, bare, "3s", 1)
	default:
		return strings.Replace(word, bare, d.Round(10*time.Second).String(), 1)
	}
}

func (s *stage) seeStatus() { s.see("status", s.informer.Status()) }

// seeSync shows the error of a caller that waits for so long.
func (s *stage) seeSync(d time.Duration) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, d)
	defer cancel()
	err := s.factory.WaitForSyncOrStuck(ctx)
	if err == nil {
		s.Fatal("informer: in sync")
	}
	s.see("WaitForSyncOrStuck", err)
}

var (
	// goodNews are lines that are logged without trouble, too.
	goodNews  = regexp.MustCompile(`"(Informers are in sync|Controller has started)"`)
	logHeader = regexp.MustCompile(`(?m)^([IWEF])\d{4} [^\]]*\] `)
	stack     = regexp.MustCompile(`(?s)goroutine \d+ .*?\n >`)
	// multiline joins what klog prints in several lines.
	multiline = strings.NewReplacer("=<\n\t", "=", "\n\t", " ", "\n >", "")
)

// seeLog shows what was logged of the trouble.
func (s *stage) seeLog() {
	s.Helper()
	text := logHeader.ReplaceAllString(s.log.take(), "$1 ")
	if text == "" {
		s.Fatal("no log output")
	}
	text = stack.ReplaceAllString(text, "goroutine …")
	text = multiline.Replace(text)
	for line := range strings.Lines(text) {
		if !goodNews.MatchString(line) {
			s.see("log", line)
		}
	}
}

func (s *stage) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// change updates an order so many times.
func (s *stage) change(name string, times int) {
	s.Helper()
	for range times {
		obj, err := s.api.Get(types.NamespacedName{Namespace: "shop", Name: name})
		s.check(err)
		obj.Spec.Customer += "+"
		_, err = s.api.Update(obj)
		s.check(err)
	}
}

func (s *stage) handle(handler cache.Handler[*shopv1alpha1.Order], options cache.HandlerOptions) *cache.Registration {
	s.Helper()
	if s.informer == nil {
		s.new()
	}
	r, err := s.informer.AddHandler(handler, options)
	s.check(err)
	return r
}

// blocked is a handler that is busy with each update, and with each initial object,
// for that long.
type blocked struct{ initial, update time.Duration }

func (b blocked) OnAdd(*shopv1alpha1.Order, bool)        { time.Sleep(b.initial) }
func (b blocked) OnUpdate(_, _ *shopv1alpha1.Order)      { time.Sleep(b.update) }
func (b blocked) OnDelete(_ *shopv1alpha1.Order, _ bool) {}

// exiting is a handler that ends its goroutine, as the FailNow of a test does.
type exiting struct{ blocked }

func (exiting) OnAdd(*shopv1alpha1.Order, bool) { goruntime.Goexit() }

// answering is a server with the same answer to every list, and watches that end after a
// minute without an event.
type answering string

// quietMinute is the body of such a watch.
type quietMinute struct{}

func (quietMinute) Read([]byte) (int, error) {
	time.Sleep(time.Minute)
	return 0, io.EOF
}

func (a answering) RoundTrip(request *http.Request) (*http.Response, error) {
	var body io.Reader = strings.NewReader(string(a))
	if request.URL.Query().Has("watch") {
		body = quietMinute{}
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(body),
		Request:    request,
	}, nil
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.Reset()
	return b.String()
}

// always is a fault of every request.
func always(err error) cachetest.Fault { return cachetest.Fault{Times: -1, Err: err} }

// scenes are by the headings of the document.
var scenes = map[string]func(*stage){
	"Not started": func(s *stage) {
		s.new()
		ctx, cancel := context.WithTimeout(s.ctx, time.Second)
		defer cancel()
		s.see("status", s.informer.Status())
		s.see("WaitForSync of the informer", s.informer.WaitForSync(ctx))
	},
	"Listing": func(s *stage) {
		s.options.DisableWatchList = true
		s.api.Fail(cachetest.Fault{Verb: cachetest.List, Hang: true})
		s.start(0)
		s.seeSync(10 * time.Second)
		s.pass(5 * time.Minute)
		s.seeLog()
	},
	"Waiting for the bookmark": func(s *stage) {
		s.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, LoseBookmarks: true})
		s.start(0)
		s.seeSync(10 * time.Second)
		s.pass(30 * time.Second)
		s.seeLog()
		s.seeStatus()
	},
	"Watching": func(s *stage) {
		s.start(time.Minute)
		s.change("first", 1)
		s.pass(time.Second)
		s.seeStatus()
		status := s.informer.Status()
		s.see("counts", fmt.Sprintf("%d objects, %d reconnects, %d relists, %d left out", status.Objects, status.Reconnects, status.Relists, status.LeftOut))
		s.see("last event", time.Since(status.LastEvent))
	},
	"Backing off": func(s *stage) {
		s.api.Fail(always(apierrors.NewInternalError(errors.New("etcdserver: request timed out"))))
		s.start(0)
		s.seeSync(10 * time.Second)
		s.api.ClearFaults()
		s.pass(10 * time.Second)
		s.seeLog()
	},
	"Absent": func(s *stage) {
		s.api.Uninstall()
		s.start(0)
		s.seeSync(time.Minute)
		s.see("ReadyCheck", s.factory.ReadyCheck(nil))
		s.api.Install()
		s.pass(15 * time.Second)
		s.seeLog()
		s.seeStatus()
	},
	"Stopped": func(s *stage) {
		s.start(0)
		s.end()
		s.seeStatus()
		s.see("HealthCheck", s.factory.HealthCheck(5*time.Minute)(nil))
		_, err := s.informer.AddHandler(blocked{}, cache.HandlerOptions{Name: "invoices"})
		s.see("AddHandler", err)
	},
	"Unknown objects": func(s *stage) {
		set := references.NewSet(types.NamespacedName{Namespace: "shop", Name: "first"})
		objects := references.Objects(set, func(string) cache.Objects { return s.api }, nil, references.Options{})
		informer := cache.New(cache.Source[*shopv1alpha1.Order]{Objects: objects}, s.options)
		go func() { _ = informer.Run(s.ctx) }()
		s.pass(time.Second)
		_, _, err := informer.Get(s.ctx, types.NamespacedName{Namespace: "shop", Name: "second"})
		s.see("Get", err)
	},
	"Forbidden": func(s *stage) {
		s.api.Fail(always(apierrors.NewForbidden(shopv1alpha1.GroupVersion.WithResource("orders").GroupResource(), "", errors.New(
			`User "system:serviceaccount:shop:controller" cannot list resource "orders" in API group "shop.example.com" in the namespace "shop"`))))
		s.start(0)
		s.seeSync(time.Minute)
		s.seeLog()
	},
	"Unauthorized": func(s *stage) {
		s.api.Fail(always(apierrors.NewUnauthorized("Unauthorized")))
		s.start(0)
		s.seeSync(time.Minute)
	},
	"Too many requests": func(s *stage) {
		s.api.Fail(always(cachetest.StatusRetryAfter(http.StatusTooManyRequests, 20)))
		s.start(0)
		s.seeSync(15 * time.Second)
	},
	"Server error": func(s *stage) {
		s.api.Fail(always(apierrors.NewServiceUnavailable("etcdserver: leader changed")))
		s.start(0)
		s.seeSync(5 * time.Second)
	},
	"Connection": func(s *stage) {
		s.start(time.Minute)
		s.api.Fail(always(cachetest.ErrConnectionRefused))
		s.api.BreakWatches(cachetest.ErrConnectionReset)
		s.pass(20 * time.Second)
		s.seeStatus()
		s.api.ClearFaults()
		s.pass(time.Minute)
		s.api.Bookmark()
		s.pass(time.Second)
		s.seeLog()
	},
	"Gone": func(s *stage) {
		s.start(time.Minute)
		s.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Do: func() {
			s.change("first", 1)
			s.api.Compact()
		}})
		s.api.CloseWatches()
		s.pass(5 * time.Second)
		s.seeStatus()
		s.see("RelistReason", s.informer.Status().RelistReason)
	},
	"New history": func(s *stage) {
		s.start(time.Minute)
		s.change("first", 5)
		s.pass(time.Second)
		s.check(s.api.Restore("3"))
		s.pass(10 * time.Minute)
		s.seeStatus()
		s.see("RelistReason", s.informer.Status().RelistReason)
	},
	"Other objects are selected": func(s *stage) {
		mine := shard.New(shard.UID, shard.All())
		s.wrap = mine.Objects
		s.start(time.Minute)
		mine.Set(must(s.T)(shard.Of(0, 2)))
		s.pass(time.Second)
		s.seeStatus()
		s.see("RelistReason", s.informer.Status().RelistReason)
	},
	"Undecodable response": func(s *stage) {
		s.options.DisableWatchList = true
		s.api.Fail(always(cachetest.ErrGarbled))
		s.start(0)
		s.seeSync(5 * time.Second)
	},
	"Object that can't be decoded": func(s *stage) {
		s.start(time.Second)
		s.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: &failure.ObjectError{Err: errors.New("spec.items: is a string")}})
		s.api.CloseWatches()
		s.pass(time.Second)
		s.change("second", 1)
		s.pass(time.Second)
		s.seeLog()
		s.see("LeftOutObjects", s.informer.Status().LeftOutObjects)
	},
	"Object that is too large": func(s *stage) {
		s.limits.MaxObjectBytes = 1 << 20
		s.start(time.Second)
		s.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Padding: 2 << 20})
		s.api.CloseWatches()
		s.pass(time.Second)
		s.change("second", 1)
		s.pass(time.Second)
		s.seeLog()
	},
	"Response that is not a list": func(s *stage) {
		s.options.DisableWatchList = true
		s.answer = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`
		s.start(0)
		s.seeSync(5 * time.Second)
	},
	"Doubtful list": func(s *stage) {
		s.options.DisableWatchList = true
		s.answer = `{"kind":"OrderList","apiVersion":"shop.example.com/v1","metadata":{"resourceVersion":"5"},"items":[]}`
		s.start(6 * time.Minute)
		s.seeLog()
	},
	"No resourceVersion": func(s *stage) {
		s.options.DisableWatchList = true
		s.answer = `{"kind":"OrderList","apiVersion":"shop.example.com/v1alpha1","metadata":{},"items":[]}`
		s.start(90 * time.Second)
		s.seeStatus()
		s.see("RelistReason", s.informer.Status().RelistReason)
	},
	"Watch-lists that end early": func(s *stage) {
		s.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, Opened: true, Err: io.EOF})
		s.verbosity = 2
		s.start(0)
		s.pass(20 * time.Second)
		s.seeLog()
		s.seeStatus()
	},
	"Silent watch": func(s *stage) {
		s.verbosity = 4
		s.start(time.Second)
		s.log.take()
		s.pass(8 * time.Minute)
		s.see("Reconnects", s.informer.Status().Reconnects)
		s.seeStatus()
		text := s.log.take()
		text, _, _ = strings.Cut(text, "\n")
		s.see("log with -v=4", logHeader.ReplaceAllString(text, "$1 "))
	},
	"Watches that end at once": func(s *stage) {
		s.options.DisableWatchList = true
		s.start(time.Second)
		s.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: -1, Opened: true, Err: io.EOF})
		s.api.CloseWatches()
		s.pass(20 * time.Second)
		s.seeStatus()
		s.see("Relists", s.informer.Status().Relists)
		s.see("RelistReason", s.informer.Status().RelistReason)
	},
	"Decoded by the client": func(s *stage) {
		s.new()
		orders := &toolscache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
				return &shopv1alpha1.OrderList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
			},
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return watch.NewFake(), nil
			},
		}
		streaming := source.NewStreaming(source.ClientOptions{})
		informer := cache.New(streaming.FromListerWatcher(orders, &shopv1alpha1.Order{}), cache.Options[runtime.Object]{Name: s.options.Name, DisableWatchList: true})
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(s.ctx) }()
		s.pass(time.Second)
		s.seeLog()
		s.stop()
		s.check(<-ended)
	},
	"Replaying to a handler": func(s *stage) {
		s.handle(blocked{initial: time.Hour}, cache.HandlerOptions{Name: "invoices"})
		s.start(0)
		s.seeSync(10 * time.Second)
	},
	"A handler is behind": func(s *stage) {
		s.handle(blocked{update: time.Minute}, cache.HandlerOptions{Name: "invoices"})
		s.start(time.Second)
		s.change("first", 1)
		s.pass(time.Second)
		s.change("first", 499)
		s.pass(40 * time.Second)
		h := s.informer.Status().Handlers[0]
		s.see("handler", fmt.Sprintf("%q: backlog %d, lag %v, delivered %d, longest call %v", h.Name, h.Backlog, h.Lag, h.Delivered, h.LongestCall))
	},
	"A handler is removed for its limit": func(s *stage) {
		r := s.handle(blocked{update: time.Minute}, cache.HandlerOptions{Name: "invoices", Limit: 100})
		s.start(time.Second)
		for range 200 {
			s.change("first", 1)
			s.pass(time.Millisecond)
		}
		s.seeLog()
		s.see("Registration.Err", r.Err())
	},
	"A handler ends its goroutine": func(s *stage) {
		r := s.handle(exiting{}, cache.HandlerOptions{Name: "invoices"})
		s.start(time.Second)
		s.seeLog()
		s.see("Registration.Err", r.Err())
	},
	"A handler panics": func(s *stage) {
		s.handle(cache.HandlerFuncs[*shopv1alpha1.Order]{Update: func(_, obj *shopv1alpha1.Order) {
			panic("no invoice for " + obj.Name)
		}}, cache.HandlerOptions{Name: "invoices"})
		s.start(time.Second)
		s.change("first", 1)
		s.pass(5 * time.Second)
		s.seeLog()
		s.see("Panics", s.informer.Status().Handlers[0].Panics)
	},
	"A transform fails": func(s *stage) {
		s.options.Transform = func(obj *shopv1alpha1.Order) (*shopv1alpha1.Order, error) {
			if obj.Name == "second" {
				return nil, errors.New("customer is missing")
			}
			return obj, nil
		}
		s.start(time.Second)
		s.seeLog()
		s.seeStatus()
		s.see("Objects", s.informer.Status().Objects)
		s.see("LeftOutObjects", s.informer.Status().LeftOutObjects)
		_, _, err := s.informer.Get(s.Context(), types.NamespacedName{Namespace: "shop", Name: "second"})
		s.see("Get", err)
	},
	"An index function fails": func(s *stage) {
		s.options.Indexes = []cache.Index[*shopv1alpha1.Order]{{
			Name:   "customer",
			Values: func(*shopv1alpha1.Order) ([]string, error) { return nil, errors.New("customer is missing") },
		}}
		s.api = cachetest.NewAPI(order("first"))
		s.start(time.Second)
		s.seeLog()
		s.see("Objects", s.informer.Status().Objects)
		s.see("LeftOutObjects", s.informer.Status().LeftOutObjects)
	},
	"An object of the cache was mutated": func(s *stage) {
		child := exec.Command(os.Args[0], "-test.run=^TestMutateForTroubleshooting$")
		child.Env = append(os.Environ(), "KUBE_CACHE_MUTATION_DETECTOR=true", mutate+"=true")
		output, err := child.CombinedOutput()
		if err == nil {
			s.Fatalf("a mutation is not found:\n%s", output)
		}
		_, text, _ := strings.Cut(string(output), "panic: ")
		text, _, _ = strings.Cut(text, "\n\ngoroutine ")
		message, diff, _ := strings.Cut(strings.TrimSuffix(text, " [recovered, repanicked]"), "\n")
		s.see("panic", message)
		for line := range strings.Lines(diff) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
				s.shown.WriteString("  " + line + "\n")
			}
		}
	},
	"Calls that are refused": func(s *stage) {
		s.start(time.Second)
		s.see("Run", s.informer.Run(s.ctx))
		index := cache.Index[*shopv1alpha1.Order]{Name: "customer", Value: func(o *shopv1alpha1.Order) string { return o.Spec.Customer }}
		s.check(s.informer.AddIndexes(index))
		s.see("AddIndexes", s.informer.AddIndexes(index))
		s.see("AddIndexes", s.informer.AddIndexes(cache.Index[*shopv1alpha1.Order]{Name: "warehouse"}))
		_, err := s.informer.Store().ByIndex("warehouse", "north")
		s.see("ByIndex", err)
		watcher, err := s.source.Watch(s.ctx, metav1.ListOptions{})
		s.check(err)
		watcher.Stop()
		_, err = watcher.Next()
		s.see("Next of a watcher that was stopped", err)
		unused := factory.New(0, factory.ForType(factory.TypeOptions[*shopv1alpha1.Shipment]{}))
		s.see("WaitForSync", unused.WaitForSync(s.ctx))
	},
	"Liveness probes": func(s *stage) {
		s.start(time.Minute)
		s.api.Fail(always(cachetest.ErrConnectionRefused))
		s.api.BreakWatches(cachetest.ErrConnectionReset)
		s.pass(6 * time.Minute)
		s.see("HealthCheck", s.factory.HealthCheck(5*time.Minute)(nil))
	},
	"A controller does not start":         controllerThatWaits,
	"A reconcile fails":                   reconcilesThatFail,
	"A reconcile is stuck":                reconcileThatIsStuck,
	"A write is not seen":                 writeThatIsNotSeen,
	"A fence waits":                       fenceThatWaits,
	"A controller ends with its informer": controllerWhoseInformerStops,
}

const mutate = "INFORMER_GEN_TEST_MUTATE"

// TestMutateForTroubleshooting is a process that ends since it mutates an object.
func TestMutateForTroubleshooting(t *testing.T) {
	if os.Getenv(mutate) == "" {
		t.Skip("ends the process")
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.handle(cache.HandlerFuncs[*shopv1alpha1.Order]{Add: func(obj *shopv1alpha1.Order, _ bool) {
			obj.Spec.Customer = "somebody else"
		}}, cache.HandlerOptions{})
		s.start(time.Minute)
	})
}
