package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// plot is how the cost of something grows, of both.
type plot struct {
	// name is that of the file.
	name, title string
	// of is the name of the workloads, with a %d for what grows.
	of, unit string
	// axis says what grows, and at are the places.
	axis string
	at   []int
}

// plots are those of a scale.
func plots(s scale) []plot {
	return []plot{
		{"list", "List of all", "reads/lister/list/objects=%d", nanoseconds, "objects", s.objects},
		{"match", "List of the 1 % that a selector matches", "reads/lister/match=1%%/objects=%d", nanoseconds, "objects", s.objects},
		{"index", "100 hits in an index", "reads/store/index=100/objects=%d", nanoseconds, "objects", s.objects},
		{"handlers", "One event to all handlers", "fanout/handlers=%d", nanoseconds, "handlers", s.handlers},
		{"update", "Update of an object", "writes/store/update/indexes=%d", nanoseconds, "indexes", s.indexes},
		{"memory", "Memory of an object, beyond the object", "memory/object/indexes=%d", "B/object", "indexes", s.indexes},
		{"readers", fmt.Sprintf("Writes while readers list %s objects without pause", quantity(float64(s.listed[0]), "")),
			fmt.Sprintf("contention/queued=1000/objects=%d/readers=%%d", s.listed[0]), writesPerSecond, "readers", s.readers},
		{"ingest-cpu", "CPU to list pods of deployments, in JSON", plottedPods, ingestCPU, "pods", s.podsPlotted},
		{"ingest-peak", "Peak memory while pods are listed, in JSON", plottedPods, ingestPeak, "pods", s.podsPlotted},
		{"ingest-heap", "Live heap with all pods", plottedPods, ingestHeap, "pods", s.podsPlotted},
	}
}

// plottedPods is the mode of ingest that is plotted.
const plottedPods = "ingest/replicas/list/json/pods=%d"

// The places of things in a picture.
const (
	width, height            = 640, 360
	left, right, top, bottom = 90, 610, 60, 310
)

// line is one of a plot: a value for each place, and what it is drawn as.
type line struct {
	name, class string
	values      []float64
}

// draw writes a plot of results as SVG, or nothing if it has less than two of
// the places.
func (p plot) draw(w io.Writer, results []result) (drawn bool, err error) {
	theirs, ours := line{name: "client-go", class: "theirs"}, line{name: "here", class: "ours"}
	var at []int
	for _, x := range p.at {
		i := slices.IndexFunc(results, func(r result) bool { return r.Workload == fmt.Sprintf(p.of, x) && r.Unit == p.unit })
		if i >= 0 {
			at = append(at, x)
			theirs.values = append(theirs.values, results[i].Theirs)
			ours.values = append(ours.values, results[i].Ours)
		}
	}
	if len(at) < 2 {
		return false, nil
	}
	_, err = io.WriteString(w, p.svg(at, theirs, ours))
	return true, err
}

// style has colours that are told apart, and read, on white as on black.
const style = `<style>
text { font: 13px sans-serif; fill: #7d8590 } .title { font-size: 15px; font-weight: bold }
.grid { stroke: #8b949e; stroke-opacity: .35 }
.line { fill: none; stroke-width: 2.5 }
.line.theirs { stroke: #d9730d } .dot.theirs, text.theirs { fill: #d9730d }
.line.ours { stroke: #2f81f7 } .dot.ours, text.ours { fill: #2f81f7 }
</style>
`

func (p plot) svg(at []int, lines ...line) string {
	var b strings.Builder
	low, high := decades(lines)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", width, height, p.title)
	b.WriteString(style)
	text(&b, left, 25, "start", "title", p.title)
	text(&b, right, 45, "end", "", unitName(p.unit)+", logarithmic scale")
	text(&b, (left+right)/2, height-10, "middle", "", p.axis+", evenly spaced")
	for decade := low; decade <= high; decade++ {
		y := yOf(math.Pow10(decade), low, high)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`+"\n", left, right, y, y)
		text(&b, left-10, y+4, "end", "", quantity(math.Pow10(decade), p.unit))
	}
	for i, x := range at {
		text(&b, xOf(i, len(at)), bottom+20, "middle", "", quantity(float64(x), ""))
	}
	for i, l := range lines {
		text(&b, float64(left+120*i), 45, "start", l.class, "● "+l.name)
		var points []string
		for j, v := range l.values {
			x, y := xOf(j, len(at)), yOf(v, low, high)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
			fmt.Fprintf(&b, `<circle class="dot %s" cx="%.1f" cy="%.1f" r="4"/>`+"\n", l.class, x, y)
		}
		fmt.Fprintf(&b, `<polyline class="line %s" points="%s"/>`+"\n", l.class, strings.Join(points, " "))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func text(b *strings.Builder, x, y float64, anchor, class, s string) {
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, s)
}

// decades returns the powers of ten between which all values are. What is not
// more than zero is at the bottom.
func decades(lines []line) (low, high int) {
	low, high = math.MaxInt, math.MinInt
	for _, l := range lines {
		for _, v := range l.values {
			if v > 0 {
				low = min(low, int(math.Floor(math.Log10(v))))
				high = max(high, int(math.Ceil(math.Log10(v))))
			}
		}
	}
	if low >= high {
		return 0, 1
	}
	return low, high
}

// xOf returns where the i-th of n places is: they are as far apart as one is
// from the next, whatever their numbers.
func xOf(i, n int) float64 {
	return left + 30 + float64(i)*float64(right-left-60)/float64(n-1)
}

// yOf returns how high a value is, on a logarithmic scale.
func yOf(v float64, low, high int) float64 {
	if v <= 0 {
		return bottom
	}
	return bottom - (math.Log10(v)-float64(low))/float64(high-low)*(bottom-top)
}
