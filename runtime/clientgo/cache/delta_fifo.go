package cache

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
)

// DeltaFIFO is a queue of keys, each with all that happened to its object since it
// was last popped. What Pop gives and returns is a Deltas. A key keeps its place in
// the queue however much happens to it.
//
// It is safe for concurrent use. The function given to Pop, the transformer and
// the known objects are used with the queue locked, and must not use the queue.
type DeltaFIFO struct {
	queueState
	key       KeyFunc
	known     KeyListerGetter
	transform TransformFunc
	// listed is the type of the deltas that Replace makes of a list.
	listed DeltaType

	// keys are those of deltas, each once.
	keys   ring[string]
	deltas map[string]Deltas
}

var (
	_ Queue             = (*DeltaFIFO)(nil)
	_ TransformingStore = (*DeltaFIFO)(nil)
	_ DoneChecker       = (*DeltaFIFO)(nil)
)

// NewDeltaFIFO returns an empty queue whose Replace makes Sync deltas.
//
// Deprecated: use NewDeltaFIFOWithOptions.
func NewDeltaFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects})
}

// NewDeltaFIFOWithOptions returns an empty queue.
func NewDeltaFIFOWithOptions(opts DeltaFIFOOptions) *DeltaFIFO {
	f := &DeltaFIFO{
		key:       opts.KeyFunction,
		known:     opts.KnownObjects,
		transform: opts.Transformer,
		listed:    Sync,
		deltas:    map[string]Deltas{},
	}
	if f.key == nil {
		f.key = MetaNamespaceKeyFunc
	}
	if opts.EmitDeltaTypeReplaced {
		f.listed = Replaced
	}
	f.init(cmp.Or(opts.Name, "DeltaFIFO"), opts.Logger)
	return f
}

// KeyOf returns the key of an object, a tombstone or a Deltas.
func (f *DeltaFIFO) KeyOf(obj any) (string, error) { return accumulatedKey(f.key, obj) }

// Transformer returns what is applied to the objects that are queued.
func (f *DeltaFIFO) Transformer() TransformFunc { return f.transform }

// Add queues an Added delta. Possible errors: KeyError, those of the transformer.
func (f *DeltaFIFO) Add(obj any) error { return f.write(Added, obj) }

// Update queues an Updated delta. Possible errors: as of Add.
func (f *DeltaFIFO) Update(obj any) error { return f.write(Updated, obj) }

func (f *DeltaFIFO) write(kind DeltaType, obj any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writtenLocked(0)
	key, err := f.KeyOf(obj)
	if err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	return f.transformAndPushLocked(kind, key, obj)
}

// Delete queues a Deleted delta, unless nothing of that key is queued or known: then
// a list has queued the deletion before. Possible errors: as of Add.
func (f *DeltaFIFO) Delete(obj any) error {
	key, err := f.KeyOf(obj)
	if err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writtenLocked(0)
	if !f.existsLocked(key) {
		return nil
	}
	return f.transformAndPushLocked(Deleted, key, obj)
}

// existsLocked reports whether the consumer knows of that key, or will.
func (f *DeltaFIFO) existsLocked(key string) bool {
	if _, queued := f.deltas[key]; queued || f.known == nil {
		return queued
	}
	_, exists, err := f.known.GetByKey(key)
	return exists || err != nil
}

// Replace queues a delta for each object of a list, and deletions of what is queued
// or known and not in it. Possible errors: as of Add; what comes before the object
// at fault is queued then.
func (f *DeltaFIFO) Replace(list []any, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := make(sets.Set[string], len(list))
	for _, obj := range list {
		key, err := f.KeyOf(obj)
		if err != nil {
			return KeyError{Obj: obj, Err: err}
		}
		keys.Insert(key)
		if err := f.transformAndPushLocked(f.listed, key, obj); err != nil {
			return fmt.Errorf("couldn't enqueue object: %w", err)
		}
	}
	gone := unlistedDeltas(f.deltas, keys)
	for _, obj := range knownExcept(f.known, f.logger, func(key string) bool { return keys.Has(key) || f.deltas[key] != nil }) {
		gone = append(gone, obj.tombstone())
	}
	for _, tombstone := range gone {
		f.pushLocked(tombstone.Key, Delta{Type: Deleted, Object: tombstone})
	}
	f.writtenLocked(len(keys) + len(gone))
	return nil
}

// Resync queues a Sync delta for each known object of which nothing is queued.
func (f *DeltaFIFO) Resync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, obj := range knownExcept(f.known, f.logger, func(key string) bool { return f.deltas[key] != nil }) {
		if !obj.missing {
			f.pushLocked(obj.key, Delta{Type: Sync, Object: obj.obj})
		}
	}
	return nil
}

func (f *DeltaFIFO) transformAndPushLocked(kind DeltaType, key string, obj any) error {
	obj, err := transformed(f.transform, obj)
	if err != nil {
		return err
	}
	f.pushLocked(key, Delta{Type: kind, Object: obj})
	return nil
}

func (f *DeltaFIFO) pushLocked(key string, d Delta) {
	deltas, queued := f.deltas[key]
	if !queued {
		f.keys.push(key)
		f.changed.Signal()
	}
	f.deltas[key] = appendDelta(deltas, d)
}

// Pop takes the oldest key out, and hands its Deltas to a function, with the queue
// locked. It blocks while the queue is empty. The object that it returns is the
// Deltas, and the error that of the function, or ErrFIFOClosed. The queue is in sync
// once the last key of the initial list is out, before its Deltas are handled.
func (f *DeltaFIFO) Pop(process PopProcessFunc) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.waitLocked(f.keys.len); err != nil {
		return nil, err
	}
	isInInitialList := !f.HasSynced()
	key := f.keys.pop()
	var deltas any = f.deltas[key]
	delete(f.deltas, key)
	f.handledLocked(1)
	if waiting := f.keys.len(); waiting > busyDepth {
		defer f.logIfSlow(time.Now(), key, 1, waiting)
	}
	return deltas, process(deltas, isInInitialList)
}

// appendDelta adds a delta to those of its object. Two deletions in a row are one:
// the older one, unless it is a tombstone, which may have an older state.
func appendDelta(deltas Deltas, d Delta) Deltas {
	newest := deltas.Newest()
	if newest == nil || newest.Type != Deleted || d.Type != Deleted {
		return append(deltas, d)
	}
	if _, tombstone := newest.Object.(DeletedFinalStateUnknown); tombstone {
		*newest = d
	}
	return deltas
}

// unlistedDeltas returns tombstones of the queued objects whose keys a list does
// not have, with the newest object of each.
func unlistedDeltas(queued map[string]Deltas, listed sets.Set[string]) []DeletedFinalStateUnknown {
	var gone []DeletedFinalStateUnknown
	for key, deltas := range queued {
		if listed.Has(key) {
			continue
		}
		obj := deltas.Newest().Object
		if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		gone = append(gone, DeletedFinalStateUnknown{Key: key, Obj: obj})
	}
	return gone
}
