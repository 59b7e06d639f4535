package chaos

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	seed     = flag.Uint64("seed", 0, "the first seed of the chaos test; 0 is any")
	seeds    = flag.Int("seeds", 1, "how many seeds the chaos test takes")
	duration = flag.Duration("duration", 15*time.Second, "how long the chaos test makes faults, for each seed")
)

// settleTimeout limits each wait of a test, which turns a hang into a failure, also on a machine that
// is busy with other programs. After the last fault some informers back off for a minute.
const settleTimeout = 10 * time.Minute

// Anything may happen between an informer and its API server, and to the server's history and definitions.
// Handlers, indexes and informers come and go. No handler sees an object that was not written, or an event
// twice, or an old state after a new one. When there are no more faults, the stores, their indexes and each
// handler's view agree with the server. When all has stopped, no goroutine is left.
func TestChaos(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) % 1_000_000
	}
	for s := first; s < first+uint64(*seeds); s++ {
		t.Run(fmt.Sprint("seed ", s), func(t *testing.T) { testChaos(t, s) })
	}
}

var (
	wildRates = Rates{Request: 0.4, List: 0.02, Frame: 0.1, Bookmark: 0.3}
	// Informers with the defaults notice silence after minutes only.
	mildRates = Rates{Request: 0.1, List: 0.002, Frame: 0.005, Bookmark: 0.02, HalfOpen: 2 * time.Second}
)

func testChaos(t *testing.T, seed uint64) {
	began := time.Now()
	w := newWorld(t, seed)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w.wild.Set(wildRates)
	w.mild.Set(mildRates)
	var running sync.WaitGroup
	shutdown := w.follow(ctx, &running)
	if err := w.rage(ctx); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	faults := w.counts()
	w.wild.Set(Rates{})
	w.mild.Set(Rates{})
	close(w.calm)
	calm := time.Now()
	if differences := w.settle(ctx); len(differences) > 0 {
		t.Errorf("seed %d: after %v without faults:\n%s", seed, settleTimeout, strings.Join(differences, "\n"))
	}
	settled := time.Since(calm)

	stop()
	running.Wait()
	shutdown()
	events, handlers := 0, 0
	for _, s := range w.subjects {
		told := s.told()
		for _, fault := range told.faults {
			t.Errorf("seed %d: %s", seed, fault)
		}
		events, handlers = events+told.events, handlers+told.handlers
		status := s.status()
		t.Logf("%v: %d reconnects, %d relists, %d objects left out", s, status.Reconnects, status.Relists, status.LeftOut)
	}
	w.wild.Close()
	w.mild.Close()
	wantNoGoroutines(t)
	if w.writes.Load() == 0 || total(faults) == 0 || events == 0 {
		t.Errorf("seed %d: nothing happened", seed)
	}
	t.Logf("seed %d: %d writes, %d requests, %d faults (%v), %d events to %d handlers, %d informers came and went, up to date %v after the last fault, %v in all",
		seed, w.writes.Load(), w.wild.Requests()+w.mild.Requests(), total(faults), faults, events, handlers, w.visits.Load(),
		settled.Round(time.Millisecond), time.Since(began).Round(time.Second))
}
