package factory_test

import (
	"os"
	"strings"
	"testing"
)

// The code of the page on filters is from the examples, which run.
func TestFiltersPage(t *testing.T) {
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	for _, rest := range blocks {
		block, _, _ := strings.Cut(rest, "```\n")
		if !strings.Contains(string(examples), block) {
			t.Errorf("example_test.go does not have\n%s", block)
		}
	}
	if len(blocks) == 0 {
		t.Error("the page has no code")
	}
}
