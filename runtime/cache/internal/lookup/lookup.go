// Package lookup reads objects by name if no watch or list shows their latest state.
package lookup

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

const (
	// maxPending limits how many objects are looked up by name. For more objects, a list costs less.
	maxPending = 32
	// firstDelay and longestDelay are the first and the longest delay before an object is looked up. Each
	// is extended at random, up to twice its length.
	firstDelay   = 2 * time.Second
	longestDelay = 5 * time.Minute
)

// Lookups read objects by name that could not be decoded, or whose events came out of order. An object is
// looked up after a growing delay, until that succeeds or a watch event or list has its state.
//
// They run in their own goroutine while there are any. It calls Found if the reflector has not pushed a
// later state. Found must not call a method of the Lookups.
type Lookups struct {
	Config
	// context is the informer's: an object is also looked up after the watch of its event has ended.
	context context.Context

	// active is false while events need not be compared with look-ups.
	active atomic.Bool

	mu sync.Mutex
	// held is true while everything is listed, since a look-up could then return an older state than the
	// list. It stays true after Stop.
	held bool
	// pending, known and wake are made for the first look-up. Most informers never have one.
	pending map[types.NamespacedName]*lookup
	// known holds the version up to which the state of a looked-up object is known. Watch events of earlier
	// versions are late.
	known map[types.NamespacedName]string
	// wake makes the goroutine check again which look-up is due first.
	wake chan struct{}
	// cancel ends the goroutine. It is nil while there is none.
	cancel context.CancelFunc
	// done is for waiting for the goroutine.
	done sync.WaitGroup
}

// Config says how objects are looked up. All functions are needed.
type Config struct {
	// Find requests the object of a name.
	Find func(context.Context, types.NamespacedName) (Finding, error)
	// Found is called with the result of Find, unless a later state is known.
	Found func(types.NamespacedName, Finding)
	// Jitter returns a random duration below a limit.
	Jitter func(limit time.Duration) time.Duration
	// Ordered reports whether a state with a later version is a later state.
	Ordered bool
}

// Finding is the object that a look-up found.
type Finding struct {
	// Received has no Object if the object does not exist.
	protocol.Received
	// Same reports whether the store has this state.
	Same bool
	// Version is the resourceVersion of the response.
	Version string
}

// New returns Lookups that end with ctx.
func New(ctx context.Context, config Config) *Lookups {
	return &Lookups{Config: config, context: ctx}
}

// lookup is the look-up of an object that is due later.
type lookup struct {
	due   time.Time
	delay time.Duration
}

// postpone sets when the object is looked up next. The caller holds mu.
func (l *Lookups) postpone(next *lookup) {
	next.delay = min(max(2*next.delay, firstDelay), longestDelay)
	next.due = time.Now().Add(next.delay + l.Jitter(next.delay))
}

// Add schedules the look-up of an object. It returns false if there are too many.
func (l *Lookups) Add(key types.NamespacedName) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending[key] == nil && len(l.pending) >= maxPending {
		return false
	}
	if l.pending == nil {
		l.pending, l.known = map[types.NamespacedName]*lookup{}, map[types.NamespacedName]string{}
		l.wake = make(chan struct{}, 1)
	}
	next := &lookup{}
	earlier := l.pending[key]
	if earlier != nil {
		next.delay = earlier.delay / 2 // it was for another state, but probably for the same reason
	}
	l.postpone(next)
	if earlier != nil && earlier.due.After(time.Now()) && earlier.due.Before(next.due) {
		next.due = earlier.due // repeated events must not postpone it for ever
	}
	l.pending[key] = next
	delete(l.known, key)
	l.active.Store(true)
	l.start()
	return true
}

// start makes the goroutine check what is pending. The caller holds mu.
func (l *Lookups) start() {
	if l.held || len(l.pending) == 0 {
		return
	}
	if l.cancel == nil {
		var ctx context.Context
		ctx, l.cancel = context.WithCancel(l.context)
		l.done.Go(func() { l.run(ctx) })
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Push calls push for a watch event, unless a look-up has found a later state of its object. The object
// then needs no look-up any more.
func (l *Lookups) Push(key types.NamespacedName, resourceVersion string, push func()) {
	if !l.active.Load() {
		push()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.known[key]; ok && !protocol.Newer(resourceVersion, known) {
		return
	}
	delete(l.pending, key)
	// Further events are later than this one.
	maps.DeleteFunc(l.known, func(_ types.NamespacedName, version string) bool { return !protocol.Newer(version, resourceVersion) })
	l.active.Store(len(l.pending)+len(l.known) > 0)
	push()
}

// Hold drops all look-ups, since a list of all objects is about to start. Nothing is looked up before
// Unhold.
func (l *Lookups) Hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
	clear(l.pending)
	clear(l.known)
	l.active.Store(false)
}

// Unhold starts to look up the objects that the list could not read.
func (l *Lookups) Unhold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
	l.start()
}

// Stop ends the goroutine and waits for it. Nothing is looked up any more.
func (l *Lookups) Stop() {
	l.Hold()
	l.mu.Lock()
	if l.cancel != nil {
		l.cancel()
	}
	l.mu.Unlock()
	l.done.Wait()
}

// run looks objects up when they are due, until there are none or the context ends.
func (l *Lookups) run(ctx context.Context) {
	for {
		key, next, ok := l.next(ctx)
		if !ok {
			return
		}
		select {
		case <-time.After(time.Until(next.due)):
		case <-l.wake:
			continue
		case <-ctx.Done():
			continue
		}
		found, err := l.Find(ctx, key)
		l.deliver(ctx, key, next, found, err)
	}
}

// next returns the look-up that is due first. The goroutine ends if there is none.
func (l *Lookups) next(ctx context.Context) (key types.NamespacedName, next *lookup, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, candidate := range l.pending {
		if next == nil || candidate.due.Before(next.due) {
			key, next = k, candidate
		}
	}
	if next == nil || l.held || ctx.Err() != nil {
		l.cancel()
		l.cancel = nil
		return key, nil, false
	}
	return key, next, true
}

// deliver calls Found, unless the reflector has got a state of the object meanwhile.
func (l *Lookups) deliver(ctx context.Context, key types.NamespacedName, asked *lookup, found Finding, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending[key] != asked || ctx.Err() != nil {
		return
	}
	logger := klog.FromContext(ctx)
	if err != nil {
		l.postpone(asked)
		logger.V(4).Info("Object could not be looked up", "object", objectkey.String(key), "err", err, "again", asked.due)
		return
	}
	delete(l.pending, key)
	if l.Ordered {
		l.known[key] = found.Version
	}
	logger.V(2).Info("Object was looked up", "object", objectkey.String(key), "exists", found.Object != nil)
	l.Found(key, found)
}

// Options returns the options for a list of one object, in its latest state.
func Options(key types.NamespacedName) metav1.ListOptions {
	selector := fields.Set{"metadata.name": key.Name}
	if key.Namespace != "" {
		selector["metadata.namespace"] = key.Namespace
	}
	return metav1.ListOptions{FieldSelector: selector.AsSelector().String()}
}
