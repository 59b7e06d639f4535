package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/informer-gen/informer-gen/test/bench/chart"
)

//go:embed page.md.tmpl
var pageTemplate string

// groups are the numbers of replicas that the page shows.
var groups = []int{1, 2, 4, 8, 16, 32, 64}

// shown are the classes of the tables, in the format that they have over the wire: custom
// resources, for which config maps stand, are in JSON only.
var shown = []struct{ Class, Format string }{{configMaps, "JSON"}, {replicaPods, "protobuf"}}

// writePage writes scale.md, and its plots into a folder beside it.
func writePage(dir string, m measured) error {
	files, err := m.page()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "scale"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// page returns the files of the page, by their names.
func (m measured) page() (map[string]string, error) {
	funcs := template.FuncMap{
		"bytes": size, "seconds": seconds, "nanoseconds": func(v float64) string { return chart.Quantity(v, chart.Nanoseconds) },
		"number": func(v float64) string { return chart.Quantity(v, "") }, "percent": percent, "cores": cores,
		"costs": func(class, format string) cost { return m.Costs[class][format] },
		"filtered": func(s struct{ Class, Format string }, n int) forecast {
			return m.forecast(tenMillion(s.Class, s.Format, n, true))
		},
		"unfiltered": func(s struct{ Class, Format string }, n int) forecast {
			return m.forecast(tenMillion(s.Class, s.Format, n, false))
		},
		"fitting": m.fitting, "limits": m.limits, "moves": m.moves, "compared": m.compared, "errors": m.largestErrors,
	}
	t, err := template.New("page").Funcs(funcs).Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	err = t.Execute(&text, map[string]any{
		"M": m, "Assumed": assumed, "Shown": shown, "Groups": groups, "Formats": []string{"JSON", "protobuf"},
		"Classes": []string{configMaps, replicaPods, distinctPods},
	})
	files := m.plots()
	files["scale.md"] = text.String()
	return files, err
}

// tenMillion is the plan of the page.
func tenMillion(class, format string, n int, filters bool) plan {
	return plan{Class: class, Format: format, Objects: wanted, Replicas: n, Filters: filters, Rate: rate}
}

// fitting returns how many replicas must be there so that each fits in its memory; 0 if there
// are not enough ranges for them.
func (m measured) fitting(s struct{ Class, Format string }) int {
	for n := 1; n <= parts; n++ {
		if m.forecast(tenMillion(s.Class, s.Format, n, true)).Resident <= assumed.Memory {
			return n
		}
	}
	return 0
}

func (m measured) plots() map[string]string {
	plot := func(title, unit, class, format string, of func(forecast) float64) string {
		with, without := chart.Line{Name: "filtered", Class: chart.Ours}, chart.Line{Name: "not filtered", Class: chart.Theirs}
		for _, n := range groups {
			with.Values = append(with.Values, of(m.forecast(tenMillion(class, format, n, true))))
			without.Values = append(without.Values, of(m.forecast(tenMillion(class, format, n, false))))
		}
		return chart.Chart{Title: title, Unit: unit, Axis: "replicas", At: groups}.SVG(without, with)
	}
	heap := chart.Chart{Title: "Live heap of the fullest replica, ten million objects", Unit: "B", Axis: "replicas", At: groups}
	var lines []chart.Line
	for i, s := range shown {
		line := chart.Line{Name: []string{"config maps", "pods"}[i], Class: []string{chart.Ours, chart.Theirs}[i]}
		for _, n := range groups {
			line.Values = append(line.Values, m.forecast(tenMillion(s.Class, s.Format, n, true)).Heap)
		}
		lines = append(lines, line)
	}
	return map[string]string{
		"scale/heap.svg":   heap.SVG(lines...),
		"scale/sync.svg":   plot("Time to sync at the least, ten million config maps", "time-ns", configMaps, "JSON", func(f forecast) float64 { return f.Sync * 1e9 }),
		"scale/events.svg": plot("CPU of a replica in a second, of 10,000 changed config maps", "cpu-ns", configMaps, "JSON", func(f forecast) float64 { return f.EventCores * 1e9 }),
	}
}

// moved is a row of what moves among config maps in JSON.
type moved struct {
	What string
	move
	// With and Without are bytes that are listed again, and of CPU of the receiver that
	// gains most, in seconds, if the server filters or not.
	With, Without, CPUWith, CPUWithout float64
}

func (m measured) moves() []moved {
	var all []moved
	c := m.Costs[configMaps]["JSON"]
	for _, n := range []int{4, 16, 64} {
		before, members := first(n)
		joined := assign(before, append(slices.Clone(members), n))
		left := assign(before, members[1:])
		for _, change := range []struct {
			to   int
			name string
			owners
		}{{n + 1, "joins", joined}, {n - 1, "leaves or dies", left}} {
			mv := moveBetween(before, change.owners)
			dropping := (1 - mv.Gain) * wanted * c.ListDropped / 1e9
			all = append(all, moved{
				What: fmt.Sprintf("%d → %d, one %s", n, change.to, change.name), move: mv,
				With: mv.Hashes * wanted * c.Size, Without: float64(mv.Receivers) * wanted * c.Size,
				CPUWith: mv.Gain * wanted * c.List / 1e9, CPUWithout: mv.Gain*wanted*c.List/1e9 + dropping,
			})
		}
	}
	return all
}

// comparison is a prediction beside what was measured: heap in bytes, and CPU in seconds.
type comparison struct {
	trial
	Heap, List, Event [2]float64
}

func (m measured) compared() []comparison {
	var all []comparison
	for _, t := range m.Runs {
		f := m.forecast(plan{
			Class: t.Population.Class, Format: t.Population.Format(), Objects: float64(t.Population.Objects),
			Replicas: t.Shards, Filters: t.Filters, Contiguous: true, Rate: float64(sampleOf(t.Population.Class)),
		})
		all = append(all, comparison{
			t, [2]float64{f.Heap, t.Usage.Heap}, [2]float64{f.ListCPU, t.Usage.List.Seconds()}, [2]float64{f.EventCores, t.Usage.Event.Seconds()},
		})
	}
	return all
}

// largestErrors returns how far predictions are from what was measured at the most.
func (m measured) largestErrors() (e struct{ Heap, List, Event float64 }) {
	for _, c := range m.compared() {
		e.Heap = max(e.Heap, math.Abs(c.Heap[0]/c.Heap[1]-1))
		e.List = max(e.List, math.Abs(c.List[0]/c.List[1]-1))
		e.Event = max(e.Event, math.Abs(c.Event[0]/c.Event[1]-1))
	}
	return e
}

// size writes bytes: 1 GB is a thousand MB.
func size(v float64) string {
	for _, unit := range []struct {
		from float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}} {
		if v >= unit.from {
			return chart.Quantity(v/unit.from, "") + " " + unit.name
		}
	}
	return chart.Quantity(v, "") + " B"
}

func seconds(v float64) string { return chart.Quantity(v*1e9, chart.Nanoseconds) }

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func cores(v float64) string { return fmt.Sprintf("%.3f", v) }
