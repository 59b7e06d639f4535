package statuspage

import (
	"sync"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// historySize limits how many samples a page keeps.
const historySize = 120

// maxSampled limits how many informers and handlers are sampled, those that come first.
const maxSampled = 1000

// sample has what the picture needs of the statuses of one time.
type sample struct {
	at time.Time
	// events and backlogs and calls are by the names of informers, and of informers and
	// their handlers.
	events   map[string]uint64
	backlogs map[[2]string]int
	calls    map[[2]string]uint64
}

func newSample(at time.Time, statuses []cache.Status) sample {
	s := sample{at: at, events: map[string]uint64{}, backlogs: map[[2]string]int{}, calls: map[[2]string]uint64{}}
	for _, status := range statuses {
		if len(s.events)+len(s.backlogs) >= maxSampled {
			break
		}
		s.events[status.Name] += status.Events
		for _, h := range status.Handlers[:min(len(status.Handlers), maxSampled-len(s.backlogs))] {
			of := [2]string{status.Name, h.Name}
			s.backlogs[of] += h.Backlog
			s.calls[of] += h.Delivered
		}
	}
	return s
}

// history has the latest samples.
type history struct {
	interval time.Duration

	mu      sync.Mutex
	samples []sample
}

// add keeps a sample, unless the last one is less than half an interval older.
func (h *history) add(s sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.samples); n > 0 && s.at.Sub(h.samples[n-1].at) < h.interval/2 {
		return
	}
	h.samples = append(h.samples, s)
	if over := len(h.samples) - historySize; over > 0 {
		h.samples = append([]sample(nil), h.samples[over:]...)
	}
}

// all returns the samples, oldest first. They must not be mutated.
func (h *history) all() []sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]sample(nil), h.samples...)
}

// point is a value at a time.
type point struct {
	at    time.Time
	value float64
}

// values returns the values that samples have of something.
func values[K comparable, V int | uint64](samples []sample, of func(sample) map[K]V, key K) (points []point) {
	for _, s := range samples {
		if v, ok := of(s)[key]; ok {
			points = append(points, point{s.at, float64(v)})
		}
	}
	return points
}

// rates returns the changes per second between the values of a counter. One that goes down
// has begun again.
func rates(counter []point) (points []point) {
	for i := 1; i < len(counter); i++ {
		before, now := counter[i-1], counter[i]
		points = append(points, point{now.at, max(0, now.value-before.value) / now.at.Sub(before.at).Seconds()})
	}
	return points
}
