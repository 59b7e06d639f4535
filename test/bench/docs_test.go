package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page has the results of its own workloads, and one without results is left as it is.
func TestWriteDocs(t *testing.T) {
	dir := t.TempDir()
	main, ingest := filepath.Join(dir, mainPage.file), filepath.Join(dir, ingestPage.file)
	if err := os.WriteFile(main, []byte("as it was"), 0o644); err != nil {
		t.Fatal(err)
	}
	taken := []result{{Workload: "ingest/replicas/list/json/pods=100", Unit: ingestCPU, Theirs: 3e9, Ours: 1e9, Ratio: 3}}
	if err := writeDocs(dir, quick, taken); err != nil {
		t.Fatal(err)
	}
	contains(t, main, "as it was")
	contains(t, ingest, "| ingest/replicas/list/json/pods=100 | 3 s | 1 s | 3x | cpu |  |  |\n")
	if err := writeDocs(dir, quick, []result{{Workload: "reads/get", Unit: nanoseconds, Theirs: 3, Ours: 1, Ratio: 3}}); err != nil {
		t.Fatal(err)
	}
	contains(t, main, "| reads/get | 3 ns | 1 ns | 3x | time/op |  |  |\n")
	contains(t, ingest, "pods=100")
}

func contains(t *testing.T, file, part string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), part) {
		t.Errorf("%s: %v: %q is not in\n%s", filepath.Base(file), err, part, text)
	}
}

// The pages link to each other, and what plots show is measured, once.
func TestPages(t *testing.T) {
	for _, other := range allPages[1:] {
		if !strings.Contains(mainPage.head, "("+other.file+")") {
			t.Errorf("%s has no link to %s", mainPage.file, other.file)
		}
	}
	for _, s := range []scale{full, quick} {
		measured := map[string]bool{}
		for _, w := range workloads(s) {
			if measured[w.name] {
				t.Errorf("%s: is measured twice", w.name)
			}
			measured[w.name] = true
		}
		for _, p := range plots(s) {
			for _, x := range p.at {
				if name := fmt.Sprintf(p.of, x); !measured[name] {
					t.Errorf("plot %s: %s is not measured", p.name, name)
				}
			}
		}
	}
}
