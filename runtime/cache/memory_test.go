package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/footprint"
)

func TestMemoryOutdated(t *testing.T) {
	of := func(objects int) *footprint.Report { return &footprint.Report{Objects: objects} }
	for _, test := range []struct {
		name    string
		last    *footprint.Report
		changes int64
		want    bool
	}{
		{"never measured", nil, 0, true},
		{"nothing changed", of(1000), 0, false},
		{"little changed", of(1000), 49, false},
		{"a twentieth changed", of(1000), 50, true},
		{"there was nothing, and is nothing", of(0), 0, false},
		{"there was nothing", of(0), 1, true},
	} {
		if got := memoryOutdated(test.last, test.changes); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestChangesOf(t *testing.T) {
	batch := []delta{{kind: set}, {kind: deleted}, {kind: bookmarked}, {kind: withheld}, {kind: replaced, list: &wholeList{items: make([]item, 7)}}}
	if got := changesOf(batch); got != 9 {
		t.Errorf("got %d", got)
	}
}

// A status has the ten fields that take the most.
func TestStatusMemoryIsBrief(t *testing.T) {
	var m memoryMeter
	report := footprint.Report{Objects: 3}
	for i := range 100 {
		report.Fields = append(report.Fields, footprint.Field{Path: fmt.Sprint(".", i)})
	}
	m.last.Store(&report)
	if got := m.status(); len(got.Fields) != fieldsInStatus || got.Objects != 3 || got.Fields[9].Path != ".9" {
		t.Errorf("got %v", got)
	}
	if len(report.Fields) != 100 {
		t.Error("the measurement was changed")
	}
}

// slowMeter is that of a store whose objects take 100 µs each. It counts measurements.
func slowMeter(objects int) (m *memoryMeter, measurements *int) {
	store, err := NewStore[any](KeyOf)
	if err != nil {
		panic(err)
	}
	for i := range objects {
		if err := store.Set(newThing("ns", fmt.Sprint(i), "1")); err != nil {
			panic(err)
		}
	}
	m, measurements = &memoryMeter{}, new(int)
	m.setUp(func() Snapshot[any] {
		*measurements++
		return store.Snapshot()
	})
	return m, measurements
}

// Callers that wait at the same time share a measurement, and one that gives up leaves it to
// the others.
func TestMeasureMemoryConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, measurements := slowMeter(10)
		m.turn <- struct{}{} // somebody measures
		gone, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for i := range 10 {
			ctx := t.Context()
			if i%2 == 0 {
				ctx = gone
			}
			callers.Go(func() {
				report, err := m.measure(ctx)
				if i%2 == 0 && !errors.Is(err, context.Canceled) || i%2 == 1 && (err != nil || report.Objects != 10) {
					t.Errorf("caller %d: %v, %v", i, report, err)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		<-m.turn // and has given up
		callers.Wait()
		if *measurements != 1 {
			t.Errorf("%d measurements", *measurements)
		}
		if waiting := m.waiting.Load(); waiting != 0 {
			t.Errorf("%d callers wait", waiting)
		}
	})
}

// A measurement that nobody waits for pauses, and goes on at once when somebody waits.
func TestMemoryPauses(t *testing.T) {
	took := func(t *testing.T, hurried bool) (pauses time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			m, _ := slowMeter(100)
			if hurried {
				m.waiting.Add(1)
			}
			began := time.Now()
			for range m.objects(t.Context()) {
				time.Sleep(100 * time.Microsecond) // to walk it takes so long
			}
			pauses = time.Since(began) - 100*100*time.Microsecond
		})
		return pauses
	}
	if got := took(t, false); got != 10*memoryPause {
		t.Errorf("paused for %v", got)
	}
	if got := took(t, true); got != 0 {
		t.Errorf("paused for %v though somebody waits", got)
	}
}

// A measurement ends when its context does, and leaves the one before.
func TestMeasureMemoryIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := slowMeter(100)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		walked := 0
		for range m.objects(ctx) {
			walked++
			time.Sleep(100 * time.Microsecond)
		}
		if walked >= 100 {
			t.Error("walked all objects")
		}
		if err := m.run(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || m.status() != nil {
			t.Errorf("got %v, %v", err, m.status())
		}
	})
}
