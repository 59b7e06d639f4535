package main

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/generators"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	change := func(kind, path string) generators.Change {
		return generators.Change{Kind: kind, Path: path}
	}
	several := []generators.Change{
		change(created, "pkg/informers/a.go"), change(updated, "pkg/informers/b/b.go"),
		change(updated, "pkg/listers/b.go"), change(removed, "pkg/listers/c.go"),
	}
	for _, c := range []struct {
		name    string
		options generators.Options
		changes []generators.Change
		want    string
	}{
		{"nothing to do", generators.Options{}, nil, "42 files up to date (14ms): 2 types"},
		{"nothing differs", generators.Options{Verify: true}, nil, "42 files up to date (14ms): 2 types"},
		{"several", generators.Options{}, several, "wrote 3 files, removed 1, 39 unchanged, below pkg (14ms): 2 types"},
		{"one", generators.Options{}, several[:1], "wrote 1 file, removed 0, 41 unchanged, below pkg/informers (14ms): 2 types"},
		{"differs", generators.Options{Verify: true}, several, "generated files are not up to date: 2 differ, 1 missing, 1 stale; to write them, run the same command without --verify"},
		{"nothing in common", generators.Options{}, append(several, change(updated, "x.go")), "wrote 4 files, removed 1, 38 unchanged, below . (14ms): 2 types"},
		{"above the working directory", generators.Options{}, []generators.Change{change(created, "../a/x.go"), change(created, "../b/x.go")}, "wrote 2 files, removed 0, 40 unchanged, below .. (14ms): 2 types"},
	} {
		result := generators.Result{Types: twoTypes, Files: 42, Changes: c.changes}
		if got := summary(&c.options, result, 14100*time.Microsecond); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

var twoTypes = []generators.Row{{Kind: "A"}, {Kind: "B"}}

// The same line names what was left out, and the next step.
func TestSummaryOfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	types := append(slices.Clone(twoTypes), generators.Row{Kind: "C", Skipped: "not marked"})
	result := generators.Result{Types: types, Files: 42, OtherModules: 2, Next: "go mod tidy"}
	for list, want := range map[bool]string{
		false: "42 files up to date (14ms): 2 types; 1 type skipped (--list says why); 2 modules not looked into; run go mod tidy next",
		true:  "2 types (14ms); 1 type skipped; 2 modules not looked into; run go mod tidy next",
	} {
		if got := summary(&generators.Options{List: list}, result, 14100*time.Microsecond); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// All problems are printed, however many; many of them with a line for each
// directory.
func TestPrintError(t *testing.T) {
	t.Parallel()
	problems := func(n int) (list scanner.ErrorList, lines []string) {
		for i := range n {
			pos := token.Position{Filename: fmt.Sprintf("api/v%d/types.go", 1+2*i/n), Line: i + 1, Column: 1}
			list.Add(pos, "wrong")
			lines = append(lines, pos.String()+": wrong")
		}
		return list, lines
	}
	one, oneLine := problems(1)
	few, fewLines := problems(many)
	lots, lotsLines := problems(2 * many)
	grouped := append([]string{"# api/v1"}, lotsLines[:many]...)
	grouped = append(append(grouped, "# api/v2"), lotsLines[many:]...)
	for _, c := range []struct {
		name string
		err  error
		want []string
	}{
		{"one", one, append(oneLine, "informer-gen: 1 problem; nothing was written")},
		{"few", few, append(fewLines, "informer-gen: 50 problems; nothing was written")},
		{"lots", lots, append(grouped, "informer-gen: 100 problems; nothing was written")},
		{"no position", errors.New("wrong"), []string{"informer-gen: wrong"}},
		{"several without", errors.Join(errors.New("a"), errors.New("b")), []string{"informer-gen: a", "informer-gen: b"}},
	} {
		var got strings.Builder
		(&reporter{w: &got, format: formatText}).failed(c.err)
		if want := strings.Join(c.want, "\n") + "\n"; got.String() != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got.String(), want)
		}
	}
}
