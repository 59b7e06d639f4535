// Package lookup reads objects by name whose latest state is not known from a watch or list.
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
	// maxPending limits how many objects are looked up by name. For more, a list costs less.
	maxPending = 32
	// firstDelay and longestDelay are the delays before an object is looked up, at first and
	// in the end. Each is at random up to twice as long.
	firstDelay   = 2 * time.Second
	longestDelay = 5 * time.Minute
)

// Lookups read objects by name: they could not be decoded, or their events came out of order.
// Each is looked up after a delay that grows, until that succeeds, or a watch event or list
// has its state.
//
// They run in a goroutine of their own while there are any. It calls Found if the reflector has
// not pushed a later state. Found must not call a method of the Lookups.
type Lookups struct {
	Config
	// context is that of the informer: an object is looked up also when the watch of its
	// event has ended.
	context context.Context

	// active is false while there is nothing to compare events with.
	active atomic.Bool

	mu sync.Mutex
	// held is true while everything is listed: what is looked up then could be older
	// than the list. It stays true after Stop.
	held bool
	// pending, known, and wake are made when the first object is to be looked up: most
	// informers never have one.
	pending map[types.NamespacedName]*lookup
	// known holds, for objects that were looked up, up to which version their states are
	// known: watch events of earlier versions are late.
	known map[types.NamespacedName]string
	// wake makes the goroutine check again which of them is due first.
	wake chan struct{}
	// cancel ends the goroutine; it is nil while there is none.
	cancel context.CancelFunc
	// done counts the goroutine.
	done sync.WaitGroup
}

// Config says how objects are looked up. All functions are needed.
type Config struct {
	// Find requests an object of that name.
	Find func(context.Context, types.NamespacedName) (Finding, error)
	// Found is called with what Find has found, unless a later state is known.
	Found func(types.NamespacedName, Finding)
	// Jitter returns a random duration below a limit.
	Jitter func(limit time.Duration) time.Duration
	// Ordered reports whether a state with a later version is a later state.
	Ordered bool
}

// Finding is the object that a look-up found.
type Finding struct {
	// Received has no Object if there is none.
	protocol.Received
	// Same reports whether it is the store's.
	Same bool
	// Version is the resourceVersion of the response.
	Version string
}

// New returns look-ups that last no longer than ctx.
func New(ctx context.Context, config Config) *Lookups {
	return &Lookups{Config: config, context: ctx}
}

// lookup is an object that is to be looked up.
type lookup struct {
	due   time.Time
	delay time.Duration
}

// postpone sets when an object is looked up next. The caller holds mu.
func (l *Lookups) postpone(next *lookup) {
	next.delay = min(max(2*next.delay, firstDelay), longestDelay)
	next.due = time.Now().Add(next.delay + l.Jitter(next.delay))
}

// Add has an object looked up. It returns false if too many are.
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
		next.delay = earlier.delay / 2 // of another state, but probably for the same reason
	}
	l.postpone(next)
	if earlier != nil && earlier.due.After(time.Now()) && earlier.due.Before(next.due) {
		next.due = earlier.due // events that repeat must not put it off for ever
	}
	l.pending[key] = next
	delete(l.known, key)
	l.active.Store(true)
	l.start()
	return true
}

// start has the goroutine look at what is pending. The caller holds mu.
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

// Push calls push for a watch event, unless a look-up has found a later state of its object.
// The object needs no look-up any more then.
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
	// What comes after this event is later than it.
	maps.DeleteFunc(l.known, func(_ types.NamespacedName, version string) bool { return !protocol.Newer(version, resourceVersion) })
	l.active.Store(len(l.pending)+len(l.known) > 0)
	push()
}

// Hold drops all of them, since a list of all objects is about to begin. Nothing is looked
// up before Unhold.
func (l *Lookups) Hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
	clear(l.pending)
	clear(l.known)
	l.active.Store(false)
}

// Unhold begins to look up the objects that the list could not read.
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

// Options are those of a list of one object, in its latest state.
func Options(key types.NamespacedName) metav1.ListOptions {
	selector := fields.Set{"metadata.name": key.Name}
	if key.Namespace != "" {
		selector["metadata.namespace"] = key.Namespace
	}
	return metav1.ListOptions{FieldSelector: selector.AsSelector().String()}
}
