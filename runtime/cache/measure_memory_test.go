package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

func TestMeasureMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		r := run(t, api, cache.Options[*thing]{})
		settle()
		if memory := r.Status().Memory; memory != nil {
			t.Errorf("before a measurement: %v", memory)
		}
		report, err := r.MeasureMemory(t.Context())
		if err != nil || report.Objects != 2 || report.Bytes < 100 || !report.Time.Equal(time.Now()) {
			t.Fatalf("got %v, %v", report, err)
		}
		touch(t, api, "a")
		time.Sleep(time.Hour)
		if memory := r.Status().Memory; memory == nil || memory.Bytes != report.Bytes || !memory.Time.Equal(report.Time) {
			t.Errorf("an hour later: %v, want %v", memory, report)
		}

		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		if _, err := r.MeasureMemory(ctx); err == nil || !strings.HasSuffix(err.Error(), ": memory of its objects: enough") {
			t.Errorf("got %v", err)
		}
	})
}

// An informer measures by itself when it is in sync, and again when enough has changed.
func TestMemoryInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var objects []*thing
		for i := range 100 {
			objects = append(objects, newThing(fmt.Sprint("t", i)))
		}
		api := cachetest.NewAPI(objects...)
		r := run(t, api, cache.Options[*thing]{MemoryInterval: time.Minute})
		settle()
		if memory := r.Status().Memory; memory == nil || memory.Objects != 100 {
			t.Fatalf("in sync: %v", memory)
		}
		// The first list may be counted as a change after the first measurement, and is then
		// the reason for another one.
		time.Sleep(2 * time.Minute)
		first := r.Status().Memory
		for i := range 4 {
			touch(t, api, fmt.Sprint("t", i))
		}
		time.Sleep(10*time.Minute + time.Second)
		if memory := r.Status().Memory; !memory.Time.Equal(first.Time) {
			t.Errorf("measured at %v again, though little has changed", memory.Time)
		}
		touch(t, api, "t4")
		time.Sleep(58 * time.Second)
		if memory := r.Status().Memory; !memory.Time.Equal(first.Time) {
			t.Errorf("measured at %v, before the interval is over", memory.Time)
		}
		time.Sleep(time.Second)
		settle()
		if memory := r.Status().Memory; memory.Time.Equal(first.Time) || memory.Objects != 100 {
			t.Errorf("a twentieth has changed: %v", memory)
		}
	})
}

// Without an interval there is no goroutine and no measurement; with one, however short, there
// is one measurement in a second at the most.
func TestMemoryIntervalLimits(t *testing.T) {
	for interval, want := range map[time.Duration]int{-1: 0, 0: 0, 1: 10, 2 * time.Second: 5} {
		t.Run(interval.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				r := run(t, api, cache.Options[*thing]{MemoryInterval: interval})
				measured := map[time.Time]bool{}
				for range 990 {
					touch(t, api, "a")
					time.Sleep(10 * time.Millisecond)
					if memory := r.Status().Memory; memory != nil {
						measured[memory.Time] = true
					}
				}
				if len(measured) != want {
					t.Errorf("%d measurements in ten seconds, want %d", len(measured), want)
				}
			})
		})
	}
}
