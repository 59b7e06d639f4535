package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/informer-gen/informer-gen/test/bench/chart"
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
		r.Workload, chart.Quantity(r.Theirs, r.Unit), chart.Quantity(r.Ours, r.Unit), factor(r.Ratio), chart.UnitName(r.Unit),
		goalOf(r), verdict(r),
	}
}

// factor leaves out what has no number: how much more than nothing there is.
func factor(ratio float64) string {
	if ratio == math.MaxFloat64 {
		return ""
	}
	return chart.Quantity(ratio, "") + "x"
}

// goalOf returns the goal, with the floor in numbers.
func goalOf(r result) string {
	if !strings.HasSuffix(r.Goal, "floor") {
		return r.Goal
	}
	return fmt.Sprintf("%s of %s", r.Goal, chart.Quantity(r.Floor, r.Unit))
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

func writeJSON(file string, results []result) error {
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
