package statuspage

import (
	"slices"
	"sync"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// historySize limits how many samples a page keeps.
const historySize = 120

// maxSampled limits how many informers and handlers are sampled. The first ones are.
const maxSampled = 1000

// sample holds the numbers of one time for the pictures.
type sample struct {
	at      time.Time
	numbers map[sampled]numbers
}

// sampled names an informer or, if handler is set, one of its handlers.
type sampled struct{ informer, handler string }

// numbers are the events of an informer, or the calls and the backlog of a handler.
type numbers struct {
	calls   uint64
	backlog int
}

func newSample(at time.Time, statuses []cache.Status) sample {
	s := sample{at, map[sampled]numbers{}}
	add := func(of sampled, calls uint64, backlog int) {
		if before, ok := s.numbers[of]; ok || len(s.numbers) < maxSampled {
			s.numbers[of] = numbers{before.calls + calls, before.backlog + backlog}
		}
	}
	for _, status := range statuses {
		add(sampled{informer: status.Name}, status.Events, 0)
		for _, h := range status.Handlers {
			add(sampled{status.Name, h.Name}, h.Delivered, h.Backlog)
		}
	}
	return s
}

// history holds the latest samples.
type history struct {
	interval time.Duration

	mu      sync.Mutex
	samples []sample
}

// add adds a sample, unless it follows the last one by less than half an interval.
func (h *history) add(s sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.samples); n > 0 && s.at.Sub(h.samples[n-1].at) < h.interval/2 {
		return
	}
	h.samples = append(h.samples, s)
	h.samples = slices.Delete(h.samples, 0, max(0, len(h.samples)-historySize))
}

// all returns the samples, oldest first. They must not be mutated.
func (h *history) all() []sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.samples)
}

// point is a value at a time.
type point struct {
	at    time.Time
	value float64
}

// points returns the backlogs of a handler, and its calls per second or an informer's events per second
// between each two samples. A counter that goes down has restarted.
func points(samples []sample, of sampled) (backlogs, rates []point) {
	var last sample
	for _, s := range samples {
		n, ok := s.numbers[of]
		if !ok {
			continue
		}
		if len(backlogs) > 0 {
			calls := max(0, float64(n.calls)-float64(last.numbers[of].calls))
			rates = append(rates, point{s.at, calls / s.at.Sub(last.at).Seconds()})
		}
		backlogs = append(backlogs, point{s.at, float64(n.backlog)})
		last = s
	}
	return backlogs, rates
}
