package templates_test

import (
	"errors"
	"go/format"
	"go/scanner"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/informer-gen/informer-gen/templates"
)

// endless matches what may give more text than fits in memory, which a template of a user may do.
var endless = regexp.MustCompile(`range.*\d|printf|%\d`)

// Whatever a template is, it gives a file, or an error at one of its lines.
func FuzzTemplate(f *testing.F) {
	names, err := filepath.Glob("*.tmpl")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("{{define \"x\"}}\nfunc {{end}}{{template \"x\"}}")
	f.Add("{{with .Run}}{{range .Groups}}{{else}}{{break}}{{end}}{{end}}\r\n\x00 type")
	f.Add("{{.Use \"os/exec.Cmd\"}} {{.Ref .Run.Clients \"x\"}}{{block \"b\" .}}`{{end}}")
	run := shop(withIndexes)
	f.Fuzz(func(t *testing.T, text string) {
		if endless.MatchString(text) {
			t.Skip()
		}
		if !strings.Contains(text, "informer-gen:") {
			text = "{{/* informer-gen: for each type; file x.go */}}" + text
		}
		all, err := templates.Parse(fstest.MapFS{"a.go.tmpl": {Data: []byte(text)}}, "dir/")
		checkPlace(t, text, err)
		if err != nil {
			return
		}
		for _, file := range filesOf(run, all[0]) {
			file.Reserved = map[string]bool{"v1": true}
			_, _, err := all[0].FileName(file)
			checkPlace(t, text, err)
			source, err := all[0].Render(file)
			checkPlace(t, text, err)
			if err != nil {
				return
			}
			_, err = format.Source(source)
			if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
				checkPlace(t, text, all[0].Problem(file, list[0].Pos, "wrong", ""))
			}
		}
	})
}

// checkPlace wants an error, if there is one, to be at a line of a template.
func checkPlace(t *testing.T, text string, err error) {
	t.Helper()
	var problem *scanner.Error
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		problem = list[0]
	} else if err != nil && !errors.As(err, &problem) {
		t.Fatalf("an error without a place: %v", err)
	}
	if problem != nil && (problem.Pos.Filename != "dir/a.go.tmpl" || problem.Pos.Line < 1 || problem.Pos.Line > strings.Count(text, "\n")+1) {
		t.Errorf("%v is at no line", problem)
	}
}
