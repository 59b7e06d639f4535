package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	if do, ok := role(); ok {
		if err := do(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	stopServer()
	os.Exit(code)
}

// Every workload works, with both: the harness can't rot.
func TestQuick(t *testing.T) {
	if before35 {
		t.Skip("client-go before 0.35 does not tell lists and watch-lists apart")
	}
	benchtime := flag.Lookup("test.benchtime")
	defer flag.Set(benchtime.Name, benchtime.Value.String())
	dir := t.TempDir()
	file := filepath.Join(dir, "results.json")
	if err := bench(t.Output(), quick, "", dir, file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var results []result
	if err := json.Unmarshal(data, &results); err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 {
		t.Error("no results")
	}
	for _, r := range results {
		if r.Unit == nanoseconds && min(r.Theirs, r.Ours) <= 0 {
			t.Errorf("%s: no time measured: %v", r.Workload, r)
		}
	}
	drawn := 0
	for _, p := range plots(quick) {
		picture, err := os.ReadFile(filepath.Join(dir, p.name+".svg"))
		if len(p.at) < 2 {
			continue
		}
		if err != nil || !bytes.Contains(picture, []byte("<polyline")) {
			t.Errorf("plot %s: %v: %.100s", p.name, err, picture)
		}
		drawn++
	}
	if drawn == 0 {
		t.Error("no plot was drawn")
	}
}

// The workloads as benchmarks, for profiles and for benchstat.
func BenchmarkTheirs(b *testing.B) {
	eachWorkload(b, func(w workload) func(*testing.B) { return w.theirs })
}

func BenchmarkOurs(b *testing.B) {
	eachWorkload(b, func(w workload) func(*testing.B) { return w.ours })
}

func eachWorkload(b *testing.B, side func(workload) func(*testing.B)) {
	for _, w := range workloads(full) {
		b.Run(w.name, side(w))
	}
}
