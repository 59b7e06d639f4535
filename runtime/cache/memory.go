package cache

import (
	"context"
	"iter"
	"sync/atomic"
	"time"

	"github.com/informer-gen/informer-gen/runtime/footprint"
)

const (
	// fieldsInStatus is how many fields a status has. Few take most of the memory.
	fieldsInStatus = 10

	// A measurement that nobody waits for works for a stint, and then pauses for nine times
	// as long. The next one follows after ten times as long as it took. So all of them
	// together take one percent of a processor at the most.
	memoryStint   = time.Millisecond
	memoryPause   = 9 * memoryStint
	memoryBackoff = 10

	// minimumMemoryInterval is the shortest interval of measurements.
	minimumMemoryInterval = time.Second
	// memoryChanges is the part of the objects that has to change, one in so many, for
	// another measurement to be worth it.
	memoryChanges = 20
)

// memoryMeter measures the memory of the objects of a store.
type memoryMeter struct {
	snapshot func() Snapshot[any]

	// turn holds a token while a measurement runs.
	turn chan struct{}
	// last is the latest measurement; nil before the first. Nobody changes it.
	last atomic.Pointer[footprint.Report]
	// waiting is how many callers wait for a measurement: none pauses meanwhile.
	waiting atomic.Int32
	// changes counts the changes of the store, and measured those before the latest
	// measurement. Nobody counts unless the informer measures by itself.
	changes, measured atomic.Int64
}

// setUp makes a meter that has measured nothing.
func (m *memoryMeter) setUp(snapshot func() Snapshot[any]) {
	m.snapshot, m.turn = snapshot, make(chan struct{}, 1)
}

// status returns the latest measurement, with the fields that take the most, or nil.
func (m *memoryMeter) status() *footprint.Report {
	last := m.last.Load()
	if last == nil || len(last.Fields) <= fieldsInStatus {
		return last
	}
	brief := *last
	brief.Fields = last.Fields[:fieldsInStatus:fieldsInStatus]
	return &brief
}

// measure measures for a caller that waits. Callers that wait at the same time share a
// measurement.
func (m *memoryMeter) measure(ctx context.Context) (*footprint.Report, error) {
	m.waiting.Add(1)
	defer m.waiting.Add(-1)
	before := m.last.Load()
	if err := m.run(ctx, before); err != nil {
		return nil, err
	}
	return m.last.Load(), nil
}

// run measures, unless before is not the latest measurement any more when it is its turn.
func (m *memoryMeter) run(ctx context.Context, before *footprint.Report) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if m.last.Load() != before {
		return nil
	}
	changes := m.changes.Load()
	report := footprint.Of(m.objects(ctx))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.measured.Store(changes)
	m.last.Store(&report)
	return nil
}

// objects iterates over the objects until ctx ends, with pauses while nobody waits.
func (m *memoryMeter) objects(ctx context.Context) iter.Seq[any] {
	return func(yield func(any) bool) {
		began := time.Now()
		for obj := range m.snapshot().All() {
			if !yield(obj) {
				return
			}
			if time.Since(began) < memoryStint {
				continue
			}
			if m.waiting.Load() == 0 {
				sleep(ctx, memoryPause)
			}
			if ctx.Err() != nil {
				return
			}
			began = time.Now()
		}
	}
}

// measureEvery measures until ctx ends: first when the store holds the first list, and then
// every interval in which enough has changed.
func (m *memoryMeter) measureEvery(ctx context.Context, interval time.Duration, synced <-chan struct{}) {
	select {
	case <-synced:
	case <-ctx.Done():
	}
	for ctx.Err() == nil {
		began := time.Now()
		if last := m.last.Load(); memoryOutdated(last, m.changes.Load()-m.measured.Load()) {
			_ = m.run(ctx, last) // fails only when ctx has ended
		}
		sleep(ctx, max(interval, minimumMemoryInterval, memoryBackoff*time.Since(began)))
	}
}

// sleep waits until d is over or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// memoryOutdated decides whether so many changes are worth another measurement.
func memoryOutdated(last *footprint.Report, changes int64) bool {
	return last == nil || changes > 0 && changes >= int64(last.Objects/memoryChanges)
}

// changesOf returns how many objects a batch of deltas changes at the most.
func changesOf(batch []delta) (changes int64) {
	for d := range batch {
		switch batch[d].kind {
		case set, deleted:
			changes++
		case replaced:
			changes += int64(len(batch[d].list.items))
		}
	}
	return changes
}
