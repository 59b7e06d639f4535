package policy

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	benchResults   = "docs/results/bench/README.md"
	ingestResults  = "docs/results/bench/ingest.md"
	networkResults = "docs/results/bench/network.md"
	startResults   = "docs/results/bench/start.md"
)

// figures are rows of tables on pages, by their first cell, with the results that the next two cells
// round: client-go's in the one, this module's in the other.
var figures = []struct {
	page, row string
	results   string
	measures  []measure
}{
	{"README.md", "20,000 pods of deployments, watch-list in protobuf (built-in types): CPU, peak memory", ingestResults,
		[]measure{{"ingest/replicas/watch-list/protobuf/pods=20000", "cpu"}, {"ingest/replicas/watch-list/protobuf/pods=20000", "peak-RSS-B"}}},
	{"README.md", "the same: live heap, CPU of an event", ingestResults,
		[]measure{{"ingest/replicas/watch-list/protobuf/pods=20000", "heap-B"}, {"ingest/replicas/watch-list/protobuf/pods=20000", "cpu/event"}}},
	{"README.md", "the same in a controller-runtime manager: CPU, peak memory", ingestResults,
		[]measure{{"ingest/manager/watch-list/protobuf/pods=20000", "cpu"}, {"ingest/manager/watch-list/protobuf/pods=20000", "peak-RSS-B"}}},
	{"README.md", "20,000 custom resources of 5 KB, watch-list in JSON: CPU, peak memory", benchResults,
		[]measure{{"whole/watch-list/cost/objects=20000", "cpu"}, {"whole/watch-list/cost/objects=20000", "peak-RSS-B"}}},
	{"README.md", "the same over TLS at 100 Mbit/s and 20 ms: time, [bytes](docs/results/bench/network.md)", networkResults,
		[]measure{{"network/1.37/watch-list/100Mbit/s,20ms/objects=20000", "sync"}, {"network/1.37/watch-list/100Mbit/s,20ms/objects=20000", "sync-B"}}},
	{"README.md", "one event to 10 handlers of client-go's interface", benchResults, []measure{{"fanout/drop-in/handlers=10", "time/op"}}},
	{"README.md", "one event to 1 / 10 / 50 handlers of `runtime/cache`", benchResults,
		[]measure{{"fanout/handlers=1", "time/op"}, {"fanout/handlers=10", "time/op"}, {"fanout/handlers=50", "time/op"}}},

	{"docs/controller-runtime.md", "watch-list in protobuf, the default: CPU until in sync, peak memory", ingestResults,
		[]measure{{"ingest/manager/watch-list/protobuf/pods=20000", "cpu"}, {"ingest/manager/watch-list/protobuf/pods=20000", "peak-RSS-B"}}},
	{"docs/controller-runtime.md", "live heap, CPU of an event", ingestResults,
		[]measure{{"ingest/manager/watch-list/protobuf/pods=20000", "heap-B"}, {"ingest/manager/watch-list/protobuf/pods=20000", "cpu/event"}}},
	{"docs/controller-runtime.md", "watch-list in JSON: CPU until in sync, peak memory", ingestResults,
		[]measure{{"ingest/manager/watch-list/json/pods=20000", "cpu"}, {"ingest/manager/watch-list/json/pods=20000", "peak-RSS-B"}}},
	{"docs/controller-runtime.md", "in JSON: live heap, CPU of an event", ingestResults,
		[]measure{{"ingest/manager/watch-list/json/pods=20000", "heap-B"}, {"ingest/manager/watch-list/json/pods=20000", "cpu/event"}}},

	{"docs/limits.md", "`GetByKey` of client-go's interface, among 10,000 objects: a key must be split", benchResults,
		[]measure{{"reads/indexer/get/objects=10000", "time/op"}}},
	{"docs/limits.md", "to add an object to a store without indexes", benchResults, []measure{{"writes/store/add/indexes=0", "time/op"}}},
	{"docs/limits.md", "the median latency of one event on a quiet stream", benchResults, []measure{{"latency/every=1ms", "p50"}}},
	{"docs/limits.md", "heap of an informer without objects", benchResults, []measure{{"memory/informer", "heap-B"}}},

	{"docs/memory.md", "without a clientset", startResults, []measure{{"start/typed/objects=52000", "peak/held"}}},
	{"docs/memory.md", "with a transform that drops most of each pod", startResults, []measure{{"start/transform/objects=52000", "peak/held"}}},
	{"docs/memory.md", "with a clientset", startResults, []measure{{"start/clientset/objects=52000", "peak/held"}}},
	{"docs/memory.md", "with a clientset, [streaming](#with-a-clientset)", startResults, []measure{{"start/streaming/objects=52000", "peak/held"}}},
	{"docs/memory.md", "1,000", ingestResults, pods("1000")},
	{"docs/memory.md", "5,000", ingestResults, pods("5000")},
	{"docs/memory.md", "20,000", ingestResults, pods("20000")},
	{"docs/memory.md", "100,000", ingestResults, pods("100000")},
}

// measure is a row of results: a workload and a unit.
type measure struct{ workload, unit string }

func pods(count string) []measure {
	workload := "ingest/replicas/list/json/pods=" + count
	return []measure{{workload, "heap-B"}, {workload, "peak-RSS-B"}}
}

// Pages round what was measured last.
func TestFigures(t *testing.T) {
	for _, f := range figures {
		cells := rowOf(t, f.page, f.row)
		if cells == nil {
			continue
		}
		for side, name := range []string{"client-go", "here"} {
			shown := numbersOf(cells[1+side])
			if len(shown) != len(f.measures) {
				t.Errorf("%s: %q: %s: %d numbers in %q, want %d", f.page, f.row, name, len(shown), cells[1+side], len(f.measures))
				continue
			}
			for i, m := range f.measures {
				measured := measuredIn(t, f.results, m)[side]
				if got, want := shown[i], numbersOf(measured)[0]; !got.rounds(want) {
					t.Errorf("%s: %q: %s: %s in %q, want %s of %s (%s)", f.page, f.row, name, got.text, cells[1+side], measured, m.workload, m.unit)
				}
			}
		}
	}
}

// rowOf returns the cells of a row, and reports a page without it.
func rowOf(t *testing.T, page, first string) []string {
	t.Helper()
	for line := range strings.Lines(read(t, page)) {
		if cells := cellsOf(line); len(cells) > 2 && cells[0] == first {
			return cells
		}
	}
	t.Errorf("%s: no row %q", page, first)
	return nil
}

// measuredIn returns the values of client-go and of this module.
func measuredIn(t *testing.T, results string, m measure) []string {
	t.Helper()
	for line := range strings.Lines(read(t, results)) {
		if cells := cellsOf(line); len(cells) > 4 && cells[0] == m.workload && cells[4] == m.unit {
			return cells[1:3]
		}
	}
	t.Fatalf("%s: no row of %s (%s)", results, m.workload, m.unit)
	return nil
}

func cellsOf(line string) []string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(line), "| ")
	if !ok {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(inner, "|"), " | ")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// figure is a number with its unit. Digits are those behind the point.
type figure struct {
	text   string
	value  float64
	scale  float64
	digits int
}

var (
	number = regexp.MustCompile(`(\d[\d,]*)(?:\.(\d+))?(k|M|G)?(?: (s|ms|µs|ns|KB|MB|GB)\b)?`)
	scales = map[string]float64{"": 1, "s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "KB": 1e3, "MB": 1e6, "GB": 1e9, "k": 1e3, "M": 1e6, "G": 1e9}
)

// numbersOf returns the numbers in a cell. One without a unit has that of the next one.
func numbersOf(cell string) []figure {
	var found []figure
	unit := ""
	matches := number.FindAllStringSubmatch(cell, -1)
	for i := len(matches) - 1; i >= 0; i-- {
		m := matches[i]
		if m[3]+m[4] != "" {
			unit = m[3] + m[4]
		}
		value, _ := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "")+"."+m[2], 64)
		found = append([]figure{{m[0], value, scales[unit], len(m[2])}}, found...)
	}
	return found
}

// rounds reports whether f is another figure, in the unit and with the digits that f has.
func (f figure) rounds(exact figure) bool {
	of := math.Pow10(f.digits)
	return math.Abs(math.Round(exact.value*exact.scale/f.scale*of)-math.Round(f.value*of)) < 0.5
}
