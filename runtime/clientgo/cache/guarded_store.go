package cache

// guardedStore notifies a watchGuard of each event that the reflector stores. It has
// all optional methods that reflectors look for: without effect if the store has
// none, as if they were not there.
type guardedStore struct {
	ReflectorStore
	guard *watchGuard
}

func (s guardedStore) Add(obj any) error {
	s.guard.active()
	return s.ReflectorStore.Add(obj)
}

func (s guardedStore) Replace(list []any, resourceVersion string) error {
	s.guard.replaced()
	return s.ReflectorStore.Replace(list, resourceVersion)
}

// UpdateResourceVersion is called for all events but those that are added by a watch
// from no version.
func (s guardedStore) UpdateResourceVersion(resourceVersion string) {
	s.guard.active()
	if updater, ok := s.ReflectorStore.(ResourceVersionUpdater); ok {
		updater.UpdateResourceVersion(resourceVersion)
	}
}

func (s guardedStore) Bookmark(resourceVersion string) error {
	if store, ok := s.ReflectorStore.(ReflectorBookmarkStore); ok {
		return store.Bookmark(resourceVersion)
	}
	return nil
}

// Transformer returns what the reflector calls for each of the initial events of a
// watch-list, which do not reach the store one by one.
func (s guardedStore) Transformer() TransformFunc {
	var transform TransformFunc
	if store, ok := s.ReflectorStore.(TransformingStore); ok {
		transform = store.Transformer()
	}
	return func(obj any) (any, error) {
		s.guard.active()
		if transform == nil {
			return obj, nil
		}
		return transform(obj)
	}
}

// guardedQueue is a guardedStore over a queue.
type guardedQueue struct {
	guardedStore
	queue Queue
}

func (q guardedQueue) Pop(process PopProcessFunc) (any, error) { return q.queue.Pop(process) }

func (q guardedQueue) HasSynced() bool { return q.queue.HasSynced() }

func (q guardedQueue) HasSyncedChecker() DoneChecker { return q.queue.HasSyncedChecker() }

func (q guardedQueue) Close() { q.queue.Close() }

// guardedBatchQueue is a guardedQueue that can be read in batches.
type guardedBatchQueue struct {
	guardedQueue
	batches QueueWithBatch
}

func (q guardedBatchQueue) PopBatch(processBatch ProcessBatchFunc, process PopProcessFunc) error {
	return q.batches.PopBatch(processBatch, process)
}

// guardQueue returns a queue for a reflector whose watches g guards.
func guardQueue(queue Queue, g *watchGuard) Queue {
	guarded := guardedQueue{guardedStore: guardedStore{ReflectorStore: queue, guard: g}, queue: queue}
	if batches, ok := queue.(QueueWithBatch); ok {
		return guardedBatchQueue{guardedQueue: guarded, batches: batches}
	}
	return guarded
}
