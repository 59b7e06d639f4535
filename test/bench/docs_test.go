package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/internal/pages"
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

// Pages show what was measured last.
func TestWriteDocsWritesFigures(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, filepath.FromSlash(pages.ResultsDir))
	const marker = "<!-- figures ingest/replicas/list/json/pods=100 cpu -->"
	readme, guide := filepath.Join(root, "README.md"), filepath.Join(root, "docs", "memory.md")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(readme, []byte("| CPU | 9 s | 9 s | 1.0× "+marker+" |\n"), 0o644),
		os.WriteFile(guide, []byte("in <!-- here ingest/replicas/list/json/pods=100 cpu -->9 s<!-- end -->\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	taken := []result{{Workload: "ingest/replicas/list/json/pods=100", Unit: ingestCPU, Theirs: 3e9, Ours: 1e9, Ratio: 3}}
	if err := writeDocs(dir, quick, taken); err != nil {
		t.Fatal(err)
	}
	contains(t, readme, "| CPU | 3 s | 1 s | 3.0× "+marker+" |")
	contains(t, guide, "-->1 s<!-- end -->")
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
