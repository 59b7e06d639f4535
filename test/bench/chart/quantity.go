package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Nanoseconds is the unit of benchmarks. Other units that end in "-ns" are times, too.
const Nanoseconds = "ns/op"

// step is a unit to write numbers in, from one number on.
type step struct {
	from, size float64
	name       string
}

var (
	times   = []step{{1e9, 1e9, " s"}, {1e6, 1e6, " ms"}, {1e3, 1e3, " µs"}, {0, 1, " ns"}}
	numbers = []step{{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0, 1, ""}}
)

// Quantity writes a number of a unit with three digits, and a time in the unit
// of time that suits it.
func Quantity(v float64, unit string) string {
	steps := numbers
	if isTime(unit) {
		steps = times
	}
	at := slices.IndexFunc(steps, func(s step) bool { return math.Abs(v) >= s.from })
	v /= steps[at].size
	precision := 0
	for limit := 100.0; limit > 1 && math.Abs(v) < limit && v != math.Trunc(v); limit /= 10 {
		precision++
	}
	return strconv.FormatFloat(v, 'f', precision, 64) + steps[at].name
}

// isTime reports whether a unit is nanoseconds of something.
func isTime(unit string) bool { return unit == Nanoseconds || strings.HasSuffix(unit, "-ns") }

// UnitName returns the name of a unit other than nanoseconds.
func UnitName(unit string) string {
	if unit == Nanoseconds {
		return "time/op"
	}
	return strings.TrimSuffix(unit, "-ns")
}
