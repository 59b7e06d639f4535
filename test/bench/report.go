package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

const row = "%-56s %10s %10s %8s  %-20s %-30s %s\n"

func writeHead(w io.Writer) {
	fmt.Fprintf(w, row, "workload", "client-go", "here", "ratio", "unit", "goal", "")
}

// writeRow writes a line as soon as it is known: a run takes minutes.
func writeRow(w io.Writer, r result) {
	c := cells(r)
	fmt.Fprintf(w, row, c[0], c[1], c[2], c[3], c[4], c[5], c[6])
}

// cells returns the columns of a result.
func cells(r result) []string {
	return []string{
		r.Workload, quantity(r.Theirs, r.Unit), quantity(r.Ours, r.Unit), factor(r.Ratio), unitName(r.Unit),
		goalOf(r), verdict(r),
	}
}

// factor leaves out what has no number: how much more than nothing there is.
func factor(ratio float64) string {
	if ratio == math.MaxFloat64 {
		return ""
	}
	return quantity(ratio, "") + "x"
}

// goalOf returns the goal, with the floor in numbers.
func goalOf(r result) string {
	if !strings.HasSuffix(r.Goal, "floor") {
		return r.Goal
	}
	return fmt.Sprintf("%s of %s", r.Goal, quantity(r.Floor, r.Unit))
}

func verdict(r result) string {
	switch {
	case r.Goal == "":
		return ""
	case r.Met:
		return "met"
	default:
		return "NOT MET"
	}
}

// step is a unit to write numbers in, from one number on.
type step struct {
	from, size float64
	name       string
}

var (
	times   = []step{{1e9, 1e9, " s"}, {1e6, 1e6, " ms"}, {1e3, 1e3, " µs"}, {0, 1, " ns"}}
	numbers = []step{{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0, 1, ""}}
)

// quantity writes a number of a unit with three digits, and a time in the unit
// of time that suits it.
func quantity(v float64, unit string) string {
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

// isTime is whether a unit is nanoseconds of something.
func isTime(unit string) bool { return unit == nanoseconds || strings.HasSuffix(unit, "-ns") }

// unitName is what a number is of, other than nanoseconds.
func unitName(unit string) string {
	if unit == nanoseconds {
		return "time/op"
	}
	return strings.TrimSuffix(unit, "-ns")
}

func writeJSON(file string, results []result) error {
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
