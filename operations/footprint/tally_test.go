package footprint

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

type thing struct {
	Name  string            `json:"name"`
	Tags  []string          `json:"tags"`
	Links map[string]*thing `json:"links"`
}

// things have some allocations of their own, and some in common with others.
func things(n int) []*thing {
	var all []*thing
	for i := range n {
		t := &thing{Name: fmt.Sprintf("thing %09d", i), Tags: make([]string, 10)}
		for j := range t.Tags {
			t.Tags[j] = fmt.Sprintf("tag %d of %d", j, i/10*10) // not in common, though equal
		}
		if i%10 > 0 {
			t.Links = all[i/10*10].Links // of the first of ten
		} else {
			t.Links = map[string]*thing{"common": {Name: fmt.Sprintf("what %d has in common with others", i)}}
		}
		all = append(all, t)
	}
	return all
}

func measured(limit int, of []*thing) (Report, int) {
	w := newWalk()
	w.tally.limit = limit
	report := w.report(func(yield func(any) bool) {
		for _, t := range of {
			if !yield(t) {
				return
			}
		}
	})
	return report, len(w.tally.met)
}

// A sample gives about what counting all gives, for the sum and for each field, and never
// takes more memory than its limit.
func TestSample(t *testing.T) {
	all := things(5000)
	exact, met := measured(math.MaxInt, all)
	if met < 50_000 {
		t.Fatalf("%d allocations", met)
	}
	const limit = 4000
	got, met := measured(limit, all)
	if met > limit || met < limit/8 {
		t.Errorf("%d allocations in the sample, the limit is %d", met, limit)
	}
	close := func(what string, got, want int64) {
		t.Helper()
		if math.Abs(float64(got-want)) > 0.15*float64(exact.Bytes) {
			t.Errorf("%s: %d bytes, want %d", what, got, want)
		}
	}
	close("all", got.Bytes, exact.Bytes)
	close("shared", got.Shared, exact.Shared)
	fields := map[string]int64{}
	for _, f := range got.Fields {
		fields[f.Path] = f.Bytes
	}
	for _, f := range exact.Fields {
		close(f.Path, fields[f.Path], f.Bytes)
	}
}

// Few large allocations are all in the sample, whatever else there is.
func TestSampleOfLargeAllocations(t *testing.T) {
	w := newWalk()
	w.tally.limit = 100
	for i := range 10_000 {
		w.tally.add(0xc0000000+64*uintptr(i), allocation{own: 64, all: 64})
	}
	for i := range 10 {
		w.tally.add(0xd0000000+uintptr(i)<<20, allocation{own: 1 << 20, all: 1 << 20, path: 1})
	}
	sums := map[int]float64{}
	for path, bytes := range w.tally.counted() {
		sums[path] += bytes
	}
	if sums[1] != 10<<20 {
		t.Errorf("large: %.0f bytes, want %d", sums[1], 10<<20)
	}
	if small := sums[0] / (10_000 * 64); small < 0.6 || small > 1.4 {
		t.Errorf("small: %.2f times as many as there are", small)
	}
}

// Objects without a Go type may have any number of keys, and paths are as many as a
// status can have.
func TestPathsAreBounded(t *testing.T) {
	content := map[string]any{}
	for i := range 3 * mostPaths {
		content[fmt.Sprint("key-", i)] = fmt.Sprint("value ", i)
	}
	all := Of(slices.Values([]map[string]any{content}))
	if len(all.Fields) > mostPaths || all.Bytes < 3*mostPaths*16 {
		t.Errorf("%d fields with %d bytes", len(all.Fields), all.Bytes)
	}
}

// Objects that refer to each other in circles, or very deeply, have an end.
func TestCircles(t *testing.T) {
	all := things(20)
	for i, one := range all {
		one.Links["next"] = all[(i+1)%len(all)]
		one.Links["self"] = one
		one.Links["across"] = all[(i+7)%len(all)]
	}
	for _, limit := range []int{math.MaxInt, 10} {
		if report, _ := measured(limit, all); report.Objects != 20 || report.Bytes == 0 {
			t.Errorf("limit %d: %+v", limit, report)
		}
	}
	deep := &thing{}
	for range 20_000 {
		deep = &thing{Links: map[string]*thing{"next": deep}}
	}
	if report := Of(slices.Values([]*thing{deep})); report.Bytes == 0 {
		t.Errorf("deep: %+v", report)
	}
}
