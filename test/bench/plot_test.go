package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
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
	for i, line := range lines {
		if line[1] != want[i] {
			t.Errorf("line %d: got %s, want %s", i, line[1], want[i])
		}
	}
	if drawn, err := p.draw(&picture, results[:1]); drawn || err != nil {
		t.Errorf("one place: got %v, %v, want nothing", drawn, err)
	}
}
