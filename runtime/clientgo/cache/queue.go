package cache

import (
	"sync"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// queueState is what the queues have in common: a lock, the wait for items, the
// end, and the initial list. It is the DoneChecker of the latter.
type queueState struct {
	name   string
	logger klog.Logger
	// synced is closed when the last item of the initial list is handled.
	synced chan struct{}

	// mu guards what is below, and the items of the queue.
	mu sync.Mutex
	// changed is signalled for each item, and to all waiters when the queue is
	// closed.
	changed sync.Cond
	closed  bool
	// written is set by the first write. If that is a Replace, what it queues is
	// the initial list, and initial counts those of its items that are not handled.
	written bool
	initial int
}

func (q *queueState) init(name string, logger *klog.Logger) {
	q.name, q.logger = name, klog.Background()
	if logger != nil {
		q.logger = *logger
	}
	q.logger = klog.LoggerWithName(q.logger, name)
	q.synced = make(chan struct{})
	q.changed.L = &q.mu
}

// HasSynced reports whether the initial list is handled. There is none if
// something else was written before the first Replace.
func (q *queueState) HasSynced() bool {
	select {
	case <-q.synced:
		return true
	default:
		return false
	}
}

// HasSyncedChecker returns HasSynced as a channel.
func (q *queueState) HasSyncedChecker() DoneChecker { return q }

// Name is the queue's name as a DoneChecker.
func (q *queueState) Name() string { return q.name }

// Done returns a channel that is closed when HasSynced becomes true.
func (q *queueState) Done() <-chan struct{} { return q.synced }

// Close lets Pop return ErrFIFOClosed once the queue is empty.
func (q *queueState) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// IsClosed reports whether Close was called.
func (q *queueState) IsClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// waitLocked blocks until there are items, or returns ErrFIFOClosed.
func (q *queueState) waitLocked(items func() int) error {
	for items() == 0 {
		if q.closed {
			return ErrFIFOClosed
		}
		q.changed.Wait()
	}
	return nil
}

// writtenLocked notes a write that leaves that many items of an initial list.
func (q *queueState) writtenLocked(initial int) {
	if q.written {
		return
	}
	q.written, q.initial = true, initial
	if initial == 0 {
		close(q.synced)
	}
}

// handledLocked notes that items have been handled, the oldest ones.
func (q *queueState) handledLocked(items int) {
	if q.initial == 0 {
		return
	}
	if q.initial = max(q.initial-items, 0); q.initial == 0 {
		close(q.synced)
	}
}

const (
	// busyDepth is how many items must wait while others are handled slowly for
	// that to be logged.
	busyDepth = 10
	// slowItem and slowBatch are how long an item, and any number of them, may take.
	slowItem  = 100 * time.Millisecond
	slowBatch = time.Second
)

// logIfSlow logs that items were handled slowly, from start to now, while others
// waited.
func (q *queueState) logIfSlow(start time.Time, oldest string, items, waiting int) {
	if took := time.Since(start); took >= min(time.Duration(items)*slowItem, slowBatch) {
		q.logger.V(2).Info("Slow event handlers block the queue", "key", oldest, "items", items, "waiting", waiting, "took", took)
	}
}

// transformed returns an object as it is queued. What a tombstone holds came from
// the queue, and is transformed already.
func transformed(transform TransformFunc, obj any) (any, error) {
	if _, gone := obj.(DeletedFinalStateUnknown); gone || transform == nil {
		return obj, nil
	}
	return transform(obj)
}

// accumulatedKey returns the key of an object or of what a queue makes of one:
// Deltas, or a tombstone.
func accumulatedKey(key KeyFunc, obj any) (string, error) {
	if deltas, ok := obj.(Deltas); ok {
		if len(deltas) == 0 {
			return "", KeyError{Obj: obj, Err: ErrZeroLengthDeltasObject}
		}
		obj = deltas.Newest().Object
	}
	if gone, ok := obj.(DeletedFinalStateUnknown); ok {
		return gone.Key, nil
	}
	return key(obj)
}

// knownObject is an object that the consumer of a queue knows.
type knownObject struct {
	key string
	obj any
	// missing is set if the consumer had the key and, when asked, no object of it.
	missing bool
}

func (o knownObject) tombstone() DeletedFinalStateUnknown {
	return DeletedFinalStateUnknown{Key: o.key, Obj: o.obj}
}

// knownExcept returns what the consumer knows, but for some keys.
func knownExcept(known KeyListerGetter, logger klog.Logger, except func(key string) bool) []knownObject {
	if known == nil {
		return nil
	}
	var objs []knownObject
	for _, key := range known.ListKeys() {
		if except(key) {
			continue
		}
		obj, exists, err := known.GetByKey(key)
		switch {
		case err != nil:
			utilruntime.HandleErrorWithLogger(logger, err, "Looking up a known object", "key", key)
			objs = append(objs, knownObject{key: key, missing: true})
		case !exists:
			logger.Info("A known key has no object", "key", key)
			objs = append(objs, knownObject{key: key, missing: true})
		default:
			objs = append(objs, knownObject{key: key, obj: obj})
		}
	}
	return objs
}
