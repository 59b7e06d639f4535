package cache

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
)

// RealFIFO is a queue of deltas in the order in which they happened: each of them
// comes out, alone with Pop, with others with PopBatch. What is queued is a delta
// for each object or, with AtomicEvents, one for a whole list or resync.
//
// It is safe for concurrent use, by one consumer. The functions given to Pop and
// PopBatch are called with the queue locked, other than with
// UnlockWhileProcessing: then it is locked only while it is long, so that
// producers wait. The transformer and the known objects are always used
// with the queue locked, and must not use it.
type RealFIFO struct {
	queueState
	key       KeyFunc
	known     KeyListerGetter
	transform TransformFunc
	// atomic, bookmarks and unlock are the options of similar names.
	atomic, bookmarks, unlock bool
	metrics                   queueMetrics

	items ring[keyedDelta]
}

var (
	_ QueueWithBatch         = (*RealFIFO)(nil)
	_ TransformingStore      = (*RealFIFO)(nil)
	_ ReflectorBookmarkStore = (*RealFIFO)(nil)
	_ DoneChecker            = (*RealFIFO)(nil)
)

// keyedDelta is a delta with the key of its object, if it has one object.
type keyedDelta struct {
	Delta
	key string
}

// batchLimit is how many deltas PopBatch takes at the most. The queue counts as
// long from twice as many on.
const batchLimit = 1000

// NewRealFIFO returns an empty queue without AtomicEvents.
//
// Deprecated: use NewRealFIFOWithOptions.
func NewRealFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter, transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects, Transformer: transformer})
}

// NewRealFIFOWithOptions returns an empty queue. It panics, as client-go's does, if
// the options contradict each other: with AtomicEvents there must be no
// KnownObjects, and without it they are needed, and neither UnlockWhileProcessing
// nor EmitDeltaTypeBookmark is possible.
func NewRealFIFOWithOptions(opts RealFIFOOptions) *RealFIFO {
	if err := contradiction(opts); err != nil {
		panic(err)
	}
	f := &RealFIFO{
		key:       opts.KeyFunction,
		known:     opts.KnownObjects,
		transform: opts.Transformer,
		atomic:    opts.AtomicEvents,
		bookmarks: opts.EmitDeltaTypeBookmark,
		unlock:    opts.UnlockWhileProcessing,
		metrics:   newQueueMetrics(opts.Identifier, opts.MetricsProvider),
	}
	if f.key == nil {
		f.key = MetaNamespaceKeyFunc
	}
	f.init(cmp.Or(opts.Identifier.Name(), opts.Name, "RealFIFO"), opts.Logger)
	return f
}

func contradiction(opts RealFIFOOptions) error {
	switch {
	case opts.AtomicEvents && opts.KnownObjects != nil:
		return errors.New("RealFIFO: KnownObjects with AtomicEvents")
	case opts.AtomicEvents:
		return nil
	case opts.KnownObjects == nil:
		return errors.New("RealFIFO: neither KnownObjects nor AtomicEvents")
	case opts.UnlockWhileProcessing:
		return errors.New("RealFIFO: UnlockWhileProcessing without AtomicEvents")
	case opts.EmitDeltaTypeBookmark:
		return errors.New("RealFIFO: EmitDeltaTypeBookmark without AtomicEvents")
	}
	return nil
}

// Transformer returns what is applied to the objects that are queued.
func (f *RealFIFO) Transformer() TransformFunc { return f.transform }

// Add queues an Added delta. Possible errors: KeyError, those of the transformer.
func (f *RealFIFO) Add(obj any) error { return f.write(Added, obj) }

// Update queues an Updated delta. Possible errors: as of Add.
func (f *RealFIFO) Update(obj any) error { return f.write(Updated, obj) }

// Delete queues a Deleted delta. Possible errors: as of Add.
func (f *RealFIFO) Delete(obj any) error { return f.write(Deleted, obj) }

func (f *RealFIFO) write(kind DeltaType, obj any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writtenLocked(0)
	key, err := accumulatedKey(f.key, obj)
	if err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	return f.transformAndPushLocked(kind, key, obj)
}

// Bookmark queues a Bookmark delta, if the options say so.
func (f *RealFIFO) Bookmark(resourceVersion string) error {
	if !f.bookmarks {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pushLocked(keyedDelta{Delta: Delta{Type: Bookmark, Object: BookmarkInfo{ResourceVersion: resourceVersion}}})
	return nil
}

// Replace queues a list: as one ReplacedAll delta, or else as deletions of what is
// queued or known and not in it, and then a Replaced delta for each of its
// objects. Possible errors: as of Add.
func (f *RealFIFO) Replace(list []any, resourceVersion string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	replace := f.replaceEachLocked
	if f.atomic {
		replace = f.replaceAllLocked
	}
	if err := replace(list, resourceVersion); err != nil {
		return err
	}
	f.writtenLocked(f.items.len())
	return nil
}

func (f *RealFIFO) replaceAllLocked(list []any, resourceVersion string) error {
	if f.transform != nil {
		given := list
		list = make([]any, len(given))
		for i, obj := range given {
			var err error
			if list[i], err = f.transform(obj); err != nil {
				return err
			}
		}
	}
	f.pushLocked(keyedDelta{Delta: Delta{Type: ReplacedAll, Object: ReplacedAllInfo{ResourceVersion: resourceVersion, Objects: list}}})
	return nil
}

func (f *RealFIFO) replaceEachLocked(list []any, _ string) error {
	keys := make([]string, len(list))
	listed := make(sets.Set[string], len(list))
	for i, obj := range list {
		key, err := accumulatedKey(f.key, obj)
		if err != nil {
			return KeyError{Obj: obj, Err: err}
		}
		keys[i] = key
		listed.Insert(key)
	}
	queued := newestQueued(&f.items)
	gone := queued.unlisted(listed)
	for _, obj := range knownExcept(f.known, f.logger, func(key string) bool { return listed.Has(key) || queued.has(key) }) {
		gone = append(gone, obj.tombstone())
	}
	for _, tombstone := range gone {
		f.pushLocked(keyedDelta{Delta: Delta{Type: Deleted, Object: tombstone}, key: tombstone.Key})
	}
	for i, obj := range list {
		if err := f.transformAndPushLocked(Replaced, keys[i], obj); err != nil {
			return fmt.Errorf("couldn't enqueue object: %w", err)
		}
	}
	return nil
}

// Resync queues a SyncAll delta, or else a Sync delta for each known object of
// which nothing is queued.
func (f *RealFIFO) Resync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.atomic {
		f.pushLocked(keyedDelta{Delta: Delta{Type: SyncAll, Object: SyncAllInfo{}}})
		return nil
	}
	queued := newestQueued(&f.items)
	for _, obj := range knownExcept(f.known, f.logger, queued.has) {
		if !obj.missing {
			f.pushLocked(keyedDelta{Delta: Delta{Type: Sync, Object: obj.obj}, key: obj.key})
		}
	}
	return nil
}

func (f *RealFIFO) transformAndPushLocked(kind DeltaType, key string, obj any) error {
	obj, err := transformed(f.transform, obj)
	if err != nil {
		return err
	}
	f.pushLocked(keyedDelta{Delta: Delta{Type: kind, Object: obj}, key: key})
	return nil
}

func (f *RealFIFO) pushLocked(d keyedDelta) {
	f.items.push(d)
	f.changed.Signal()
	f.metrics.queued(f.items.len())
}

// Pop takes the oldest delta out and hands it, as a Deltas of one, to a function.
// It blocks while the queue is empty. The object that it returns is that Deltas,
// and the error that of the function, or ErrFIFOClosed.
func (f *RealFIFO) Pop(process PopProcessFunc) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.waitLocked(f.items.len); err != nil {
		return nil, err
	}
	var deltas any = Deltas{f.items.at(0).Delta}
	return deltas, f.popLocked(1, func(isInInitialList bool) error { return process(deltas, isInInitialList) })
}

// PopBatch takes the oldest deltas out, up to a thousand and no two of one object,
// and hands them to processBatch. If it is only one it goes to processSingle, as a
// Deltas; a delta of a whole list or resync, and a bookmark, always go alone. The
// initial list does not share a batch with what comes after it. PopBatch blocks
// while the queue is empty. Its error is that of the function, or ErrFIFOClosed.
func (f *RealFIFO) PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.waitLocked(f.items.len); err != nil {
		return err
	}
	limit := batchLimit
	if f.initial > 0 {
		limit = min(limit, f.initial)
	}
	batch := make([]Delta, batchLength(&f.items, limit))
	for i := range batch {
		batch[i] = f.items.at(i).Delta
	}
	return f.popLocked(len(batch), func(isInInitialList bool) error {
		if len(batch) == 1 {
			return processSingle(Deltas(batch), isInInitialList)
		}
		return processBatch(batch, isInInitialList)
	})
}

// popLocked takes out the n oldest items while process handles them. If process
// panics they are out, too.
func (f *RealFIFO) popLocked(n int, process func(isInInitialList bool) error) error {
	isInInitialList := !f.HasSynced()
	key := f.items.at(0).key
	for range n {
		f.items.pop()
	}
	defer f.handledLocked(n)
	waiting := f.items.len()
	if waiting > busyDepth {
		defer f.logIfSlow(time.Now(), key, n, waiting)
	}
	f.metrics.queued(waiting)
	if f.unlock && waiting < 2*batchLimit {
		f.mu.Unlock()
		defer f.mu.Lock()
	}
	defer f.metrics.handled(f.metrics.now())
	return process(isInInitialList)
}
