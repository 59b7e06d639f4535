package factory_test

import (
	"os"
	"strings"
	"testing"
)

// The code of these pages is from the examples, which run.
func TestPages(t *testing.T) {
	for _, page := range []string{"filters", "memory"} {
		t.Run(page, func(t *testing.T) { checkPage(t, page) })
	}
}

func checkPage(t *testing.T, name string) {
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/" + name + ".md")
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
