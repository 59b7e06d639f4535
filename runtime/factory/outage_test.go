package factory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	. "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// logBuffer is an io.Writer for many goroutines.
type logBuffer struct {
	mu  sync.Mutex
	buf strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// take returns what was written since the last call.
func (b *logBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.buf.Reset()
	return b.buf.String()
}

// server answers for all resources of a factory, with pods.
type server struct {
	mu       sync.Mutex
	failures map[string]error // by resource; "" is for all others
	watches  []*watch.RaceFreeFakeWatcher
}

// fail makes requests fail, with nil no more, and ends the watches that are open.
func (s *server) fail(resource string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures == nil {
		s.failures = map[string]error{}
	}
	s.failures[resource] = err
	for _, w := range s.watches {
		w.Stop()
	}
	s.watches = nil
}

func (s *server) failure(resource string) error {
	if err, ok := s.failures[resource]; ok {
		return err
	}
	return s.failures[""]
}

func (s *server) source(resource schema.GroupVersionResource, _ string) core.Objects {
	list := func(context.Context, metav1.ListOptions) (*v1.PodList, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, s.failure(resource.Resource)
	}
	open := func(context.Context, metav1.ListOptions) (watch.Interface, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.failure(resource.Resource); err != nil {
			return nil, err
		}
		w := watch.NewRaceFreeFake()
		w.Action(watch.Bookmark, &v1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}})
		s.watches = append(s.watches, w)
		return w, nil
	}
	return source.FromClientset[*v1.Pod](s, list, open).Objects
}

// IsWatchListSemanticsUnSupported makes informers list.
func (*server) IsWatchListSemanticsUnSupported() bool { return true }

// outageStage is a factory of many informers, and what they log.
type outageStage struct {
	*ResourceFactory
	server *server
	log    *logBuffer
}

func newOutageStage(ctx context.Context, informers int, how core.ListWatch) *outageStage {
	s := &outageStage{server: &server{}, log: &logBuffer{}}
	s.ResourceFactory = NewForResources(s.server.source, Options{ListWatch: how})
	for i := range informers {
		s.InformerFor(v1.SchemeGroupVersion.WithResource(fmt.Sprintf("things%02d", i)))
	}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(s.log)))
	s.StartWithContext(klog.NewContext(ctx, logger))
	time.Sleep(time.Minute) // longer than a short watch
	return s
}

// lines returns the messages that were logged since the last call, without the message of the sync.
func (s *outageStage) lines() []string {
	var lines []string
	for line := range strings.Lines(s.log.take()) {
		if _, message, _ := strings.Cut(strings.TrimSpace(line), "] "); !strings.HasPrefix(message, `"Informers are in sync"`) {
			lines = append(lines, message)
		}
	}
	return lines
}

// want checks that exactly one line was logged for each of what they contain.
func (s *outageStage) want(t *testing.T, label string, contain ...string) []string {
	t.Helper()
	lines := s.lines()
	if len(lines) != len(contain) {
		t.Fatalf("%s: %d lines, want %d:\n%s", label, len(lines), len(contain), strings.Join(lines, "\n"))
	}
	for i, line := range lines {
		if !strings.Contains(line, contain[i]) {
			t.Errorf("%s: line %q does not contain %q", label, line, contain[i])
		}
	}
	return lines
}

var errRefused = fmt.Errorf("dial: %w", syscall.ECONNREFUSED)

// All informers of a factory log an outage of their server once: how many fail, and
// when all of them work again.
func TestOutageIsLoggedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		s := newOutageStage(ctx, 60, core.ListWatch{})
		s.want(t, "at the start")

		s.server.fail("", errRefused)
		time.Sleep(10 * time.Minute)
		begin := s.want(t, "in the outage", `"List or watch failed, trying again"`)[0]
		for _, part := range []string{`informer="things`, "connection refused", "others=59"} {
			if !strings.Contains(begin, part) {
				t.Errorf("%q does not contain %q", begin, part)
			}
		}

		// A server that starts answers in other ways at first.
		s.server.fail("", apierrors.NewServiceUnavailable("starting"))
		time.Sleep(5 * time.Minute)
		s.want(t, "while the server starts")

		s.server.fail("", nil)
		time.Sleep(5 * time.Minute)
		s.want(t, "after it", `"List or watch works again" informer="things`)
		stop()
		s.Shutdown()
		time.Sleep(time.Minute)
		s.want(t, "at the end")
	})
}

// A server that has just started refuses all until it has read its roles, and informers
// notice an outage at different times: it is one all the same.
func TestOutageOfAServerThatSettles(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		s := newOutageStage(ctx, 10, core.ListWatch{})
		for i := range 10 {
			s.server.fail(fmt.Sprintf("things%02d", i), errRefused)
			time.Sleep(2 * time.Second)
		}
		for i := range 10 {
			resource := fmt.Sprintf("things%02d", i)
			s.server.fail(resource, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("RBAC: clusterrole not found")))
		}
		time.Sleep(2 * time.Second)
		s.want(t, "in the outage", "connection refused")
		for i := range 10 {
			s.server.fail(fmt.Sprintf("things%02d", i), nil)
		}
		time.Sleep(5 * time.Minute)
		s.want(t, "after it", `informers=10`)
		stop()
		s.Shutdown()
	})
}

// Informers that are refused for what they are log that themselves, and do not keep
// the outage from its end.
func TestOutageIsNotOfOneResource(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		s := newOutageStage(ctx, 10, core.ListWatch{})
		s.server.fail("", errRefused)
		time.Sleep(10 * time.Minute)
		s.want(t, "in the outage", "others=9")

		s.server.fail("things03", apierrors.NewForbidden(schema.GroupResource{Resource: "things03"}, "", errors.New("not you")))
		time.Sleep(2 * time.Minute)
		s.want(t, "when one is forbidden", `informer="things03.v1"`)
		s.server.fail("", nil)
		time.Sleep(5 * time.Minute)
		s.want(t, "when the others work", "informers=9")
		s.server.fail("things03", nil)
		time.Sleep(5 * time.Minute)
		s.want(t, "when it works", `"List or watch works again" informer="things03.v1"`)
		stop()
		s.Shutdown()
	})
}

// An informer whose server does not recover does not hide an outage of the others.
func TestOutageAfterAnother(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		s := newOutageStage(ctx, 10, core.ListWatch{})
		s.server.fail("things07", apierrors.NewServiceUnavailable("no such backend"))
		time.Sleep(10 * time.Minute)
		s.want(t, "of one", `informer="things07.v1"`)
		s.server.fail("", errRefused)
		time.Sleep(10 * time.Minute)
		s.want(t, "of the others", "others=8")
		s.server.fail("", nil)
		time.Sleep(5 * time.Minute)
		s.want(t, "when the others work", "informers=9")

		// It is released, so that nothing is left to tell.
		<-s.Release(v1.SchemeGroupVersion.WithResource("things07"))
		time.Sleep(time.Minute)
		s.want(t, "when it is released")
		stop()
		s.Shutdown()
	})
}

// A server that asks to wait for a second, as it does when a resource has just been defined,
// and then answers, is not worth a line. One that goes on asking is.
func TestBusyServer(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		s := newOutageStage(ctx, 3, core.ListWatch{})
		busy := apierrors.NewTooManyRequests("storage is (re)initializing", 1)
		s.server.fail("", busy)
		time.Sleep(500 * time.Millisecond)
		s.server.fail("", nil)
		time.Sleep(time.Minute)
		s.want(t, "after a second")

		s.server.fail("", busy)
		time.Sleep(time.Minute)
		s.want(t, "in the outage", "storage is (re)initializing")
		s.server.fail("", nil)
		time.Sleep(time.Minute)
		s.want(t, "after it", "informers=3")
		stop()
		s.Shutdown()
	})
}

// OnFailure is called for each failure of each informer all the same.
func TestOutageLeavesOnFailure(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		var mu sync.Mutex
		failures := map[string]int{}
		s := newOutageStage(ctx, 3, core.ListWatch{
			OnFailure: func(_ context.Context, failure core.Failure) core.Decision {
				mu.Lock()
				defer mu.Unlock()
				failures[failure.Informer]++
				return core.Decision{Backoff: failure.Backoff}
			},
		})
		s.server.fail("", errRefused)
		time.Sleep(10 * time.Minute)
		stop()
		s.Shutdown()
		if len(failures) != 3 {
			t.Errorf("failures of %v", failures)
		}
		for informer, n := range failures {
			if n < 5 {
				t.Errorf("%d failures of %s", n, informer)
			}
		}
	})
}
