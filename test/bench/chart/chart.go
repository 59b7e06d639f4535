// Package chart draws the plots of the documentation as SVG, and writes numbers with their
// units.
package chart

import (
	"fmt"
	"math"
	"strings"
)

// The places of things in a picture.
const (
	Width, height            = 640, 360
	left, right, top, bottom = 90, 610, 60, 310
)

// Classes of lines, which are drawn in colours of their own.
const (
	Theirs = "theirs"
	Ours   = "ours"
)

// Line is one of a chart: a value for each place, which is drawn as its Class says.
type Line struct {
	Name, Class string
	Values      []float64
}

// Chart shows how values grow, on a logarithmic scale.
type Chart struct {
	// Unit is the unit of the values, as Quantity takes it.
	Title, Unit string
	// Axis says what grows, and At are the places.
	Axis string
	At   []int
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

// SVG draws lines. Each has as many values as there are places: at least two.
func (c Chart) SVG(lines ...Line) string {
	var b strings.Builder
	low, high := decades(lines)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", Width, height, c.Title)
	b.WriteString(style)
	text(&b, left, 25, "start", "title", c.Title)
	text(&b, right, 45, "end", "", UnitName(c.Unit)+", logarithmic scale")
	text(&b, (left+right)/2, height-10, "middle", "", c.Axis+", evenly spaced")
	for decade := low; decade <= high; decade++ {
		y := yOf(math.Pow10(decade), low, high)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`+"\n", left, right, y, y)
		text(&b, left-10, y+4, "end", "", Quantity(math.Pow10(decade), c.Unit))
	}
	for i, x := range c.At {
		text(&b, xOf(i, len(c.At)), bottom+20, "middle", "", Quantity(float64(x), ""))
	}
	for i, l := range lines {
		text(&b, float64(left+120*i), 45, "start", l.Class, "● "+l.Name)
		var points []string
		for j, v := range l.Values {
			x, y := xOf(j, len(c.At)), yOf(v, low, high)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
			fmt.Fprintf(&b, `<circle class="dot %s" cx="%.1f" cy="%.1f" r="4"/>`+"\n", l.Class, x, y)
		}
		fmt.Fprintf(&b, `<polyline class="line %s" points="%s"/>`+"\n", l.Class, strings.Join(points, " "))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func text(b *strings.Builder, x, y float64, anchor, class, s string) {
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, s)
}

// decades returns the powers of ten between which all values are. What is not
// more than zero is at the bottom.
func decades(lines []Line) (low, high int) {
	low, high = math.MaxInt, math.MinInt
	for _, l := range lines {
		for _, v := range l.Values {
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
