package controller_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The first block of code of each page is a file of this package, but for the package and
// where the API is, and the others are from an example.
func TestPages(t *testing.T) {
	examples := read(t, "example_test.go") + read(t, "../predicate/example_test.go") + read(t, "../cache/cause/example_test.go")
	for page, file := range map[string]string{
		"../../docs/controllers.md": "controllers_page_test.go",
		"../../docs/testing.md":     "testing_page_test.go",
	} {
		want := strings.NewReplacer(
			"package controller_test", "package main",
			"github.com/informer-gen/informer-gen/testdata/minimal/generated", "example.com/shop/pkg/generated",
			"github.com/informer-gen/informer-gen/testdata/kubebuilder", "example.com/shop",
		).Replace(read(t, file))
		for i, rest := range strings.Split(read(t, page), "```go\n")[1:] {
			block, _, _ := strings.Cut(rest, "```\n")
			if diff := cmp.Diff(want, block); i == 0 && diff != "" {
				t.Errorf("%s (-%s +page):\n%s", page, file, diff)
			}
			if i > 0 && !strings.Contains(examples, strings.TrimSpace(block)) {
				t.Errorf("%s: no example has\n%s", page, block)
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
