package source

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

const mb = 1 << 20

func TestListLimitExceeded(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit int64
		share float64
		heap  heap
		want  bool
	}{
		{"nothing", 10 * mb, 1, heap{}, false},
		{"at the limit", 10 * mb, 1, heap{50 * mb, 60 * mb}, false},
		{"above the limit", 10 * mb, 1, heap{50 * mb, 60*mb + 1}, true},
		{"above the limit, but half of it is no garbage", 10 * mb, 0.5, heap{50 * mb, 69 * mb}, false},
		{"half of it is garbage", 10 * mb, 0.5, heap{50 * mb, 71 * mb}, true},
		{"less than a tenth of the heap", 10 * mb, 1, heap{1000 * mb, 1099 * mb}, false},
		{"more than a tenth of the heap", 10 * mb, 1, heap{1000 * mb, 1101 * mb}, true},
		{"swept meanwhile", 10 * mb, 1, heap{50 * mb, 40 * mb}, false},
	} {
		l := NewListLimit(test.limit)
		if got := test.heap.garbage(test.share) > l.allowed(test.heap); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestShareOfGarbage(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after heap
		want          float64
	}{
		{"all", heap{50 * mb, 60 * mb}, heap{50 * mb, 50 * mb}, 1},
		{"half", heap{50 * mb, 60 * mb}, heap{55 * mb, 55 * mb}, 0.5},
		{"nothing", heap{50 * mb, 60 * mb}, heap{60 * mb, 60 * mb}, leastShare},
		{"more was allocated meanwhile", heap{50 * mb, 60 * mb}, heap{60 * mb, 70 * mb}, leastShare},
		{"more was freed than allocated", heap{50 * mb, 60 * mb}, heap{30 * mb, 30 * mb}, 1},
		{"nothing was allocated", heap{50 * mb, 50 * mb}, heap{50 * mb, 50 * mb}, 1},
	} {
		if got := test.before.share(test.after); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// The heap of this process is what the decisions are about.
func TestHeapNow(t *testing.T) {
	NewListLimit(1).collect()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection but that one
	before := heapNow()
	garbage := make([]byte, 32*mb)
	after := heapNow()
	if before.live <= 0 || after.objects-before.objects < int64(len(garbage)) || after.live != before.live {
		t.Errorf("heap %+v, %+v with 32 MiB more", before, after)
	}
}

// fakeHeap is a heap where each collection takes a second, and frees what is not live.
type fakeHeap struct {
	mu          sync.Mutex
	heap        heap
	collections int
}

func (f *fakeHeap) limit(bytes int64) *ListLimit {
	l := NewListLimit(bytes)
	l.heap = func() heap {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.heap
	}
	l.collect = func() {
		time.Sleep(time.Second)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.collections++
		f.heap.objects = f.heap.live
	}
	return l
}

func (f *fakeHeap) allocate(garbage int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.heap.objects += garbage
}

// itemsOf lists n pods, of which each leaves a megabyte of garbage. Before the item at, wait is
// called.
func itemsOf(f *fakeHeap, n, at int, wait func(context.Context) error) Source[*corev1.Pod] {
	return listFunc(func(ctx context.Context, each func(*corev1.Pod, error)) error {
		for i := range n {
			if i == at {
				if err := wait(ctx); err != nil {
					return err
				}
			}
			f.allocate(mb)
			each(podNamed(fmt.Sprint("pod-", i)), nil)
		}
		return nil
	})
}

// listFunc is a source that lists item by item.
type listFunc func(ctx context.Context, each func(*corev1.Pod, error)) error

func (l listFunc) List(ctx context.Context, _ metav1.ListOptions, each func(*corev1.Pod, error)) (metav1.ListMeta, error) {
	return metav1.ListMeta{ResourceVersion: "1"}, l(ctx, each)
}

func (l listFunc) Watch(context.Context, metav1.ListOptions) (cache.Watcher[*corev1.Pod], error) {
	return nil, errors.New("no watches")
}

func countItems(ctx context.Context, src Source[*corev1.Pod]) (items int, err error) {
	_, err = src.List(ctx, metav1.ListOptions{}, func(*corev1.Pod, error) { items++ })
	return items, err
}

func never(context.Context) error { return nil }

// Lists that are read at the same time share collections, and the garbage never exceeds the
// limit by more than what they read between two looks at it.
func TestLimitLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHeap{heap: heap{100 * mb, 100 * mb}}
		limit := f.limit(40 * mb)
		const lists, items = 10, 64
		var most int64
		var running sync.WaitGroup
		for range lists {
			src := LimitLists(itemsOf(f, items, -1, never), limit)
			running.Go(func() {
				got := 0
				_, err := src.List(t.Context(), metav1.ListOptions{}, func(*corev1.Pod, error) {
					got++
					f.mu.Lock()
					most = max(most, f.heap.objects-f.heap.live)
					f.mu.Unlock()
				})
				if err != nil || got != items {
					t.Errorf("%d items, %v", got, err)
				}
			})
		}
		running.Wait()
		if excess := most - 40*mb; excess > lists*itemsPerCheck*mb {
			t.Errorf("%d MiB of garbage", most/mb)
		}
		if f.collections < 3 || f.collections > lists*items/40 {
			t.Errorf("%d collections for %d MiB of garbage", f.collections, lists*items)
		}
	})
}

// A server that stalls in the middle of a list, a list that fails there, and one that is
// cancelled, hold up no other.
func TestLimitedListsThatStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHeap{heap: heap{100 * mb, 100 * mb}}
		limit := f.limit(mb)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		stalls := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		running.Go(func() {
			if items, err := countItems(ctx, LimitLists(itemsOf(f, 100, 40, stalls), limit)); items != 40 || !errors.Is(err, context.Canceled) {
				t.Errorf("stalled: %d items, %v", items, err)
			}
		})
		fails := func(context.Context) error { return errors.New("connection reset") }
		if items, err := countItems(t.Context(), LimitLists(itemsOf(f, 100, 50, fails), limit)); items != 50 || err == nil {
			t.Errorf("failed: %d items, %v", items, err)
		}
		if items, err := countItems(t.Context(), LimitLists(itemsOf(f, 100, -1, never), limit)); items != 100 || err != nil {
			t.Errorf("beside a list that stalls: %d items, %v", items, err)
		}
		cancel()
		running.Wait()

		// One whose context has ended does not wait for a collection.
		f.allocate(100 * mb)
		began := time.Now()
		limit.await(ctx)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited for %v", waited)
		}
		time.Sleep(time.Minute)
	})
}

// wholes is a clientset that lists for a second, and counts its lists.
type wholes struct {
	running, most, done atomic.Int32
	// first is called by the first list.
	first func(context.Context) error
}

func (w *wholes) source() Source[*corev1.Pod] {
	return FromClientset[*corev1.Pod](nil, func(ctx context.Context, _ metav1.ListOptions) (*corev1.PodList, error) {
		running := w.running.Add(1)
		defer w.running.Add(-1)
		w.most.Store(max(w.most.Load(), running))
		if w.done.Add(1) == 1 && w.first != nil {
			if err := w.first(ctx); err != nil {
				return nil, err
			}
		}
		time.Sleep(time.Second)
		return &corev1.PodList{Items: []corev1.Pod{*podNamed("a")}}, nil
	}, func(context.Context, metav1.ListOptions) (watch.Interface, error) { return nil, nil })
}

// Lists that are decoded as a whole are requested one at a time, if they have a limit. One that
// takes too long, fails, panics or is cancelled does not hold up the others.
func TestLimitWholeLists(t *testing.T) {
	var stall = func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, test := range []struct {
		name  string
		limit bool
		first func(context.Context) error
		took  time.Duration
		most  int32
	}{
		{"without a limit", false, nil, time.Second, 10},
		{"one at a time", true, nil, 10 * time.Second, 1},
		{"a failure", true, func(context.Context) error { return errors.New("connection reset") }, 9 * time.Second, 1},
		{"a panic", true, func(context.Context) error { panic("oh") }, 9 * time.Second, 1},
		{"a server that stalls", true, stall, wholeListTimeout + 9*time.Second, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var limit *ListLimit
				if test.limit {
					limit = (&fakeHeap{}).limit(mb)
				}
				w := &wholes{first: test.first}
				var took []time.Duration
				var mu sync.Mutex
				var running sync.WaitGroup
				began := time.Now()
				for range 10 {
					running.Go(func() {
						defer func() { _ = recover() }()
						if _, err := countItems(ctx, LimitLists(w.source(), limit)); err == nil {
							mu.Lock()
							defer mu.Unlock()
							took = append(took, time.Since(began))
						}
					})
				}
				time.Sleep(time.Minute)
				mu.Lock()
				if got := slices.Max(took); got != test.took || len(took) < 9 {
					t.Errorf("%d lists took %v, want %v", len(took), got, test.took)
				}
				mu.Unlock()
				if most := w.most.Load(); most != test.most {
					t.Errorf("%d lists at a time, want %d", most, test.most)
				}
				cancel()
				running.Wait()
				if limit != nil && len(limit.whole) > 0 {
					t.Error("the turn is never given back")
				}
			})
		})
	}
}

// A list that waits for its turn ends with its context, and takes no turn.
func TestLimitWholeListsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := (&fakeHeap{}).limit(mb)
		limit.whole <- struct{}{}
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), limitKey{}, limit), time.Second)
		defer cancel()
		awaitWholeList(ctx)()
		if len(limit.whole) != 1 {
			t.Error("gave back the turn of another list")
		}
	})
}

// initialEvents is a watcher that sends n objects, a bookmark, and as many objects again.
type initialEvents struct {
	f       *fakeHeap
	n, sent int
}

func (w *initialEvents) Next() (cache.WatchEvent[*corev1.Pod], error) {
	w.f.allocate(mb)
	w.sent++
	if w.sent == w.n+1 {
		return cache.WatchEvent[*corev1.Pod]{Type: watch.Bookmark, InitialEventsEnd: true}, nil
	}
	return cache.WatchEvent[*corev1.Pod]{Type: watch.Added, Object: podNamed("a")}, nil
}

func (w *initialEvents) Stop() {}

type watchFunc struct {
	listFunc
	watch func() cache.Watcher[*corev1.Pod]
}

func (w watchFunc) Watch(context.Context, metav1.ListOptions) (cache.Watcher[*corev1.Pod], error) {
	return w.watch(), nil
}

// The limit is about the initial events of a watch-list. What comes after them is not held up.
func TestLimitWatchLists(t *testing.T) {
	for _, watchList := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeHeap{heap: heap{100 * mb, 100 * mb}}
			src := LimitLists[*corev1.Pod](watchFunc{watch: func() cache.Watcher[*corev1.Pod] { return &initialEvents{f: f, n: 100} }}, f.limit(10*mb))
			w, err := src.Watch(t.Context(), metav1.ListOptions{Watch: true, SendInitialEvents: &watchList})
			if err != nil {
				t.Fatal(err)
			}
			read := func(n int) {
				for range n {
					if _, err := w.Next(); err != nil {
						t.Fatal(err)
					}
				}
			}
			read(101)
			if watchList != (f.collections >= 5) {
				t.Errorf("%d collections for 100 MiB, watch-list %v", f.collections, watchList)
			}
			initial := f.collections
			read(1000)
			if f.collections != initial {
				t.Errorf("%d collections after the initial events", f.collections-initial)
			}
		})
	}
}
