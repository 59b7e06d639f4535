package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Nothing that a file says is dropped: it is a flag's value, or an error with its place.
func TestConfig(t *testing.T) {
	t.Parallel()
	const expectedOne = "; expected one value, or a list of values for a flag that takes one"
	for name, test := range map[string]struct {
		content string
		want    string   // the error without the name of the file, or empty
		exclude []string // without one
	}{
		"values and lists":      {"clients: true\nexclude: [A, \"B\"]\n", "", []string{"A", "B"}},
		"one value of a list":   {"exclude: A\n", "", []string{"A"}},
		"empty list":            {"exclude: []\n", "", nil},
		"empty":                 {"# nothing\n", "", nil},
		"empty documents":       {"---\n---\nexclude: A\n---\n# nothing\n", "", []string{"A"}},
		"word null":             {"exclude: \"null\"\n", "", []string{"null"}},
		"list in a list":        {"exclude:\n- A\n- [B, C]\n", ":1:1: exclude: line 3 has a list" + expectedOne, nil},
		"map in a list":         {"exclude:\n- A: B\n", ":1:1: exclude: line 2 has a map" + expectedOne, nil},
		"map":                   {"exclude: {A: B}\n", ":1:1: exclude: line 1 has a map" + expectedOne, nil},
		"null in a list":        {"exclude: [A, ~]\n", ":1:1: exclude: line 1 has nothing" + expectedOne, nil},
		"null":                  {"clients: true\nexclude:\n", ":2:1: exclude: line 2 has nothing" + expectedOne, nil},
		"null for a path":       {"output-dir: null\n", ":1:1: output-dir: line 1 has nothing" + expectedOne, nil},
		"list for one value":    {"output-dir: [a, b]\n", ":1:1: output-dir: line 1 has a list" + expectedOne, nil},
		"no value in a list":    {"output-dir: []\n", ":1:1: output-dir: line 1 has a list" + expectedOne, nil},
		"second document":       {"clients: true\n---\nexclude: A\n", ":2:1: a second document; put all flags into the first one", nil},
		"repeated key":          {"exclude: A\nclients: true\nexclude: B\n", ":3:1: exclude: is a flag of line 1 already; name it once", nil},
		"repeated as it was":    {"output-pkg: a.b/c\noutput_package: a.b/d\n", ":2:1: output_package: is a flag of line 1 already; name it once", nil},
		"key that is no text":   {"? [exclude]\n: A\n", ":1:3: : is no flag of a file", nil},
		"list of flags":         {"- exclude\n", ":1:1: is no map of flags, such as output-dir: pkg/client/informers", nil},
		"no YAML after the end": {"exclude: A\n---\n}\n", ": yaml: line 2: did not find expected node content", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "flags.yaml")
			if err := os.WriteFile(file, []byte(test.content), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := parse([]string{"--config", file, "./..."})
			got := ""
			if err != nil {
				got = strings.TrimPrefix(err.Error(), file)
			}
			if got != test.want {
				t.Fatalf("got error %q, want %q", got, test.want)
			}
			if diff := cmp.Diff(test.exclude, f.options.Exclude); err == nil && diff != "" {
				t.Error(diff)
			}
		})
	}
}
