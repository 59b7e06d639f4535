package generators

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testModule = "github.com/informer-gen/informer-gen/testdata/"

// golden are the API packages of testdata, whose output is committed beside them.
var golden = map[string]Options{
	"kubebuilder": {Patterns: []string{"./api/..."}},
	"minimal":     {Patterns: []string{"../kubebuilder/api/..."}, Clients: true, Minimal: true},
	"indexed":     {Patterns: []string{"./api/..."}},
	"multigroup":  {Patterns: []string{"./apis/..."}, Clients: true},
	"samplecontroller": {
		Patterns:           []string{"./pkg/apis/..."},
		HeaderFile:         "../../hack/boilerplate.go.txt",
		VersionedClientset: testModule + "samplecontroller/pkg/clientset/versioned",
	},
	"slim": {Patterns: []string{"./api/..."}},
}

func goldenOptions(t *testing.T, name string) Options {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	options := golden[name]
	options.Dir, options.OutputDir = dir, filepath.Join("generated", "informers")
	return options
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name := range golden {
		t.Run(name, func(t *testing.T) {
			options := goldenOptions(t, name)
			if !*update {
				options.Verify = true
			}
			result, err := Run(t.Context(), options)
			if err != nil {
				t.Error(err)
			}
			if options.Verify && len(result.Changes) > 0 {
				t.Errorf("not up to date; go test ./generators -update writes it:\n%s", result.Diff())
			}
			if result.Files == 0 {
				t.Error("no files")
			}
		})
	}
}

// contents verifies an output folder that does not exist, and returns the files that it lacks.
func contents(t *testing.T, options Options) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	options.Verify, options.OutputPackage, options.OutputDir = true, "example.com/out/informers", filepath.Join(out, "informers")
	result, err := Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, change := range result.Changes {
		path := change.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(options.Dir, path)
		}
		name, err := filepath.Rel(out, path)
		if err != nil {
			t.Fatal(err)
		}
		_, lines, _ := strings.Cut(change.Diff(), " @@\n") // each line of a new file behind a plus
		files[filepath.ToSlash(name)] = strings.ReplaceAll(strings.TrimPrefix(lines, "+"), "\n+", "\n")
	}
	return files
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	options := goldenOptions(t, "multigroup")
	options.Patterns = []string{"./apis/networking/v1", "./apis/networking/v1beta1", "./apis/storage/...", testModule + "multigroup/apis/mesh-policy/v1alpha1"}
	want := contents(t, options)
	for range 4 {
		for _, patterns := range [][]string{rotate(options.Patterns), {"./apis/..."}, {"./..."}} {
			options.Patterns = patterns
			if diff := cmp.Diff(want, contents(t, options)); diff != "" {
				t.Fatalf("patterns %v: %s", patterns, diff)
			}
		}
		slices.Reverse(options.Patterns)
	}
}

func rotate(list []string) []string { return append(slices.Clone(list[1:]), list[0]) }

// A kind's informer and lister are at most 80 lines together, with a header of
// one line. An index has 16 at most, and 16 more go with the first.
func TestLinesPerType(t *testing.T) {
	t.Parallel()
	for name := range golden {
		options := goldenOptions(t, name)
		options.HeaderFile = filepath.Join(t.TempDir(), "header")
		writeFile(t, options.HeaderFile, "// Copyright example.com.\n")
		files, informers := contents(t, options), 0
		for path, content := range files {
			lister, ok := strings.CutPrefix(path, "listers/")
			if !ok || filepath.Base(path) == "expansion_generated.go" {
				continue
			}
			informer := files["informers/"+lister] + files["informers/externalversions/"+lister]
			if informer != "" {
				informers++
			}
			limit := 80
			if indexes := strings.Count(content, "listers.ByIndex("); indexes > 0 {
				limit += 16 + 16*indexes
			}
			if lines := strings.Count(content+informer, "\n"); lines > limit {
				t.Errorf("%s: %d lines", path, lines)
			}
		}
		if informers == 0 {
			t.Errorf("%s: no kind has a lister and an informer", name)
		}
	}
}

// No line is longer than a screen is wide.
func TestLinesFit(t *testing.T) {
	t.Parallel()
	for name := range golden {
		for path, content := range contents(t, goldenOptions(t, name)) {
			for line := range strings.Lines(content) {
				if len(line) > 160 {
					t.Errorf("%s: %d letters: %s", path, len(line), line)
				}
			}
		}
	}
}
