package main

import (
	"math"
	"testing"
)

func TestMeasure(t *testing.T) {
	for name, c := range map[string]struct {
		measure             measure
		theirs, ours, floor []float64
		ratio               float64
		goal                string
		met                 bool
	}{
		"no goal":              {measure{unit: nanoseconds}, []float64{1}, []float64{2}, nil, 0.5, "", true},
		"ratio of each round":  {measure{unit: nanoseconds, times: 2}, []float64{20, 90, 30}, []float64{10, 30, 10}, nil, 3, "2x", true},
		"less than the ratio":  {measure{unit: nanoseconds, times: 4}, []float64{30}, []float64{10}, nil, 3, "4x", false},
		"more is better":       {measure{unit: writesPerSecond, times: 2}, []float64{10}, []float64{30}, nil, 3, "2x", true},
		"as good as the floor": {measure{unit: nanoseconds, times: 4, ofFloor: 1.25}, []float64{30}, []float64{10}, []float64{8}, 3, "4x or 1.25x floor", true},
		"worse than the floor": {measure{unit: nanoseconds, times: 4, ofFloor: 1.25}, []float64{30}, []float64{10}, []float64{7}, 3, "4x or 1.25x floor", false},
		"at most":              {measure{unit: allocations, atMost: 1}, []float64{5}, []float64{1}, nil, 5, "≤ 1", true},
		"more than that":       {measure{unit: allocations, atMost: 1}, []float64{5}, []float64{2}, nil, 2.5, "≤ 1", false},
		"at least":             {measure{unit: writesPerSecond, atLeast: 50_000}, []float64{1}, []float64{49_999}, nil, 49_999, "≥ 50k", false},
		"nothing":              {measure{unit: allocations, none: true}, []float64{1}, []float64{0}, nil, math.MaxFloat64, "0", true},
		"something":            {measure{unit: allocations, none: true}, []float64{1}, []float64{1}, nil, 1, "0", false},
		"both nothing":         {measure{unit: allocations}, []float64{0}, []float64{0}, nil, 1, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.measure.result("w", c.theirs, c.ours, c.floor)
			if got.Ratio != c.ratio || got.Goal != c.goal || got.Met != c.met {
				t.Errorf("got ratio %v, goal %q, met %v; want %v, %q, %v", got.Ratio, got.Goal, got.Met, c.ratio, c.goal, c.met)
			}
		})
	}
}
