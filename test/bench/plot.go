package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/informer-gen/informer-gen/test/bench/chart"
)

// plot shows how the cost of something grows, for both sides.
type plot struct {
	// name is the name of the file.
	name, title string
	// of is the name of the workloads, with a %d for what grows.
	of, unit string
	// axis says what grows, and at are the places.
	axis string
	at   []int
}

// plots returns the plots of a scale.
func plots(s scale) []plot {
	return []plot{
		{"list", "List of all", "reads/lister/list/objects=%d", nanoseconds, "objects", s.objects},
		{"match", "List of the 1 % that a selector matches", "reads/lister/match=1%%/objects=%d", nanoseconds, "objects", s.objects},
		{"index", "100 hits in an index", "reads/store/index=100/objects=%d", nanoseconds, "objects", s.objects},
		{"handlers", "One event to all handlers", "fanout/handlers=%d", nanoseconds, "handlers", s.handlers},
		{"update", "Update of an object", "writes/store/update/indexes=%d", nanoseconds, "indexes", s.indexes},
		{"memory", "Memory of an object, beyond the object", "memory/object/indexes=%d", "B/object", "indexes", s.indexes},
		{"readers", fmt.Sprintf("Writes while readers list %s objects without pause", chart.Quantity(float64(s.listed[0]), "")),
			fmt.Sprintf("contention/queued=1000/objects=%d/readers=%%d", s.listed[0]), writesPerSecond, "readers", s.readers},
		{"ingest-cpu", "CPU to list pods of deployments, in JSON", plottedPods, ingestCPU, "pods", s.podsPlotted},
		{"ingest-peak", "Peak memory while pods are listed, in JSON", plottedPods, ingestPeak, "pods", s.podsPlotted},
		{"ingest-heap", "Live heap with all pods", plottedPods, ingestHeap, "pods", s.podsPlotted},
	}
}

// plottedPods is the mode of ingest that is plotted.
const plottedPods = "ingest/replicas/list/json/pods=%d"

// draw writes a plot of results as SVG, or nothing if it has less than two of
// the places.
func (p plot) draw(w io.Writer, results []result) (drawn bool, err error) {
	theirs, ours := chart.Line{Name: "client-go", Class: chart.Theirs}, chart.Line{Name: "here", Class: chart.Ours}
	var at []int
	for _, x := range p.at {
		i := slices.IndexFunc(results, func(r result) bool { return r.Workload == fmt.Sprintf(p.of, x) && r.Unit == p.unit })
		if i >= 0 {
			at = append(at, x)
			theirs.Values = append(theirs.Values, results[i].Theirs)
			ours.Values = append(ours.Values, results[i].Ours)
		}
	}
	if len(at) < 2 {
		return false, nil
	}
	_, err = io.WriteString(w, p.svg(at, theirs, ours))
	return true, err
}

func (p plot) svg(at []int, lines ...chart.Line) string {
	return chart.Chart{Title: p.title, Unit: p.unit, Axis: p.axis, At: at}.SVG(lines...)
}
