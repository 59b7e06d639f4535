package cache

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Our queues and client-go's are given the same actions, and must give the same
// answers: what comes out, in which order, in which batches, what is in sync when,
// and which errors.

// thing is an object with a key, or none if that is empty.
type thing struct {
	Key     string
	Version int
	// Transformed counts the transforms.
	Transformed int
}

func thingKey(obj any) (string, error) {
	if t, ok := obj.(thing); ok && t.Key != "" {
		return t.Key, nil
	}
	return "", errors.New("no key")
}

func transformThing(obj any) (any, error) {
	t := obj.(thing)
	if t.Version%13 == 12 {
		return nil, errors.New("bad version")
	}
	t.Transformed++
	return t, nil
}

// consumer is what handles the deltas of a queue: it knows the objects.
type consumer struct {
	objs map[string]any
	// lost is a key of which it has no object when it is asked, and broken one of
	// which it can't tell.
	lost, broken string
	// handled is what was popped, with what was to be seen meanwhile.
	handled []any
}

func (c *consumer) ListKeys() []string { return slices.Sorted(maps.Keys(c.objs)) }

func (c *consumer) GetByKey(key string) (any, bool, error) {
	if key == c.broken {
		return nil, false, errors.New("broken")
	}
	obj, ok := c.objs[key]
	return obj, ok && key != c.lost, nil
}

func (c *consumer) handle(popped any) {
	c.handled = append(c.handled, popped)
	deltas, _ := popped.(Deltas)
	for _, d := range deltas {
		key, err := accumulatedKey(thingKey, d.Object)
		switch {
		case err != nil: // a whole list, a resync or a bookmark
		case d.Type == Deleted:
			delete(c.objs, key)
		default:
			c.objs[key] = d.Object
		}
	}
}

// queuePair is a queue of ours and one of client-go's.
type queuePair struct {
	choices
	queues    [2]Queue // client-go's, ours
	consumers [2]*consumer
	version   int
	// reentrant queues may be written to by who handles a delta. They must not be
	// long: then they are locked.
	reentrant bool
	// long is set once the queues have been long.
	long bool
	// fifo is set if the queues are FIFOs, which are compared in less.
	fifo bool
}

// newQueuePair closes both queues, so that no Pop waits: they work as before.
func newQueuePair(c choices, theirs, ours func(*consumer) Queue) *queuePair {
	p := &queuePair{choices: c}
	for i, queue := range []func(*consumer) Queue{theirs, ours} {
		p.consumers[i] = &consumer{objs: map[string]any{}}
		p.queues[i] = queue(p.consumers[i])
		p.queues[i].Close()
	}
	return p
}

func (p *queuePair) thing() thing {
	p.version++
	if p.oneIn(20) {
		return thing{Version: p.version}
	}
	return thing{Key: string(rune('a' + p.of(6))), Version: p.version}
}

// step does the same to both, and compares the answers.
func (p *queuePair) step(t *testing.T, name string, action func(Queue, *consumer) (any, error)) {
	var answers [2][]any
	for i, q := range p.queues {
		p.consumers[i].handled = nil
		item, err := action(q, p.consumers[i])
		answers[i] = append(p.consumers[i].handled, item, fmt.Sprint(err), q.HasSynced(), IsDone(q.HasSyncedChecker()))
	}
	if !reflect.DeepEqual(answers[0], answers[1]) {
		t.Errorf("after %s (-client-go +ours):\n%s", name, cmp.Diff(answers[0], answers[1]))
	}
}

func (p *queuePair) action() (string, func(Queue, *consumer) (any, error)) {
	switch n := p.of(100); {
	case n < 15:
		obj := p.thing()
		return "add", func(q Queue, _ *consumer) (any, error) { return nil, q.Add(obj) }
	case n < 25:
		obj := p.thing()
		return "update", func(q Queue, _ *consumer) (any, error) { return nil, q.Update(obj) }
	case n < 37:
		obj := p.thing()
		return "delete", func(q Queue, _ *consumer) (any, error) { return nil, q.Delete(obj) }
	case n < 42:
		obj := p.thing()
		tombstone := DeletedFinalStateUnknown{Key: obj.Key, Obj: obj}
		return "delete of a tombstone", func(q Queue, _ *consumer) (any, error) { return nil, q.Delete(tombstone) }
	case n < 54:
		return "replace", p.replace()
	case n < 60:
		return "resync", func(q Queue, _ *consumer) (any, error) { return nil, q.Resync() }
	case n < 62:
		return "bookmark", func(q Queue, _ *consumer) (any, error) {
			if q, ok := q.(ReflectorBookmarkStore); ok {
				return nil, q.Bookmark(fmt.Sprint(p.version))
			}
			return nil, nil
		}
	case n < 64:
		lost, broken := string(rune('a'+p.of(8))), string(rune('a'+p.of(8)))
		return "loss", func(_ Queue, c *consumer) (any, error) {
			c.lost, c.broken = lost, broken
			return nil, nil
		}
	case n < 65 && !p.reentrant && !p.long:
		p.long = true
		return "burst", func(q Queue, _ *consumer) (any, error) {
			for i := range 2*batchLimit + 100 {
				if err := q.Add(thing{Key: fmt.Sprint(i)}); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}
	case n < 85:
		return "pop", p.pop
	default:
		return "pop of a batch", p.popBatch
	}
}

func (p *queuePair) replace() func(Queue, *consumer) (any, error) {
	var list []any
	for range p.of(8) {
		if obj := p.thing(); !p.fifo || list == nil {
			list = append(list, obj)
		}
	}
	return func(q Queue, _ *consumer) (any, error) {
		return nil, q.Replace(slices.Clone(list), fmt.Sprint(p.version))
	}
}

var errProcessing = errors.New("processing")

func (p *queuePair) pop(q Queue, c *consumer) (any, error) {
	return q.Pop(func(popped any, isInInitialList bool) error {
		return p.process(q, c, popped, isInInitialList)
	})
}

func (p *queuePair) popBatch(q Queue, c *consumer) (any, error) {
	batching, ok := q.(QueueWithBatch)
	if !ok {
		return p.pop(q, c)
	}
	return nil, batching.PopBatch(func(deltas []Delta, isInInitialList bool) error {
		return p.process(q, c, Deltas(deltas), isInInitialList)
	}, func(popped any, isInInitialList bool) error {
		c.handled = append(c.handled, "single")
		return p.process(q, c, popped, isInInitialList)
	})
}

// process fails for some versions, and for some writes to the queue.
func (p *queuePair) process(q Queue, c *consumer, popped any, isInInitialList bool) error {
	if c.handle(popped); !p.fifo {
		c.handled = append(c.handled, isInInitialList, IsDone(q.HasSyncedChecker()))
	}
	if p.reentrant && p.version%3 == 0 {
		if err := q.Add(thing{Key: "reentrant"}); err != nil {
			return err
		}
	}
	if p.version%7 == 0 {
		return errProcessing
	}
	return nil
}

// run does what the choices say, and then empties the queues. It begins as an
// informer does, or not.
func (p *queuePair) run(t *testing.T) {
	if p.oneIn(2) {
		for _, c := range p.consumers {
			c.objs["a"], c.objs["g"] = thing{Key: "a"}, thing{Key: "g"}
		}
	}
	if p.oneIn(2) {
		p.step(t, "the first replace", p.replace())
	}
	for len(p.choices) > 0 && !t.Failed() {
		name, action := p.action()
		p.step(t, name, action)
	}
	p.reentrant = false
	for !t.Failed() {
		var popped [2]any
		var errs [2]error
		for i, q := range p.queues {
			popped[i], errs[i] = q.Pop(func(obj any, _ bool) error { return nil })
		}
		if !reflect.DeepEqual(popped[0], popped[1]) || errs[0] != errs[1] {
			t.Errorf("at the end, client-go's pops %v, %v; ours %v, %v", popped[0], errs[0], popped[1], errs[1])
		}
		if errs[0] != nil {
			return
		}
	}
}

var quiet = klog.Logger{} // it drops everything

func deltaFIFOs(t *testing.T, c choices) {
	kind := c.of(8)
	with := func(known *consumer) DeltaFIFOOptions {
		o := DeltaFIFOOptions{Logger: &quiet, KeyFunction: thingKey}
		if kind&1 == 0 {
			o.KnownObjects = known
		}
		o.EmitDeltaTypeReplaced = kind&2 == 0
		if kind&4 == 0 {
			o.Transformer = transformThing
		}
		return o
	}
	newQueuePair(c,
		func(known *consumer) Queue { return cache.NewDeltaFIFOWithOptions(with(known)) },
		func(known *consumer) Queue { return NewDeltaFIFOWithOptions(with(known)) },
	).run(t)
}

func realFIFOs(t *testing.T, c choices) {
	kind := c.of(10)
	with := func(known *consumer) RealFIFOOptions {
		o := RealFIFOOptions{Logger: &quiet, KeyFunction: thingKey, AtomicEvents: kind >= 2}
		switch kind / 2 {
		case 0:
			o.KnownObjects = known
		case 2:
			o.EmitDeltaTypeBookmark = true
		case 3:
			o.UnlockWhileProcessing = true
		case 4:
			o.UnlockWhileProcessing, o.EmitDeltaTypeBookmark = true, true
		}
		if kind%2 == 0 {
			o.Transformer = transformThing
		}
		return o
	}
	p := newQueuePair(c,
		func(known *consumer) Queue { return cache.NewRealFIFOWithOptions(with(known)) },
		func(known *consumer) Queue { return NewRealFIFOWithOptions(with(known)) },
	)
	p.reentrant = kind/2 >= 3
	p.run(t)
}

// fifos are compared with lists of one object: client-go's hands out those of a
// longer one in any order. They are not compared in what is in sync while an
// object is handled: one that comes after a deleted object of the initial list is
// of that list, too, in client-go's.
func fifos(t *testing.T, c choices) {
	p := newQueuePair(c,
		func(*consumer) Queue { return cache.NewFIFO(thingKey) },
		func(*consumer) Queue { return NewFIFO(thingKey) },
	)
	p.fifo = true
	p.run(t)
}

func TestDeltaFIFOIsClientGos(t *testing.T) { everyChoice(t, 400, 100, deltaFIFOs) }
func TestRealFIFOIsClientGos(t *testing.T)  { everyChoice(t, 400, 100, realFIFOs) }
func TestFIFOIsClientGos(t *testing.T)      { everyChoice(t, 400, 100, fifos) }

func FuzzDeltaFIFO(f *testing.F) { fuzzChoices(f, deltaFIFOs) }
func FuzzRealFIFO(f *testing.F)  { fuzzChoices(f, realFIFOs) }
