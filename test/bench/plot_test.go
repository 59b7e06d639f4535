package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/informer-gen/informer-gen/test/bench/chart"
)

// A plot is well-formed, draws each value that there is, and ten times as much a
// decade higher.
func TestPlot(t *testing.T) {
	p := plot{title: "Lists", of: "list/objects=%d", unit: nanoseconds, axis: "objects", at: []int{10, 100, 1000}}
	var results []result
	for _, n := range p.at {
		results = append(results, result{Workload: fmt.Sprintf(p.of, n), Unit: p.unit, Theirs: 10 * float64(n), Ours: float64(n)})
	}
	var picture strings.Builder
	if drawn, err := p.draw(&picture, results); !drawn || err != nil {
		t.Fatalf("got %v, %v", drawn, err)
	}
	for decoder := xml.NewDecoder(strings.NewReader(picture.String())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	lines := regexp.MustCompile(`points="(.*)"`).FindAllStringSubmatch(picture.String(), -1)
	want := []string{"120.0,226.7 350.0,143.3 580.0,60.0", "120.0,310.0 350.0,226.7 580.0,143.3"}
	var got []string
	for _, line := range lines {
		got = append(got, line[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines: got %q, want %q", got, want)
	}
	if !strings.Contains(picture.String(), "time/op, logarithmic scale") {
		t.Error("the plot does not say what its scale is")
	}
	if drawn, err := p.draw(&picture, results[:1]); drawn || err != nil {
		t.Errorf("one place: got %v, %v, want nothing", drawn, err)
	}
}

// No text of a plot is cut off, whatever its unit, and however much is measured.
func TestPlotText(t *testing.T) {
	type element struct {
		X      float64 `xml:"x,attr"`
		Anchor string  `xml:"text-anchor,attr"`
		Class  string  `xml:"class,attr"`
		Text   string  `xml:",chardata"`
	}
	for _, p := range plots(full) {
		var picture struct {
			Text []element `xml:"text"`
		}
		// Values of all lengths: 1 to 9 digits.
		values := []float64{1.5, 5e8}
		svg := p.svg([]int{1, 1_000_000}, chart.Line{Name: "client-go", Values: values}, chart.Line{Name: "here", Values: values})
		if err := xml.Unmarshal([]byte(svg), &picture); err != nil {
			t.Fatal(err)
		}
		if len(picture.Text) == 0 {
			t.Errorf("%s: has no text", p.name)
		}
		for _, e := range picture.Text {
			wide := 7.5 // pixels of a character, on average, in a wide font
			if e.Class == "title" {
				wide = 9
			}
			size := wide * float64(utf8.RuneCountInString(e.Text))
			from := e.X - map[string]float64{"start": 0, "middle": size / 2, "end": size}[e.Anchor]
			if from < 0 || from+size > chart.Width {
				t.Errorf("%s: %q is at %.0f to %.0f of 0 to %d", p.name, e.Text, from, from+size, chart.Width)
			}
		}
	}
}
