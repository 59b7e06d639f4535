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

// The page and its plots are what the command writes of what was measured.
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

// A process for a shard has its objects and no others, and sees the last change, whether or not
// the server filters.
func TestTrial(t *testing.T) {
	for _, encoding := range []string{inJSON, inProtobuf} {
		for _, filters := range []bool{true, false} {
			p := population{configMaps, 2000, encoding}
			u, err := trial{Population: p, Shards: 4, Filters: filters}.run()
			if err != nil {
				t.Fatal(err)
			}
			if u.Objects < 400 || u.Objects > 600 || u.Heap <= 0 || u.List <= 0 || u.Event <= 0 {
				t.Errorf("%s, filters %v: %+v", encoding, filters, u)
			}
		}
	}
}
