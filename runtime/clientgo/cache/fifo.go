package cache

// FIFO is a queue of objects, of each key the latest. It is popped where its key
// was first queued; one that is deleted in the meantime is not.
//
// It is safe for concurrent use. The function given to Pop is called with the queue
// locked, and must not use it.
type FIFO struct {
	queueState
	key KeyFunc

	// keys are at least those of items. A key whose item was deleted is passed
	// over, but keeps its place for an item that may come again.
	keys  ring[string]
	items map[string]any
}

var (
	_ Queue       = (*FIFO)(nil)
	_ DoneChecker = (*FIFO)(nil)
)

// NewFIFO returns an empty queue.
func NewFIFO(keyFunc KeyFunc) *FIFO {
	f := &FIFO{key: keyFunc, items: map[string]any{}}
	f.init("FIFO", nil)
	return f
}

// Add queues an object, or puts it in the place of the one of its key. Possible
// errors: KeyError.
func (f *FIFO) Add(obj any) error {
	key, err := f.key(obj)
	if err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writtenLocked(0)
	f.pushLocked(key, obj)
	return nil
}

// Update is Add.
func (f *FIFO) Update(obj any) error { return f.Add(obj) }

// Delete takes the object out of the queue. Possible errors: KeyError.
func (f *FIFO) Delete(obj any) error {
	key, err := f.key(obj)
	if err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writtenLocked(0)
	delete(f.items, key)
	return nil
}

// Replace makes a list the content of the queue, in its order. Possible errors:
// KeyError, and then nothing has changed.
func (f *FIFO) Replace(list []any, _ string) error {
	keys := make([]string, len(list))
	for i, obj := range list {
		key, err := f.key(obj)
		if err != nil {
			return KeyError{Obj: obj, Err: err}
		}
		keys[i] = key
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys, f.items = ring[string]{}, make(map[string]any, len(list))
	for i, key := range keys {
		f.pushLocked(key, list[i])
	}
	f.writtenLocked(len(f.items))
	return nil
}

// Resync does nothing: what is to be popped is queued.
func (f *FIFO) Resync() error { return nil }

func (f *FIFO) pushLocked(key string, obj any) {
	if _, queued := f.items[key]; !queued {
		f.keys.push(key)
		f.changed.Signal()
	}
	f.items[key] = obj
}

// Pop takes the oldest object out and hands it to a function. It blocks while there
// is none. It returns the object and the error of the function, or ErrFIFOClosed.
func (f *FIFO) Pop(process PopProcessFunc) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if err := f.waitLocked(f.keys.len); err != nil {
			return nil, err
		}
		key := f.keys.pop()
		if obj, queued := f.items[key]; queued {
			isInInitialList := !f.HasSynced()
			delete(f.items, key)
			defer f.handledLocked(1)
			return obj, process(obj, isInInitialList)
		}
		f.handledLocked(1)
	}
}
