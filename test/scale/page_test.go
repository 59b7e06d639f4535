package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	if do, ok := role(); ok {
		if err := do(); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

func read(t *testing.T) measured {
	t.Helper()
	var m measured
	if err := json.Unmarshal(measuredJSON, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The page and its plots are what the command writes from the measurements.
func TestPage(t *testing.T) {
	files, err := read(t).page()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join("../../docs/results", name)); err != nil || string(got) != want {
			t.Errorf("docs/results/%s is not up to date (%v); run: cd test && go run ./scale -docs ../docs/results", name, err)
		}
	}
}

// Predictions are as near to what was measured as the page says.
func TestPredictions(t *testing.T) {
	m := read(t)
	if len(m.Runs) < 10 {
		t.Fatalf("%d runs were measured", len(m.Runs))
	}
	if e := m.largestErrors(); e.Heap > .1 || e.List > .3 || e.Event > .3 {
		t.Errorf("predictions are off by %+v", e)
	}
}
