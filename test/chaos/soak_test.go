package chaos

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

var events = flag.Int("events", 200_000, "how many events the soak test makes")

// The backlog of a handler that never returns, and of a slow one, takes memory for the objects that live,
// and not for the events that happen. Handlers that keep up get every event. A handler in order that falls
// behind is removed at its limit, and handlers that coalesce know the truth once they go on.
func TestSoak(t *testing.T) {
	live := min(100_000, *events/10)
	ambient := heap()
	s := newStream(live, *events)
	informer := cache.New(cache.Source[*metav1.PartialObjectMetadata]{Objects: s}, cache.Options[*metav1.PartialObjectMetadata]{Name: "soak", DisableWatchList: true})
	released := make(chan struct{})
	stuck := func() { <-released }
	handle := func(name string, work func(), options cache.HandlerOptions) (*mirror, *cache.Registration) {
		m := newMirror(name, work)
		options.Name = name
		registration, err := informer.AddHandler(coreHandler[*metav1.PartialObjectMetadata]{m}, options)
		if err != nil {
			t.Fatal(err)
		}
		return m, registration
	}
	never, _ := handle("stuck, coalescing", stuck, cache.HandlerOptions{Coalesce: true})
	slow, slowStatus := handle("slow, coalescing", func() { sleep(released, time.Millisecond) }, cache.HandlerOptions{Coalesce: true})
	quick, _ := handle("quick", func() { s.handled.Add(1) }, cache.HandlerOptions{})
	_, limited := handle("stuck, with limit", stuck, cache.HandlerOptions{Limit: 10_000})

	ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
	defer stop()
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- informer.Run(ctx) }()

	var baseline, middle, highest int64
	for sample := range s.samples {
		sample.heap -= ambient
		switch sample.event {
		case 0:
			baseline = sample.heap
		case *events / 2:
			middle = sample.heap
		case *events:
			if sample.heap > middle*5/4 {
				t.Errorf("heap %d MiB after half of the events and %d MiB in the end, want that it has stopped growing", middle>>20, sample.heap>>20)
			}
		}
		highest = max(highest, sample.heap)
		t.Logf("after %d events: heap %d MiB, backlog of the slow handler %d", sample.event, sample.heap>>20, slowStatus.Backlog())
		// The objects that live, those that the two handlers were last given, what
		// waits for each, and the mirror of the third.
		if sample.heap > 4*baseline {
			t.Errorf("after %d events: heap %d MiB, want at most four times the %d MiB with %d objects and no event", sample.event, sample.heap>>20, baseline>>20, live)
		}
	}
	took := time.Since(began)
	wantClosed(t, "the stuck handler with a limit is removed", limited.Synced())
	if err := limited.Err(); !errors.Is(err, failure.ErrBacklogFull) {
		t.Errorf("the stuck handler with a limit: got %v, want that its backlog is full", err)
	}
	close(released)

	calm := time.Now()
	truth := func() []string {
		store := byKey(informer.Store().All())
		differences := s.differs(store)
		for _, m := range []*mirror{never, slow, quick} {
			differences = append(differences, m.differs(store)...)
		}
		return differences
	}
	for differences := truth(); len(differences) > 0; differences = truth() {
		if time.Since(calm) > settleTimeout {
			t.Fatalf("after %v:\n%s", settleTimeout, strings.Join(differences, "\n"))
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, m := range []*mirror{never, slow, quick} {
		for _, fault := range m.faults {
			t.Error(fault)
		}
		t.Logf("%s: %d events", m.name, m.events)
	}
	if want := live + *events; quick.events != want {
		t.Errorf("the quick handler: got %d events, want %d", quick.events, want)
	}
	t.Logf("%d events in %v, heap at most %.2f times the baseline, up to date %v after the release",
		*events, took.Round(time.Millisecond), float64(highest)/float64(baseline), time.Since(calm).Round(time.Millisecond))
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	wantNoGoroutines(t)
}

func wantClosed(t *testing.T, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(settleTimeout):
		t.Fatalf("%s: waited in vain", what)
	}
}

// heap returns the number of bytes that are reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one has finalized
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// stream is a source of a fixed number of keys. Most of them exist, and its events update, delete and
// create their objects as fast as they are taken.
type stream struct {
	events  int
	samples chan sample // of the heap; closed after the last event
	// handled counts the events that the quick handler had, which the stream does
	// not outrun: what waits for that is none of the test.
	handled atomic.Int64

	random *rand.Rand
	made   int
	listed int64
	states []int // the version of each object, or 0
	births []int
}

// sample has the reachable memory after so many events.
type sample struct {
	event int
	heap  int64
}

func newStream(live, events int) *stream {
	s := &stream{events: events, samples: make(chan sample), random: rand.New(rand.NewPCG(1, 0)), states: make([]int, live), births: make([]int, live)}
	for i := range s.states {
		s.states[i], s.births[i] = i+1, i+1
	}
	return s
}

// object is a fresh copy of a state.
func (s *stream) object(i, version int) *metav1.PartialObjectMetadata {
	n := version % 10
	name := fmt.Sprint("object-", i)
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "soak", Name: name, UID: types.UID(fmt.Sprint(i, "-", s.births[i])), ResourceVersion: strconv.Itoa(version),
		Labels:      map[string]string{shardLabel: strconv.Itoa(n % 7)},
		Annotations: map[string]string{stateAnnotation: strconv.Itoa(n), payloadAnnotation: payload(name, n)},
	}}
}

func (s *stream) Describe() cache.SourceInfo { return cache.SourceInfo{OrderedResourceVersions: true} }

// List has all objects in one page.
func (s *stream) List(_ context.Context, _ metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	for i, version := range s.states {
		each(s.object(i, version), nil)
		s.listed++
	}
	return metav1.ListMeta{ResourceVersion: strconv.Itoa(len(s.states))}, nil
}

func (s *stream) Watch(ctx context.Context, _ metav1.ListOptions) (cache.Watcher, error) {
	return streaming{s, ctx}, nil
}

// streaming is the only watch of a stream.
type streaming struct {
	*stream
	ctx context.Context
}

// Next makes an event, or waits if no more events are due.
func (s streaming) Next() (frame cache.WatchEvent, err error) {
	if s.made%1000 == 0 {
		for ahead := int64(10_000); s.ctx.Err() == nil && s.listed+int64(s.made)-s.handled.Load() > ahead; {
			time.Sleep(100 * time.Microsecond)
		}
	}
	if s.made%(s.events/10) == 0 {
		s.samples <- sample{s.made, heap()}
	}
	if s.made == s.events {
		close(s.samples)
		<-s.ctx.Done()
		return frame, s.ctx.Err()
	}
	s.made++
	version, i := len(s.states)+s.made, s.random.IntN(len(s.states))
	switch {
	case s.states[i] == 0:
		frame.Type = watch.Added
		s.births[i] = version
	case s.random.IntN(10) == 0:
		frame.Type = watch.Deleted
	default:
		frame.Type = watch.Modified
	}
	frame.Object = s.object(i, version)
	if s.states[i] = version; frame.Type == watch.Deleted {
		s.states[i] = 0
	}
	return frame, nil
}

func (s streaming) Stop() {}

// differs compares with the last states. No watch may be running.
func (s *stream) differs(got map[types.NamespacedName]object) []string {
	want := map[types.NamespacedName]object{}
	for i, version := range s.states {
		if version > 0 {
			obj := s.object(i, version)
			want[keyOf(obj)] = obj
		}
	}
	return differ("store", "stream", got, want, func(got, want object) bool {
		return got.GetUID() == want.GetUID() && got.GetResourceVersion() == want.GetResourceVersion()
	})
}
