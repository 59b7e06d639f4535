package main

import (
	"math"
	"testing"
	"time"
)

// round has costs whose forecasts are easy to work out.
var round = measured{
	Match: map[int]float64{1: 100, 32: 410},
	Costs: map[string]map[string]cost{
		configMaps:   {"JSON": {Size: 1000, Encode: 2000, List: 10_000, Event: 20_000, Heap: 2000, ListDropped: 1000, EventDropped: 2000}, "protobuf": {Size: 500, Heap: 3000}},
		replicaPods:  {"JSON": {List: 10, Heap: 100}},
		distinctPods: {"JSON": {List: 109, Heap: 1090}},
	},
}

func TestForecast(t *testing.T) {
	base := plan{Class: configMaps, Format: "JSON", Objects: 1e6, Replicas: 4, Contiguous: true, Rate: 1000}
	filtered, alone, many := base, base, base
	filtered.Filters = true
	alone.Filters, alone.Replicas = true, 1
	many.Filters, many.Replicas, many.Contiguous = true, 16, false
	for name, test := range map[string]struct {
		plan plan
		want forecast
	}{
		"filtered": {filtered, forecast{
			Owned: .25, Received: .25, Heap: 5e8, Resident: 1e9, ListCPU: 2.5, ListBytes: 2.5e8,
			ServerCPU: 4 * (.1 + .5), Sync: 2.5, EventCores: .005, EventBytes: 2.5e5, ServerCores: .0024, ServerBytes: 1e6,
		}},
		"not filtered": {base, forecast{
			Owned: .25, Received: 1, Heap: 5e8, Resident: 1e9, ListCPU: 2.5 + .75, ListBytes: 1e9,
			ServerCPU: 8, Sync: 3.25, EventCores: .005 + .0015, EventBytes: 1e6, ServerCores: .002, ServerBytes: 4e6,
		}},
		"alone": {alone, forecast{
			Owned: 1, Received: 1, Heap: 2e9, Resident: 4e9, ListCPU: 10, ListBytes: 1e9,
			ServerCPU: 2, Sync: 10, EventCores: .02, EventBytes: 1e6, ServerCores: .002, ServerBytes: 1e6,
		}},
	} {
		if got := round.forecast(test.plan); !got.near(test.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
	if got := round.forecast(many); got.Owned != 1./16 || got.Received < got.Owned {
		t.Errorf("sixteen with slots: %+v", got)
	}
}

func (f forecast) near(g forecast) bool {
	for _, pair := range [][2]float64{
		{f.Owned, g.Owned}, {f.Received, g.Received}, {f.Heap, g.Heap}, {f.Resident, g.Resident}, {f.ListCPU, g.ListCPU},
		{f.ListBytes, g.ListBytes}, {f.ServerCPU, g.ServerCPU}, {f.Sync, g.Sync}, {f.EventCores, g.EventCores},
		{f.EventBytes, g.EventBytes}, {f.ServerCores, g.ServerCores}, {f.ServerBytes, g.ServerBytes},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[1]) {
			return false
		}
	}
	return true
}

// As few replicas as fit. With ten million objects of 2000 B each, 10 replicas have 7 of 64 slots at the
// most, which is more than 4 GiB with garbage. 11 replicas have 6.
func TestFitting(t *testing.T) {
	if got := round.fitting(shown[0]); got != 11 {
		t.Errorf("got %d replicas, want 11", got)
	}
}

// Which of the limits of a first list counts.
func TestSync(t *testing.T) {
	many := plan{Class: configMaps, Format: "JSON", Objects: 1e6, Replicas: 100, Contiguous: true}
	if got, want := round.forecast(many).Sync, 100*2./assumed.Cores; got < want || got > 4*want {
		t.Errorf("cores of the server or the network: got %v, want at least %v", got, want)
	}
	slow := round
	slow.Costs = map[string]map[string]cost{configMaps: {"JSON": {Encode: 5000, List: 1}}}
	many.Replicas = 1
	if got := slow.forecast(many).Sync; got != 5 {
		t.Errorf("one goroutine of the server: got %v, want 5", got)
	}
}

func TestShardCost(t *testing.T) {
	for _, test := range []struct{ n, want float64 }{{1, 100}, {1e6, 1090}} {
		if got := round.shardCost(replicaPods, "JSON", int(test.n)).Heap; math.Abs(got-test.want) > 1 {
			t.Errorf("heap of a pod in one of %v shards: got %v, want %v", test.n, got, test.want)
		}
	}
	if got := round.shardCost(configMaps, "JSON", 8); got != round.Costs[configMaps]["JSON"] {
		t.Errorf("objects without equal parts: got %+v", got)
	}
	for _, test := range []struct{ n, want float64 }{{1, .01}, {2, .02}, {1e9, 1}} {
		if got := copies(100, test.n); math.Abs(got-test.want) > 1e-3 {
			t.Errorf("copies in %v shards: got %v, want %v", test.n, got, test.want)
		}
	}
	if got := round.match(32); got != 410 {
		t.Errorf("selector of 32 ranges: got %v", got)
	}
}

func TestLimits(t *testing.T) {
	got := round.limits(configMaps, "JSON")
	want := limits{
		ByMemory: 1 << 20, ByEvents: 50_000, ByDropped: 500_000, ByTimeout: 6e6,
		ByEtcd: 8 << 30 / 500., ServerHeap: 3e10, History: 10.24,
	}
	want.ByMemory = 4 << 30 / 2 / 2000.
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if assumed.TakeOver != 17*time.Second {
		t.Errorf("the page says what a Lease of 15 s leads to, not %v", assumed.TakeOver)
	}
}

// A replica that comes moves no more than it gains, and a replica that goes no more than it had. All have
// equally many.
func TestAssign(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 16, 63} {
		before, members := first(n)
		check := func(what string, after owners, members int, least, most int) {
			count := map[int]int{}
			for _, owner := range after {
				count[owner]++
			}
			for owner, has := range count {
				if owner < 0 || has < parts/members || has > (parts+members-1)/members {
					t.Errorf("%d members, %s: %d has %d parts", n, what, owner, has)
				}
			}
			m := moveBetween(before, after)
			if got := int(math.Round(m.Hashes * parts)); got < least || got > most {
				t.Errorf("%d members, %s: %d parts move, want %d to %d", n, what, got, least, most)
			}
			if math.Abs(m.Objects-m.Hashes) > .02 {
				t.Errorf("%d members, %s: %v of the objects move, and %v of the hashes", n, what, m.Objects, m.Hashes)
			}
		}
		check("one joins", assign(before, append(members[:n:n], n)), n+1, parts/(n+1), parts/(n+1)+1)
		if n > 1 {
			check("one goes", assign(before, members[1:]), n-1, parts/n, parts/n+1)
		}
	}
}

// A selector of a few ranges asks for nothing else.
func TestFullest(t *testing.T) {
	for _, test := range []struct {
		n, terms int
		exact    bool
	}{{1, 1, true}, {2, 1, true}, {16, 4, true}} {
		owned, requested, most := fullest(test.n)
		if owned != 1/float64(test.n) || (requested == owned) != test.exact || most > test.terms {
			t.Errorf("%d members: owns %v, requests %v in %d ranges", test.n, owned, requested, most)
		}
	}
}
