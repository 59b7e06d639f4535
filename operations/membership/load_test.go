package membership

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
)

var large = flag.Bool("large", false, "groups of 100 and 300 members too, which takes minutes")

// load has the numbers of requests that a group sends.
type load struct {
	members        int
	rest, roll     map[string]float64 // per second, by verb
	most           float64            // in a second of the roll-out
	rollOut, start time.Duration
	leases         int
}

// perSecond returns the requests since counts were taken.
func (w *world) perSecond(before map[string]int, began time.Time) map[string]float64 {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	rates := map[string]float64{}
	for verb, n := range w.store.counts {
		rates[verb] = float64(n-before[verb]) / time.Since(began).Seconds()
	}
	return rates
}

func (w *world) requests() map[string]int {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return maps.Clone(w.store.counts)
}

// measure starts a group, lets it rest, and replaces a quarter of it at a time.
func measure(t *testing.T, n int) load {
	l := load{members: n}
	simulate(t, 1, func(w *world) {
		w.mu.Lock()
		w.keys = nil // nobody works
		w.mu.Unlock()
		started := time.Now()
		for i := range n {
			w.start(fmt.Sprintf("old-%03d", i), 1).network.set(faults{latency: 10 * time.Millisecond})
		}
		w.settled(n)
		l.start = time.Since(started)
		time.Sleep(2 * defaults.DeadAfter() / 3)
		began, before := time.Now(), w.requests()
		time.Sleep(defaultLeaseDuration)
		l.rest = w.perSecond(before, began)
		list, _ := w.store.list("")
		l.leases = len(list.Items)

		began, before = time.Now(), w.requests()
		done := make(chan struct{})
		most := make(chan float64)
		go func() {
			top := 0.0
			for {
				since, counted := time.Now(), w.requests()
				time.Sleep(time.Second)
				top = max(top, sum(w.perSecond(counted, since)))
				select {
				case <-done:
					most <- top
					return
				default:
				}
			}
		}()
		old := slices.Clone(w.replicas)
		for i := 0; i < n; i += max(n/4, 1) {
			batch := old[i:min(i+max(n/4, 1), n)]
			for j := range batch {
				w.start(fmt.Sprintf("new-%03d", i+j), 1).network.set(faults{latency: 10 * time.Millisecond})
			}
			w.settled(n + len(batch))
			for _, r := range batch {
				r.stop()
			}
			for _, r := range batch {
				if err := <-r.ended; err != nil {
					t.Error(err)
				}
			}
			w.mu.Lock()
			w.replicas = slices.DeleteFunc(slices.Clone(w.replicas), func(r *replica) bool { return slices.Contains(batch, r) })
			w.mu.Unlock()
			w.settled(n)
		}
		l.rollOut, l.roll = time.Since(began), w.perSecond(before, began)
		close(done)
		l.most = <-most
	})
	return l
}

// settled waits until n members own all slots equally.
func (w *world) settled(n int) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		owned, names := 0, sets.New[string]()
		for _, r := range w.replicas {
			s := r.member.Status()
			if s.Owned.Count >= Slots/n && s.Losing.Count == 0 && s.Phase == Active {
				owned += s.Owned.Count
				names.Insert(s.Identity)
			}
		}
		if owned == Slots && len(names) == n {
			return
		}
		if time.Since(began) > time.Minute {
			w.t.Fatalf("%d of %d members own %d slots", len(names), n, owned)
		}
	}
}

func sum(rates map[string]float64) (all float64) {
	for _, rate := range rates {
		all += rate
	}
	return all
}

// row is a line of the table of docs/membership.md: members, requests per second at rest, in a
// roll-out and in its busiest second, and Leases in a list.
var row = regexp.MustCompile(`(?m)^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`)

// The table of docs/membership.md has the measured requests of groups. It may be a quarter off, and the
// busiest second half of it or twice as much.
func TestLoad(t *testing.T) {
	page, err := os.ReadFile("../../docs/membership.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) != 3 {
		t.Fatalf("docs/membership.md has %d rows", len(rows))
	}
	for _, row := range rows {
		var want [5]float64
		for i, text := range row[1:] {
			want[i], _ = strconv.ParseFloat(text, 64)
		}
		if want[0] > 100 && !*large {
			continue
		}
		l := measure(t, int(want[0]))
		t.Logf("%d members: start %v, rest %v, roll-out of %v %v", l.members, l.start, l.rest, l.rollOut, l.roll)
		for i, got := range []float64{sum(l.rest), sum(l.roll), l.most, float64(l.leases)} {
			within := 1.25
			if i == 2 { // one second, which varies
				within = 2
			}
			if got < want[i+1]/within || got > want[i+1]*within+1 {
				t.Errorf("%s: column %d is %.1f", row[0], i+2, got)
			}
		}
	}
}
