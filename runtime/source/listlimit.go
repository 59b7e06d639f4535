package source

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// ListLimit bounds the memory that the lists of several sources take beyond the objects that
// they leave. By default that is as much as the objects: the garbage collector lets the heap
// double, and what is decoded and then dropped, by a transform for example, fills it.
//
// Lists that are read item by item, those over REST and all watch-lists, wait where there may be
// more garbage than the limit, until it was collected: once for all that wait. Nothing is held
// while a list waits for its server, so that one that stalls holds up no other. Lists that
// are decoded as a whole, those of clientsets and ListerWatchers, are requested one at a time; one
// that takes longer than 15 seconds does not hold up the others any longer.
//
// It costs a collection for each limit of garbage; as the heap grows, for each tenth of it.
// After the first list it costs nothing. It is safe for concurrent use.
type ListLimit struct {
	bytes   int64
	heap    func() heap
	collect func()
	// whole holds a token while a list is decoded as a whole.
	whole chan struct{}

	mu sync.Mutex
	// share is how much of what is allocated is garbage, as the last collection found it.
	share float64
	// collection is closed when the collection that runs has ended; nil if none runs.
	collection chan struct{}
}

const (
	// itemsPerCheck is how many items of a list, or initial events of a watch, are read
	// between looks at the heap.
	itemsPerCheck = 16
	// heapPerLimit is the part of the heap, one in so many, that may be garbage whatever the
	// limit is: collections that free less than that would take most of the time.
	heapPerLimit = 10
	// leastShare is the least that share is taken for, since it may rise.
	leastShare = 1. / 8
	// wholeListTimeout is for how long a list that is decoded as a whole holds up others.
	wholeListTimeout = 15 * time.Second
)

// NewListLimit returns a limit of that many bytes. It should be a tenth of the memory that the
// program has, about.
func NewListLimit(bytes int64) *ListLimit {
	return &ListLimit{bytes: bytes, heap: heapNow, collect: runtime.GC, whole: make(chan struct{}, 1), share: 1}
}

// LimitLists returns src with lists within a limit, which other sources share. A nil limit
// gives src itself.
func LimitLists[T any](src cache.Source[T], limit *ListLimit) cache.Source[T] {
	if limit == nil {
		return src
	}
	info := partsOf(infoOf(src), func(part cache.Source[T], _ string) cache.Source[T] { return LimitLists(part, limit) })
	return &limitedLists[T]{described: described{info}, src: src, limit: limit}
}

type limitedLists[T any] struct {
	described
	src   cache.Source[T]
	limit *ListLimit
}

func (l *limitedLists[T]) List(ctx context.Context, options metav1.ListOptions, each func(T, error)) (metav1.ListMeta, error) {
	items := 0
	return l.src.List(context.WithValue(ctx, limitKey{}, l.limit), options, func(obj T, err error) {
		each(obj, err)
		if items++; items%itemsPerCheck == 0 {
			l.limit.await(ctx)
		}
	})
}

func (l *limitedLists[T]) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher[T], error) {
	w, err := l.src.Watch(ctx, options)
	if err != nil || options.SendInitialEvents == nil || !*options.SendInitialEvents {
		return w, err
	}
	return &limitedInitialEvents[T]{Watcher: w, ctx: ctx, limit: l.limit}, nil
}

// limitedInitialEvents is the watcher of a watch-list.
type limitedInitialEvents[T any] struct {
	cache.Watcher[T]
	ctx    context.Context
	limit  *ListLimit
	events int
	// listed is whether all initial events came.
	listed bool
}

func (w *limitedInitialEvents[T]) Next() (cache.WatchEvent[T], error) {
	if w.events++; !w.listed && w.events%itemsPerCheck == 0 {
		w.limit.await(w.ctx)
	}
	event, err := w.Watcher.Next()
	w.listed = w.listed || event.InitialEventsEnd
	return event, err
}

// limitKey is the key of the ListLimit in the context of a list.
type limitKey struct{}

// awaitWholeList waits until a list may be requested that is decoded as a whole, if it has a limit
// or ctx ends. The list has been taken apart when done is called.
func awaitWholeList(ctx context.Context) (done func()) {
	l, ok := ctx.Value(limitKey{}).(*ListLimit)
	if !ok {
		return func() {}
	}
	select {
	case l.whole <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	release := sync.OnceFunc(func() { <-l.whole })
	timeout := time.AfterFunc(wholeListTimeout, release)
	return func() {
		timeout.Stop()
		release()
	}
}

// await waits for a collection, if there may be more garbage than the limit, or until ctx ends.
func (l *ListLimit) await(ctx context.Context) {
	l.mu.Lock()
	if l.collection == nil {
		if before := l.heap(); before.garbage(l.share) > l.allowed(before) {
			l.collection = make(chan struct{})
			go l.run(before)
		}
	}
	collection := l.collection
	l.mu.Unlock()
	if collection == nil {
		return
	}
	select {
	case <-collection:
	case <-ctx.Done():
	}
}

// run collects once for all that wait.
func (l *ListLimit) run(before heap) {
	l.collect()
	after := l.heap()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.share = before.share(after)
	close(l.collection)
	l.collection = nil
}

// allowed is how much garbage there may be.
func (l *ListLimit) allowed(h heap) int64 { return max(l.bytes, h.live/heapPerLimit) }

// heap is how large the heap is, in bytes: what the last collection has found live, and all
// objects since then, live or not.
type heap struct{ live, objects int64 }

// garbage is how much of it is garbage if share of what was allocated is.
func (h heap) garbage(share float64) int64 { return int64(share * float64(h.objects-h.live)) }

// share is how much of what was allocated before a collection was garbage.
func (h heap) share(after heap) float64 {
	if h.objects <= h.live {
		return 1
	}
	return min(1, max(leastShare, float64(h.objects-after.objects)/float64(h.objects-h.live)))
}

func heapNow() heap {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return heap{int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())}
}
