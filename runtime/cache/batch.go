package cache

// EventType says how an object changed.
type EventType uint8

const (
	// Added is an object that is new in the store.
	Added EventType = iota
	// Updated is an object in the place of another, or the same one twice.
	Updated
	// Deleted is the last state of an object that left the store.
	Deleted
)

var eventTypeNames = [...]string{Added: "added", Updated: "updated", Deleted: "deleted"}

func (t EventType) String() string { return eventTypeNames[t] }

// Event is a change that a Handler is told of with a call.
type Event[T any] struct {
	Type EventType
	// Old is the object before an update.
	Old T
	// Object is the new object, or the last state of one that was deleted.
	Object T
	// Initial is as in Handler.OnAdd, FinalStateUnknown as in Handler.OnDelete.
	Initial, FinalStateUnknown bool
}

// InBatches returns a Handler that calls handle with what has come since the last
// call, in order, but no more than 64 events. It is for handlers whose work costs
// less for many at once, such as a write to a database. The slice is handle's until it
// returns. A panic concerns the whole batch.
func InBatches[T any](handle func(events []Event[T])) Handler[T] { return batchFunc[T](handle) }

// batchFunc takes an event as a batch of one. A listener puts a batch in its place.
type batchFunc[T any] func([]Event[T])

func (f batchFunc[T]) OnAdd(obj T, initial bool) {
	f([]Event[T]{{Type: Added, Object: obj, Initial: initial}})
}

func (f batchFunc[T]) OnUpdate(old, obj T) {
	f([]Event[T]{{Type: Updated, Old: old, Object: obj}})
}

func (f batchFunc[T]) OnDelete(last T, finalStateUnknown bool) {
	f([]Event[T]{{Type: Deleted, Object: last, FinalStateUnknown: finalStateUnknown}})
}

// batch is a Handler that gathers events until it is flushed.
type batch[T any] struct {
	handle batchFunc[T]
	events []Event[T]
}

func (b *batch[T]) add(events []Event[T]) { b.events = append(b.events, events...) }

func (b *batch[T]) OnAdd(obj T, initial bool) { batchFunc[T](b.add).OnAdd(obj, initial) }

func (b *batch[T]) OnUpdate(old, obj T) { batchFunc[T](b.add).OnUpdate(old, obj) }

func (b *batch[T]) OnDelete(last T, finalStateUnknown bool) {
	batchFunc[T](b.add).OnDelete(last, finalStateUnknown)
}

// flush hands over what was gathered. After a panic of handle it is still there.
func (b *batch[T]) flush() {
	if len(b.events) > 0 {
		b.handle(b.events)
		b.drop()
	}
}

func (b *batch[T]) drop() {
	clear(b.events)
	b.events = b.events[:0]
}
