package pages

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const example = "# A page of `code`\n" +
	"See [the other](other.md#why-it-is) and [there][ref], not `[this](gone.md)`.\n" +
	"[ref]: https://example.com/\n" +
	"\n## Same\n\nThe program, `cmd/main.go`, as `go run ./cmd` runs it:\n\n```go\nfunc main() {}\n# [no](link)\n```\n\nThen:\n\n```sh\nmake\n```\n## Same\n"

func TestParse(t *testing.T) {
	page := Parse("page.md", example)
	want := &Page{
		Path:    "page.md",
		Anchors: map[string]bool{"a-page-of-code": true, "same": true, "same-1": true},
		Blocks: []Block{
			{Heading: "Same", Number: 1, Language: "go", Text: "func main() {}\n# [no](link)\n", Before: "The program, `cmd/main.go`, as `go run ./cmd` runs it:", Line: 9},
			{Heading: "Same", Number: 2, Language: "sh", Text: "make\n", Before: "Then:", Line: 16},
		},
		Links: []Link{{"other.md#why-it-is", 2}, {"https://example.com/", 3}},
		Code:  []Link{{"code", 1}, {"[this](gone.md)", 2}, {"cmd/main.go", 7}, {"go run ./cmd", 7}},
	}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if block, err := page.Block("Same", 2); err != nil || block.Text != "make\n" {
		t.Errorf("got %v and %v, want the second block", block, err)
	}
	if first, second := page.Blocks[0].File(), page.Blocks[1].File(); first != "cmd/main.go" || second != "" {
		t.Errorf("got files %q and %q, want that of the first sentence", first, second)
	}
	if _, err := page.Block("Same", 3); err == nil {
		t.Error("got a block that is not there")
	}
}

func TestParseProblems(t *testing.T) {
	got := Parse("page.md", "[text][a]\n[b]: file.md\n```\n").Problems
	slices.Sort(got)
	want := []string{"page.md:0: no link uses [b]", "page.md:1: no definition of [a]", "page.md:3: a block without an end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
