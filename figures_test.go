package policy

import (
	"flag"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/internal/pages"
)

var update = flag.Bool("update", false, "write the figures of pages from docs/results/bench")

// Pages show what was measured last.
func TestFigures(t *testing.T) {
	if *update {
		if err := pages.WriteFigures("."); err != nil {
			t.Fatal(err)
		}
	}
	figures, err := pages.ReadFigures(".")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, name := range guide(t) {
		text := read(t, name)
		shown += strings.Count(text, "<!-- ")
		written, err := figures.Write(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if written != text {
			t.Errorf("%s: its figures are not those of %s: go test . -run TestFigures -update", name, pages.ResultsDir)
		}
	}
	if shown < 30 {
		t.Errorf("pages have %d markers, want all that they had", shown)
	}
}

// A figure of a page is a marker's, or the paragraph at it names the command that measures it.
func TestFiguresAreMeasured(t *testing.T) {
	for _, name := range guide(t) {
		for _, figure := range unmeasured(read(t, name)) {
			t.Errorf("%s: %s: neither a marker nor a command beside it", name, figure)
		}
	}
}

func TestUnmeasured(t *testing.T) {
	const command = "This takes 3 s (`go test ./x -run XXX -bench Heap`)."
	for page, want := range map[string]int{
		"It takes 3 s, 4.5 MB and 20 µs: 3.7 times less, or 2.1×.":           5,
		"<!-- here w u -->3 s<!-- end --> in place of 4 s":                   1,
		"| CPU | 4 s | 3 s | 1.3× <!-- figures w u --> |\n| memory | 3 MB |": 1,
		"Pods of 13 KB over 100 Mbit/s and 20 ms, see `-timeout 3 s`.":       0,
		"```text\n3 s\n```\n": 0,
		command:               0,
		command + "\n\n| a | 3 s |\n|---|---|\n| b | 4 s |":                 0,
		"| a | 3 s |\n|---|---|\n\n" + command:                              0,
		command + "\n\nThat takes 3 s.":                                     1,
		command + "\n\n| a | 3 s | 2 s <!-- figures w u --> |\n| b | 4 s |": 1,
		"`make bench` measures 3 s.":                                        1, // and writes it
	} {
		if got := unmeasured(page); len(got) != want {
			t.Errorf("%q: got %q, want %d", page, got, want)
		}
	}
}

// guide returns the README and the pages of the guide.
func guide(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(markdown(t), func(name string) bool { return name != "README.md" && path.Dir(name) != "docs" })
}

var (
	quantity = regexp.MustCompile(`\d[\d.,]*(?: (?:s|ms|µs|ns|B|KB|MB|GB)\b|×)|\d\.\d+ times\b`)
	codeSpan = regexp.MustCompile("`[^`]*`")
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	// measures matches a command that measures and prints. make bench writes what it measures into pages.
	measures = regexp.MustCompile("`[^`]*go (?:test|run) [^`]*`")
	// given are sizes of what is measured, latencies of networks and settings.
	given = []string{"13 KB", "10 KB", "5 KB", "4 KB", "2 KB", "20 ms"}
)

// unmeasured returns the figures of a page that are no marker's, and have no command that measures them in
// their paragraph. A table without markers may have the command in the paragraph before it or after it.
func unmeasured(text string) []string {
	var found []string
	paragraphs := strings.Split(fenced.ReplaceAllString(text, ""), "\n\n")
	for i, paragraph := range paragraphs {
		where := paragraphs[i : i+1]
		if strings.HasPrefix(strings.TrimSpace(paragraph), "|") {
			where = paragraphs[max(0, i-1):min(len(paragraphs), i+2)]
		}
		if !strings.Contains(paragraph, "<!-- figures ") && slices.ContainsFunc(where, measures.MatchString) {
			continue
		}
		for _, figure := range quantity.FindAllString(codeSpan.ReplaceAllString(pages.Unmarked(paragraph), ""), -1) {
			if !slices.Contains(given, figure) {
				found = append(found, fmt.Sprintf("%q in %q", figure, oneLine(paragraph)[:min(60, len(oneLine(paragraph)))]))
			}
		}
	}
	return found
}
